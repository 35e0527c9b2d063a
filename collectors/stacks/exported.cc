// SPDX-License-Identifier: Apache-2.0
// The GNU hash table (https://sourceware.org/legacy-ml/binutils/2006-10/msg00377.html).
#include "collectors/stacks/exported.h"

#include <link.h>

#include <cstring>

namespace syncline::stacks {
namespace {

struct Search {
  const char* name;
  Module found;
};

uint32_t HashOf(const char* name) {
  uint32_t hash = 5381;
  for (; *name != '\0'; ++name) hash = hash * 33 + static_cast<uint8_t>(*name);
  return hash;
}

// glibc has added the base to what it may write; the kernel's own module keeps offsets.
template <typename T>
const T* At(uintptr_t base, uintptr_t value) {
  return reinterpret_cast<const T*>(value < base ? base + value : value);
}

Module ModuleOf(const dl_phdr_info& info) {
  Module module;
  module.base = info.dlpi_addr;
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const uintptr_t value = entry->d_un.d_ptr;
      if (entry->d_tag == DT_SYMTAB) module.symbols = At<ElfW(Sym)>(module.base, value);
      if (entry->d_tag == DT_STRTAB) module.names = At<char>(module.base, value);
      if (entry->d_tag == DT_GNU_HASH) module.hashes = At<uint32_t>(module.base, value);
    }
  }
  return module;
}

int OnModule(dl_phdr_info* info, size_t, void* argument) {
  auto* search = static_cast<Search*>(argument);
  const Module module = ModuleOf(*info);
  if (Exported(module, search->name) == nullptr) return 0;
  search->found = module;
  return 1;
}

}  // namespace

const void* Exported(const Module& module, const char* name) {
  if (module.symbols == nullptr || module.names == nullptr || module.hashes == nullptr)
    return nullptr;
  constexpr uint32_t kWordBits = 8 * sizeof(ElfW(Addr));
  const uint32_t buckets = module.hashes[0], first = module.hashes[1], words = module.hashes[2],
                 shift = module.hashes[3];
  if (buckets == 0 || words == 0) return nullptr;
  const auto* bloom = reinterpret_cast<const ElfW(Addr)*>(module.hashes + 4);
  const auto* bucket = reinterpret_cast<const uint32_t*>(bloom + words);
  const uint32_t* chain = bucket + buckets;
  const uint32_t hash = HashOf(name);
  const ElfW(Addr) word = bloom[hash / kWordBits % words];
  if ((word >> (hash % kWordBits) & word >> ((hash >> shift) % kWordBits) & 1) == 0) return nullptr;
  const auto* symbols = static_cast<const ElfW(Sym)*>(module.symbols);
  for (uint32_t at = bucket[hash % buckets]; at >= first; ++at) {
    const uint32_t its_hash = chain[at - first];
    const ElfW(Sym)& symbol = symbols[at];
    if ((its_hash | 1) == (hash | 1) && symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 &&
        std::strcmp(module.names + symbol.st_name, name) == 0)
      return reinterpret_cast<const void*>(module.base + symbol.st_value);
    if ((its_hash & 1) != 0) break;
  }
  return nullptr;
}

Module ModuleThatShows(const char* name) {
  Search search = {name, {}};
  dl_iterate_phdr(OnModule, &search);
  return search.found;
}

}  // namespace syncline::stacks
