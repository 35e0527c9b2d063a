// SPDX-License-Identifier: Apache-2.0
// The program or library that an address of code lies in.
#pragma once

#include <cstddef>
#include <cstdint>

#include "inject/core/foreign_memory.h"

namespace syncline::stacks {

// As the loader has it. A library may be closed at any moment, with its memory and the loader's own
// words of it: whatever is said here is an address to be read through foreign_memory.h.
struct LoadedModule {
  uintptr_t begin = 0;  // of its mapping; 0: no module
  uintptr_t end = 0;
  uintptr_t frame_index = 0;  // .eh_frame_hdr; 0: it has none
  uintptr_t link_map = 0;     // 0: the loader's list said the next two
  uintptr_t bias = 0;         // of an address over the file's
  uintptr_t path = 0;         // of its text; "": the program

  bool Has(uintptr_t address) const { return address >= begin && address < end; }
};

// Before FindModule, on one thread, outside of hooks; again it does nothing. Finds glibc's look-up
// without a lock, and keeps the program's path.
void PrepareModules();

// False in a fork's child, where nobody might give back the lock of the loader's list: it is not to
// be walked there. False too where nobody has prepared.
bool IsPreparingProcess();

// False: no module has it, as code that the program makes while it runs. `bias` and `path` are not
// known yet where it has a link map. In a hook, with signals blocked where LooksUpWithLock().
bool FindModule(uintptr_t address, LoadedModule* found);

// Before glibc 2.35 FindModule walks the loader's list, under the list's lock. In a fork's child
// nothing is found then.
bool LooksUpWithLock();
bool FindModuleInList(uintptr_t address, LoadedModule* found);

// Reads `bias` and `path` of the link map. False: it is gone.
bool Describe(LoadedModule* module, ForeignMemory* memory);

// Its path as a file's, of a module that was described; the program's own as /proc had it. At most
// `room` bytes, without a NUL.
size_t CopyPath(const LoadedModule& module, ForeignMemory* memory, char* out, size_t room);

// Its GNU build id, of a module that was described. 0: it has none, a longer one than `room`, or
// one that cannot be read.
size_t CopyBuildId(const LoadedModule& module, ForeignMemory* memory, char* out, size_t room);

}  // namespace syncline::stacks
