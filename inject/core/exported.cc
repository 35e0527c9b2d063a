// SPDX-License-Identifier: Apache-2.0
// The GNU hash table (https://sourceware.org/legacy-ml/binutils/2006-10/msg00377.html).
#include "inject/core/exported.h"

#include <link.h>
#include <sys/auxv.h>

#include "inject/core/object_tables.h"

namespace syncline {
namespace {

// Of the linker: the beginning of the file that this is linked into.
extern "C" const char __ehdr_start[] __attribute__((visibility("hidden")));  // NOLINT: its name

constexpr int kMostModules = 4096;

// Memory of the loader's, and of what the loader began the program with: none of that is ever
// closed. A sandbox may end a program for the system calls that ForeignMemory makes, and these
// tables are read just before a program becomes another.
struct LoadersMemory {
  template <typename T>
  bool Read(uintptr_t address, T* value) const {
    std::memcpy(value, reinterpret_cast<const void*>(address), sizeof(T));  // NOLINT: see above
    return true;
  }
  bool IsText(uintptr_t address, const char* text) const {
    return std::strcmp(reinterpret_cast<const char*>(address), text) == 0;  // NOLINT: see above
  }
};

uint32_t HashOf(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<uint8_t>(*name);
  return hash;
}

template <typename Memory>
Module ModuleAt(uintptr_t base, uintptr_t dynamic, Memory* memory) {
  Module module;
  module.base = base;
  module.dynamic = dynamic;
  ForEachEntry(dynamic, base, memory, [&](auto tag, uintptr_t, uintptr_t address) {
    if (tag == DT_SYMTAB) module.symbols = address;
    if (tag == DT_STRTAB) module.names = address;
    if (tag == DT_GNU_HASH) module.hashes = address;
  });
  return module;
}

Module ModuleOf(const dl_phdr_info& info, ForeignMemory* memory) {
  uintptr_t dynamic = 0;
  ForEachPart(info, memory, [&](const ElfW(Phdr) & part) {
    if (part.p_type == PT_DYNAMIC) dynamic = info.dlpi_addr + part.p_vaddr;
  });
  return ModuleAt(info.dlpi_addr, dynamic, memory);
}

// Of a name that a library has in several versions, whether this is the one for new programs.
bool IsNewestVersion(const Module& module, uint32_t symbol, LoadersMemory* memory) {
  constexpr uint16_t kHidden = 0x8000;
  uintptr_t versions = 0;
  ForEachEntry(module.dynamic, module.base, memory, [&](auto tag, uintptr_t, uintptr_t address) {
    if (tag == DT_VERSYM) versions = address;
  });
  uint16_t version = 0;
  return versions == 0 || !memory->Read(versions + symbol * sizeof(version), &version) ||
         (version & kHidden) == 0;
}

bool IsAnyVersion(const Module&, uint32_t, ForeignMemory*) { return true; }

// `fits(module, symbol, memory)`: whether it is the one that is looked for.
template <typename Memory, typename Fits>
uintptr_t Find(const Module& module, const char* name, Memory* memory, Fits fits) {
  constexpr uint32_t kWordBits = 8 * sizeof(ElfW(Addr));
  struct {
    uint32_t buckets, first, words, shift;
  } head;
  if (module.symbols == 0 || module.names == 0 || module.hashes == 0 ||
      !memory->Read(module.hashes, &head) || head.buckets == 0 || head.words == 0)
    return 0;
  const uint32_t hash = HashOf(name);
  const uintptr_t bloom = module.hashes + sizeof(head);
  ElfW(Addr) word;
  if (!memory->Read(bloom + hash / kWordBits % head.words * sizeof(word), &word) ||
      (word >> (hash % kWordBits) & word >> ((hash >> head.shift) % kWordBits) & 1) == 0)
    return 0;
  const uintptr_t bucket = bloom + head.words * sizeof(word);
  const uintptr_t chain = bucket + head.buckets * sizeof(uint32_t);
  uint32_t at, its_hash = 0;
  if (!memory->Read(bucket + hash % head.buckets * sizeof(at), &at)) return 0;
  for (; at >= head.first && (its_hash & 1) == 0; ++at) {
    ElfW(Sym) symbol;
    if (!memory->Read(chain + uintptr_t{at - head.first} * sizeof(its_hash), &its_hash)) return 0;
    if ((its_hash | 1) == (hash | 1) &&
        memory->Read(module.symbols + at * sizeof(symbol), &symbol) &&
        symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 &&
        memory->IsText(module.names + symbol.st_name, name) && fits(module, at, memory))
      return module.base + symbol.st_value;
  }
  return 0;
}

struct Search {
  const char* name;
  uintptr_t leave_out;  // base of a module; 0: none
  Module found;
  ForeignTables memory;
};

int OnModule(dl_phdr_info* info, size_t, void* argument) {
  auto* search = static_cast<Search*>(argument);
  if (search->leave_out != 0 && info->dlpi_addr == search->leave_out) return 0;
  const Module module = ModuleOf(*info, &search->memory);
  if (Find(module, search->name, static_cast<ForeignMemory*>(&search->memory), IsAnyVersion) == 0)
    return 0;
  search->found = module;
  return 1;
}

struct FileSearch {
  const char* beginning;
  char* path;
  size_t bytes;
  Module found;
};

int OnFile(dl_phdr_info* info, size_t, void* argument) {
  auto* search = static_cast<FileSearch*>(argument);
  const char* const slash = std::strrchr(info->dlpi_name, '/');
  const char* const file = slash == nullptr ? info->dlpi_name : slash + 1;
  if (std::strncmp(file, search->beginning, std::strlen(search->beginning)) != 0) return 0;
  ForeignTables memory;
  search->found = ModuleOf(*info, &memory);
  const size_t length = std::strlen(info->dlpi_name);
  if (length < search->bytes) std::memcpy(search->path, info->dlpi_name, length + 1);
  return 1;
}

// The loader's list, as it tells a debugger. 0: the program does not say where that is.
uintptr_t FirstModule(const LoadersMemory* memory) {
  const uintptr_t headers = getauxval(AT_PHDR);
  const uintptr_t count = headers == 0 ? 0 : getauxval(AT_PHNUM);
  uintptr_t base = 0, dynamic = 0, told = 0;
  for (uintptr_t i = 0; i < count; ++i) {
    ElfW(Phdr) part;
    memory->Read(headers + i * sizeof(part), &part);
    if (part.p_type == PT_PHDR) base = headers - part.p_vaddr;
    if (part.p_type == PT_DYNAMIC) dynamic = part.p_vaddr;
  }
  if (dynamic == 0) return 0;
  ForEachEntry(base + dynamic, 0, memory, [&](auto tag, uintptr_t value, uintptr_t) {
    if (tag == DT_DEBUG) told = value;
  });
  if (told == 0) return 0;
  r_debug list;
  memory->Read(told, &list);
  return reinterpret_cast<uintptr_t>(list.r_map);
}

}  // namespace

const void* Exported(const Module& module, const char* name) {
  ForeignTables memory;
  return reinterpret_cast<const void*>(Find(module, name, static_cast<ForeignMemory*>(&memory),
                                            IsAnyVersion));  // NOLINT: for its caller
}

Module ModuleThatShows(const char* name) {
  Search search = {name, 0, {}, {}};
  dl_iterate_phdr(OnModule, &search);
  return search.found;
}

Module OtherModuleThatShows(const char* name) {
  Search search = {name, reinterpret_cast<uintptr_t>(__ehdr_start), {}, {}};
  dl_iterate_phdr(OnModule, &search);
  return search.found;
}

Module ModuleOfFile(const char* beginning, char* path, size_t bytes) {
  FileSearch search = {beginning, path, bytes, {}};
  if (bytes != 0) *path = '\0';
  dl_iterate_phdr(OnFile, &search);
  return search.found;
}

bool HasLoadedFile(const char* beginning) {
  constexpr size_t kMostPath = 1024;
  const LoadersMemory loaders;
  ForeignTables memory;
  char path[kMostPath];
  uintptr_t at = FirstModule(&loaders);
  for (int i = 0; at != 0 && i < kMostModules; ++i) {
    link_map module;
    size_t bytes = 0;
    if (!memory.Read(at, &module)) return false;
    at = reinterpret_cast<uintptr_t>(module.l_next);
    if (!memory.CopyText(reinterpret_cast<uintptr_t>(module.l_name), path, kMostPath, &bytes))
      continue;
    const char* const slash = std::strrchr(path, '/');
    const char* const file = slash == nullptr ? path : slash + 1;
    if (std::strncmp(file, beginning, std::strlen(beginning)) == 0) return true;
  }
  return false;
}

const void* NextExported(const char* name) {
  const auto ours = reinterpret_cast<uintptr_t>(__ehdr_start);
  const uintptr_t loader = getauxval(AT_BASE);
  LoadersMemory memory;
  link_map module;
  uintptr_t before = 0;  // of those that stand before this library
  bool passed = false;
  uintptr_t at = FirstModule(&memory);
  for (int i = 0; at != 0 && i < kMostModules; ++i) {
    memory.Read(at, &module);
    at = reinterpret_cast<uintptr_t>(module.l_next);
    passed = passed || module.l_addr == ours;
    if (module.l_addr == ours || (before != 0 && !passed)) continue;
    const auto dynamic = reinterpret_cast<uintptr_t>(module.l_ld);
    const uintptr_t found =
        Find(ModuleAt(module.l_addr, dynamic, &memory), name, &memory, IsNewestVersion);
    if (found != 0 && passed) return reinterpret_cast<const void*>(found);  // NOLINT: see above
    if (found != 0) before = found;
    if (module.l_addr == loader) break;  // what was opened later stands behind it
  }
  return reinterpret_cast<const void*>(before);  // NOLINT: for its caller
}

}  // namespace syncline
