// SPDX-License-Identifier: Apache-2.0
// Calling on to the user's own injection libraries.
#include "inject/core/door.h"

#include <dlfcn.h>

#include <atomic>

#include "inject/core/log.h"
#include "inject/core/options.h"
#include "inject/core/text.h"

namespace syncline {
namespace {

std::atomic<const char*> g_told;  // the path that was told last

void TellMissing(const Door& door, const char* path) {
  if (g_told.exchange(path, std::memory_order_relaxed) == path) return;
  TextBuffer text;
  text.Add("the library of ").Add(door.variable);
  text.Add(" that was set before ours could not be loaded and is left out:");
  Log(LogLevel::kWarn, text.text(), path);
}

bool IsOurs(const void* entry) {
  Dl_info ours;
  Dl_info theirs;
  return dladdr(reinterpret_cast<const void*>(&EntryOf), &ours) != 0 &&
         dladdr(entry, &theirs) != 0 && ours.dli_fbase == theirs.dli_fbase;
}

}  // namespace

const char* UsersLibrary(const Door& door) { return OldInjection(door.old); }

void* EntryOf(const Door& door, const char* path, const char* symbol) {
  if (path == nullptr || *path == '\0') return nullptr;
  void* library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);  // as the vendor's library does
  void* entry = library != nullptr ? dlsym(library, symbol) : nullptr;
  if (library == nullptr) TellMissing(door, path);
  return entry == nullptr || IsOurs(entry) ? nullptr : entry;
}

}  // namespace syncline
