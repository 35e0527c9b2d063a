// SPDX-License-Identifier: Apache-2.0
// Reads memory that tables say is a stack's, which they may say wrongly: never faults.
#pragma once

#include <cstdint>

namespace syncline::stacks {

class StackMemory {
 public:
  // False: there is nothing to be read.
  bool Read(uint64_t address, uint64_t* value) {
    const bool known = address >= low_ && address <= high_ - sizeof(*value);
    if (!known && !MakeSure(address)) return false;
    *value = Load(address);
    return true;
  }

 private:
  static uint64_t Load(uint64_t address);
  bool MakeSure(uint64_t address);

  // Pages that can be read.
  uint64_t low_ = sizeof(uint64_t);
  uint64_t high_ = sizeof(uint64_t);
};

}  // namespace syncline::stacks
