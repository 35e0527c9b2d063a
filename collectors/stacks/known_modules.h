// SPDX-License-Identifier: Apache-2.0
// What a thread knows of the modules that its stacks go through, and since when it may be wrong.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/stacks/closed_libraries.h"
#include "collectors/stacks/loaded_modules.h"
#include "collectors/stacks/module_record.h"

namespace syncline::stacks {

struct KnownModule {
  LoadedModule module;
  // Stands for the code: where it lies and what its record says, build id and path. What is
  // remembered of an address is true while the module there has the same one.
  uint64_t code;
  uint64_t closings;  // how many libraries had been closed before this was read
};

// Begins as zeros, in the memory of one thread.
class KnownModules {
 public:
  // Null: no module has it, or what has it is going. Good until the next call. `memory`: with
  // nothing of before. In a hook, with signals blocked where LooksUpWithLock().
  const KnownModule* Find(uintptr_t address, ForeignMemory* memory);

 private:
  static constexpr size_t kCount = 128;

  KnownModule modules_[kCount];
  char scratch_[kMostModuleBytes];
};

}  // namespace syncline::stacks
