// SPDX-License-Identifier: Apache-2.0
// What a loaded object says of itself, for callbacks of dl_iterate_phdr. The loader's lock keeps
// the object, but not the program from taking its pages away.
#pragma once

#include <link.h>

#include "inject/core/foreign_memory.h"

namespace syncline {

// Ends early where the headers cannot be read.
template <typename See>
void ForEachPart(const dl_phdr_info& object, ForeignMemory* memory, See see) {
  const auto headers = reinterpret_cast<uintptr_t>(object.dlpi_phdr);
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    ElfW(Phdr) part;
    if (!memory->Read(headers + static_cast<unsigned>(i) * sizeof(part), &part)) return;
    see(part);
  }
}

// Of the dynamic section at `place`: a tag, its number, and the number as an address. glibc has
// added the base to addresses, but for the kernel's own object.
template <typename Memory, typename See>
void ForEachEntry(uintptr_t place, uintptr_t base, Memory* memory, See see) {
  ElfW(Dyn) entry;
  for (; memory->Read(place, &entry) && entry.d_tag != DT_NULL; place += sizeof(entry)) {
    const uintptr_t value = entry.d_un.d_val;
    see(entry.d_tag, value, value < base ? base + value : value);
  }
}

}  // namespace syncline
