// SPDX-License-Identifier: Apache-2.0
// Who asks dlsym keeps the answer, as a rule in a variable of its library. Only the loader's list
// is read under the loader's lock; a library that is closed meanwhile is no longer read.
#include "collectors/cuda/hidden_clients.h"

#include <dlfcn.h>

#include <cstring>
#include <string_view>

#include "inject/core/clock.h"
#include "inject/core/exported.h"
#include "inject/core/object_tables.h"

namespace syncline::cuda {
namespace {

// By a name that the library shows. Programs load these in order to profile. XLA's and
// TensorFlow's are not among them: each program that computes with them has their profilers, too.
struct Profiler {
  const char* shows;
  const char* name;
};
constexpr Profiler kProfilers[] = {
    {"PyInit_libproton", "Triton's Proton"},
    {"PyInit_cupti", "cupti-python"},
};

constexpr size_t kMostParts = 4096;
constexpr size_t kMostBytes = 256 << 20;
constexpr size_t kMostHolders = 4;
constexpr size_t kWords = 2048;

struct Part {
  uintptr_t begin;
  size_t bytes;
};

// What libraries may write to, but for ours and CUPTI.
struct Parts {
  Part parts[kMostParts];
  size_t count;
  uint64_t subscribe, register_callbacks;
  bool with_linked;
};
Parts g_parts;
uint64_t g_words[kWords];

bool Contains(const dl_phdr_info& object, ForeignMemory* memory, uintptr_t address) {
  bool contains = false;
  ForEachPart(object, memory, [&](const ElfW(Phdr) & part) {
    contains = contains || (part.p_type == PT_LOAD &&
                            address - (object.dlpi_addr + part.p_vaddr) < part.p_memsz);
  });
  return contains;
}

// By the names of the libraries that the object needs.
bool IsLinkedToCupti(const dl_phdr_info& object, ForeignMemory* memory) {
  static constexpr std::string_view kCupti = "libcupti.so";
  uintptr_t dynamic = 0, strings = 0;
  ForEachPart(object, memory, [&](const ElfW(Phdr) & part) {
    if (part.p_type == PT_DYNAMIC) dynamic = object.dlpi_addr + part.p_vaddr;
  });
  if (dynamic == 0) return false;
  ForEachEntry(dynamic, object.dlpi_addr, memory,
               [&](ElfW(Sxword) tag, uintptr_t, uintptr_t address) {
                 if (tag == DT_STRTAB) strings = address;
               });
  bool is_linked = false;
  ForEachEntry(dynamic, object.dlpi_addr, memory,
               [&](ElfW(Sxword) tag, uintptr_t number, uintptr_t) {
                 char name[kCupti.size()];
                 is_linked = is_linked || (tag == DT_NEEDED && strings != 0 &&
                                           memory->Copy(strings + number, name, sizeof(name)) &&
                                           kCupti == std::string_view(name, sizeof(name)));
               });
  return is_linked;
}

int OnObject(dl_phdr_info* object, size_t, void*) {
  ForeignTables memory;
  if (Contains(*object, &memory, reinterpret_cast<uintptr_t>(&g_parts)) ||
      Contains(*object, &memory, g_parts.subscribe) ||
      (!g_parts.with_linked && IsLinkedToCupti(*object, &memory)))
    return 0;
  ForEachPart(*object, &memory, [&](const ElfW(Phdr) & part) {
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) == 0 || g_parts.count == kMostParts) return;
    const uintptr_t begin = (object->dlpi_addr + part.p_vaddr + 7) & ~uintptr_t{7};
    g_parts.parts[g_parts.count++] = {begin, part.p_memsz & ~size_t{7}};
  });
  return 0;
}

bool Holds(const Part& part, uint64_t until_ns) {
  for (size_t at = 0; at < part.bytes && MonotonicNs() < until_ns; at += sizeof(g_words)) {
    const size_t rest = part.bytes - at;
    const size_t bytes = rest < sizeof(g_words) ? rest : sizeof(g_words);
    if (!ReadForeign(part.begin + at, g_words, bytes)) continue;
    for (size_t i = 0; i < bytes / sizeof(uint64_t); ++i) {
      if (g_words[i] == g_parts.subscribe || g_words[i] == g_parts.register_callbacks) return true;
    }
  }
  return false;
}

const char* FileName(const char* path) {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

}  // namespace

const char* LoadedProfiler() {
  for (const Profiler& profiler : kProfilers) {
    if (ModuleThatShows(profiler.shows).symbols != 0) return profiler.name;
  }
  return nullptr;
}

void FindHolders(const ClientFunctionsOfCupti& functions, bool with_linked, uint64_t until_ns,
                 void (*tell)(const char* library)) {
  g_parts.count = 0;
  g_parts.subscribe = reinterpret_cast<uintptr_t>(functions.subscribe);
  g_parts.register_callbacks = reinterpret_cast<uintptr_t>(functions.register_callbacks);
  g_parts.with_linked = with_linked;
  dl_iterate_phdr(OnObject, nullptr);
  size_t bytes = 0, found = 0;
  for (size_t i = 0; i < g_parts.count && found < kMostHolders; ++i) {
    const Part& part = g_parts.parts[i];
    bytes += part.bytes;
    if (bytes > kMostBytes) return;
    Dl_info holder;
    if (!Holds(part, until_ns) || dladdr(reinterpret_cast<const void*>(part.begin), &holder) == 0)
      continue;
    tell(FileName(holder.dli_fname));
    ++found;
  }
}

}  // namespace syncline::cuda
