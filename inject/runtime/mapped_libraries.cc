// SPDX-License-Identifier: Apache-2.0
// Walks the loader's list of objects.
#include "inject/runtime/mapped_libraries.h"

#include <link.h>

#include <cstring>

namespace syncline {
namespace {

struct Search {
  const char* const* names;
  uint64_t count;
  bool found;
};

// glibc writes addresses in there, but for the kernel's own object: offsets.
const char* At(uintptr_t base, uintptr_t value) {
  return reinterpret_cast<const char*>(value < base ? base + value : value);
}

// The object's soname, or the last part of its path.
const char* NameOf(const dl_phdr_info& object) {
  const char* strings = nullptr;
  uintptr_t soname = 0;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    if (object.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    const auto* entry =
        reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[i].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      if (entry->d_tag == DT_STRTAB) strings = At(object.dlpi_addr, entry->d_un.d_ptr);
      if (entry->d_tag == DT_SONAME) soname = entry->d_un.d_val;
    }
  }
  if (strings != nullptr && soname != 0) return strings + soname;
  const char* slash = std::strrchr(object.dlpi_name, '/');
  return slash == nullptr ? object.dlpi_name : slash + 1;
}

int OnObject(dl_phdr_info* object, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const char* name = NameOf(*object);
  for (size_t i = 0; i < search.count && search.names[i] != nullptr; ++i)
    search.found = search.found || std::strcmp(name, search.names[i]) == 0;
  return search.found ? 1 : 0;
}

int OnFirstObject(dl_phdr_info* object, size_t, void* data) {
  *static_cast<uint64_t*>(data) = object->dlpi_adds;
  return 1;
}

}  // namespace

bool IsMapped(const char* const* names, uint64_t count) {
  Search search = {names, count, false};
  dl_iterate_phdr(OnObject, &search);
  return search.found;
}

uint64_t LibrariesLoaded() {
  uint64_t loaded = 0;
  dl_iterate_phdr(OnFirstObject, &loaded);
  return loaded;
}

}  // namespace syncline
