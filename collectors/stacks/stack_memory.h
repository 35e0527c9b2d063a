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
    *value = ReadOwn(address);
    return true;
  }
  // Whether all between two places lies in what cannot go.
  bool AreOwn(uint64_t first, uint64_t last) const { return own_.Has(first) && own_.Has(last); }
  // Of such a place, a multiple of 8. Of what a sanitizer guards, a profiler reads the return
  // addresses in between.
  __attribute__((no_sanitize("address", "thread"))) static uint64_t ReadOwn(uint64_t address) {
    return *reinterpret_cast<const uint64_t*>(address);  // NOLINT: the thread's own stack
  }
  // Of tables, too.
  ForeignMemory* foreign() { return &foreign_; }

 private:
  StackPart own_;
  ForeignWindows<4096, 32> foreign_;
};

}  // namespace syncline::stacks
