// SPDX-License-Identifier: Apache-2.0
// The program or library that an address of code lies in.
#pragma once

#include <cstddef>
#include <cstdint>

namespace syncline::stacks {

// As the loader has it: valid while code of it is on the calling thread's stack.
struct LoadedModule {
  uintptr_t begin = 0;  // of its mapping; 0: no module
  uintptr_t end = 0;
  uintptr_t bias = 0;                    // of an address over the file's
  const char* path = nullptr;            // "": the program
  const uint8_t* frame_index = nullptr;  // .eh_frame_hdr; null: it has none

  bool Has(uintptr_t address) const { return address >= begin && address < end; }
};

// Before FindModule, on one thread, outside of hooks; again it does nothing. Finds glibc's look-up
// without a lock, and keeps the program's path.
void PrepareModules();

// False: no module has it, as code that the program makes while it runs. In a hook, with signals
// blocked where LooksUpWithLock().
bool FindModule(uintptr_t address, LoadedModule* found);

// Before glibc 2.35 FindModule walks the loader's list, under the list's lock. In a fork's child,
// where nobody might give the lock back, nothing is found then.
bool LooksUpWithLock();
bool FindModuleInList(uintptr_t address, LoadedModule* found);

// Its path as a file's; the program's own as /proc had it. Never null.
const char* PathOf(const LoadedModule& module);

// The bytes of its GNU build id. Null: it has none.
const uint8_t* BuildIdOf(const LoadedModule& module, size_t* bytes);

}  // namespace syncline::stacks
