// SPDX-License-Identifier: Apache-2.0
// Texts are kept once, in memory that never changes afterwards: a vfork's child, or a signal's
// handler, only points at them.
#include "inject/runtime/following_environment.h"

#include <cstring>
#include <string_view>

#include "inject/core/collector.h"
#include "inject/core/options.h"
#include "inject/runtime/lacking_environment.h"

extern "C" char** environ;

namespace syncline {
namespace {

constexpr size_t kTextBytes = 16384;
constexpr size_t kMostKept = 96;
// On the stack of whoever starts a program, which may be a small one.
constexpr size_t kMostFollowed = 1024;
constexpr size_t kMostListBytes = 4096;
constexpr char kPrefix[] = "SYNCLINE_";
// A program with this sanitizer refuses to begin with a library in front of its runtime.
constexpr char kAsanOption[] = "verify_asan_link_order";

// A variable that is a list, to which an entry of ours belongs.
struct ListVariable {
  const char* name;
  const char* has;   // part of a list that has it already
  const char* ours;  // the entry
};

struct Kept {
  bool complete;
  const char* entries[kMostKept];  // "NAME=value"
  size_t count;
  ListVariable preload;
  ListVariable asan;
  size_t used;
  char text[kTextBytes];
};
constinit Kept g_kept = {};  // written in the constructor only

// The library that a door names; null: it is no door.
const char* LibraryOf(const char* entry) {
  for (size_t i = 0; i < kCollectorCount; ++i) {
    for (const Door& door : kCollectors[i]->doors) {
      const char* library = door.variable != nullptr ? ValueIn(entry, door.variable) : nullptr;
      if (library != nullptr) return library;
    }
  }
  return nullptr;
}

const char* KeepText(std::string_view text) {
  if (text.size() + 1 > kTextBytes - g_kept.used) return nullptr;
  char* copy = g_kept.text + g_kept.used;
  std::memcpy(copy, text.data(), text.size());
  copy[text.size()] = '\0';
  g_kept.used += text.size() + 1;
  return copy;
}

bool KeepAll() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const bool ours = std::strncmp(*entry, kPrefix, sizeof(kPrefix) - 1) == 0;
    if (!ours && LibraryOf(*entry) == nullptr) continue;
    if (g_kept.count == kMostKept) return false;
    const char* text = KeepText(*entry);
    if (text == nullptr) return false;
    g_kept.entries[g_kept.count++] = text;
  }
  g_kept.preload = {"LD_PRELOAD", "libsyncline.so", PreloadOfStart()};
  g_kept.asan = {"ASAN_OPTIONS", kAsanOption, "verify_asan_link_order=0"};
  return true;
}

// The place of a variable, or `variables`. `name` ends at its '='.
size_t PlaceOf(std::string_view name, char* const* environment, size_t variables) {
  for (size_t i = 0; i < variables; ++i) {
    if (std::strncmp(environment[i], name.data(), name.size()) == 0 &&
        environment[i][name.size()] == '=')
      return i;
  }
  return variables;
}

size_t EntryBytes(const ListVariable& list, char* const* environment, size_t variables) {
  const size_t at = PlaceOf(list.name, environment, variables);
  const size_t own = at == variables ? std::strlen(list.name) + 1 : std::strlen(environment[at]);
  return own + 1 + std::strlen(list.ours) + 1;
}

// An environment that is being made.
struct Made {
  char** entries;
  size_t count;
  char* text;  // room behind the entries
};

void Append(std::string_view text, Made* made) {
  std::memcpy(made->text, text.data(), text.size());
  made->text += text.size();
}

// Whether the list got our entry.
bool AddToList(const ListVariable& list, Made* made) {
  const size_t at = PlaceOf(list.name, made->entries, made->count);
  const bool is_there = at != made->count;
  const char* own = is_there ? made->entries[at] + std::strlen(list.name) + 1 : "";
  if (std::strstr(own, list.has) != nullptr) return false;
  char* entry = made->text;
  Append(list.name, made);
  Append("=", made);
  Append(own, made);
  Append(*own == '\0' ? "" : ":", made);
  Append(list.ours, made);
  *made->text++ = '\0';
  made->entries[at] = entry;
  if (!is_there) ++made->count;
  return true;
}

}  // namespace

void KeepEnvironment() {
  if (OptionNumber(OptionIndex("follow.env")) != 0 && *PreloadOfStart() != '\0')
    g_kept.complete = KeepAll();
}

size_t RoomToFollow(char* const* environment, size_t variables) {
  if (!g_kept.complete || variables > kMostFollowed) return 0;
  const size_t lists = EntryBytes(g_kept.preload, environment, variables) +
                       EntryBytes(g_kept.asan, environment, variables);
  if (lists > kMostListBytes) return 0;
  return (variables + g_kept.count + 3) * sizeof(char*) + lists;  // the lists, and the end
}

char* const* Follow(char* const* environment, size_t variables, void* room) {
  const size_t entries = variables + g_kept.count + 3;
  Made made = {static_cast<char**>(room), variables,
               static_cast<char*>(room) + entries * sizeof(char*)};
  if (variables != 0) std::memcpy(made.entries, environment, variables * sizeof(char*));
  for (size_t i = 0; i < g_kept.count; ++i) {
    const char* entry = g_kept.entries[i];
    const std::string_view name(entry, static_cast<size_t>(std::strchr(entry, '=') - entry));
    const size_t at = PlaceOf(name, environment, variables);
    const char* library = at != variables ? LibraryOf(environment[at]) : nullptr;
    const bool is_empty = library != nullptr && *library == '\0';  // nobody's tool
    if (at == variables || is_empty)
      made.entries[is_empty ? at : made.count++] = const_cast<char*>(entry);  // nobody writes
  }
  if (AddToList(g_kept.preload, &made)) AddToList(g_kept.asan, &made);
  made.entries[made.count] = nullptr;
  return made.entries;
}

}  // namespace syncline
