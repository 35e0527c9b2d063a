// SPDX-License-Identifier: Apache-2.0
// Walks the loader's list of objects.
#include "inject/runtime/mapped_libraries.h"

#include <link.h>

#include <cstring>

#include "inject/core/object_tables.h"

namespace syncline {
namespace {

struct Search {
  const char* const* names;
  uint64_t count;
  bool found;
  ForeignTables memory;
};

// Where the object's soname is. 0: it has none.
uintptr_t SonameOf(const dl_phdr_info& object, ForeignMemory* memory) {
  uintptr_t dynamic = 0, strings = 0, soname = 0;
  ForEachPart(object, memory, [&](const ElfW(Phdr) & part) {
    if (part.p_type == PT_DYNAMIC) dynamic = object.dlpi_addr + part.p_vaddr;
  });
  ForEachEntry(dynamic, object.dlpi_addr, memory, [&](auto tag, uintptr_t value, uintptr_t at) {
    if (tag == DT_STRTAB) strings = at;
    if (tag == DT_SONAME) soname = value;
  });
  return strings == 0 || soname == 0 ? 0 : strings + soname;
}

int OnObject(dl_phdr_info* object, size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const uintptr_t soname = SonameOf(*object, &search.memory);
  const char* slash = std::strrchr(object->dlpi_name, '/');
  const char* file = slash == nullptr ? object->dlpi_name : slash + 1;
  for (size_t i = 0; i < search.count && search.names[i] != nullptr; ++i) {
    const char* name = search.names[i];
    search.found = search.found || (soname == 0 ? std::strcmp(file, name) == 0
                                                : search.memory.IsText(soname, name));
  }
  return search.found ? 1 : 0;
}

int OnFirstObject(dl_phdr_info* object, size_t, void* data) {
  *static_cast<uint64_t*>(data) = object->dlpi_adds;
  return 1;
}

}  // namespace

bool IsMapped(const char* const* names, uint64_t count) {
  Search search;
  search.names = names;
  search.count = count;
  search.found = false;
  dl_iterate_phdr(OnObject, &search);
  return search.found;
}

uint64_t LibrariesLoaded() {
  uint64_t loaded = 0;
  dl_iterate_phdr(OnFirstObject, &loaded);
  return loaded;
}

}  // namespace syncline
