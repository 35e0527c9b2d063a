// SPDX-License-Identifier: Apache-2.0
// The GNU hash table (https://sourceware.org/legacy-ml/binutils/2006-10/msg00377.html).
#include "collectors/stacks/exported.h"

#include <link.h>

#include "inject/core/object_tables.h"

namespace syncline::stacks {
namespace {

uint32_t HashOf(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<uint8_t>(*name);
  return hash;
}

Module ModuleOf(const dl_phdr_info& info, ForeignMemory* memory) {
  Module module;
  module.base = info.dlpi_addr;
  uintptr_t dynamic = 0;
  ForEachPart(info, memory, [&](const ElfW(Phdr) & part) {
    if (part.p_type == PT_DYNAMIC) dynamic = module.base + part.p_vaddr;
  });
  ForEachEntry(dynamic, module.base, memory, [&](auto tag, uintptr_t, uintptr_t address) {
    if (tag == DT_SYMTAB) module.symbols = address;
    if (tag == DT_STRTAB) module.names = address;
    if (tag == DT_GNU_HASH) module.hashes = address;
  });
  return module;
}

uintptr_t Find(const Module& module, const char* name, ForeignMemory* memory) {
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
        memory->IsText(module.names + symbol.st_name, name))
      return module.base + symbol.st_value;
  }
  return 0;
}

struct Search {
  const char* name;
  Module found;
  ForeignTables memory;
};

int OnModule(dl_phdr_info* info, size_t, void* argument) {
  auto* search = static_cast<Search*>(argument);
  const Module module = ModuleOf(*info, &search->memory);
  if (Find(module, search->name, &search->memory) == 0) return 0;
  search->found = module;
  return 1;
}

}  // namespace

const void* Exported(const Module& module, const char* name) {
  ForeignTables memory;
  return reinterpret_cast<const void*>(Find(module, name, &memory));  // NOLINT: for its caller
}

Module ModuleThatShows(const char* name) {
  Search search;
  search.name = name;
  dl_iterate_phdr(OnModule, &search);
  return search.found;
}

}  // namespace syncline::stacks
