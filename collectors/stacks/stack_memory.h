// SPDX-License-Identifier: Apache-2.0
// Reads memory that tables say is a stack's, which they may say wrongly: never faults.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/stacks/own_stack.h"
#include "inject/core/foreign_memory.h"

namespace syncline::stacks {

class StackMemory {
 public:
  // Before each walk and each look. `own`: what cannot go meanwhile.
  void Begin(const StackPart& own) {
    own_ = own;
    foreign_.Forget();
  }
  // False: there is nothing to be read.
  bool Read(uint64_t address, uint64_t* value) {
    if (address % sizeof(uint64_t) != 0) return false;
    if (!own_.Has(address)) return foreign_.Read(address, value);
    *value = Load(address);
    return true;
  }
  // How many of `places`, a multiple of 8 each and from the first on, hold what is expected: all
  // that lie in what cannot go, up to the first that does not.
  template <typename Place, typename Expected>
  size_t CountHeld(size_t count, Place place, Expected expected) const {
    const StackPart own = own_;
    size_t i = 0;
    while (i < count && own.Has(place(i)) && Load(place(i)) == expected(i)) ++i;
    return i;
  }
  // Of tables, too.
  ForeignMemory* foreign() { return &foreign_; }

 private:
  // Of what a sanitizer guards, a profiler reads the return addresses in between.
  __attribute__((no_sanitize("address", "thread"))) static uint64_t Load(uint64_t address) {
    return *reinterpret_cast<const uint64_t*>(address);  // NOLINT: the thread's own stack
  }

  StackPart own_;
  ForeignWindows<4096, 8> foreign_;
};

}  // namespace syncline::stacks
