// SPDX-License-Identifier: Apache-2.0
// The parts of a device that operations compete for: copy engines and slots for concurrent kernels.
// Guarded by the engine lock.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace simgpu {

// Does one thing at a time, in the order in which operations become ready, not in the order of
// submission.
class CopyEngine {
 public:
  // The start of an operation of `length` that can start at `ready` at the earliest. `now`: what
  // ended before is forgotten.
  uint64_t Place(uint64_t ready, uint64_t length, uint64_t now);

 private:
  std::map<uint64_t, uint64_t> busy_;  // start -> end, disjoint
};

// Runs so many kernels at once. A kernel that is not ready yet keeps its slot from the slot's last
// end on.
class KernelSlots {
 public:
  explicit KernelSlots(uint32_t slots) : free_at_(slots, 0) {}
  uint64_t Place(uint64_t ready, uint64_t length);

 private:
  std::vector<uint64_t> free_at_;
};

}  // namespace simgpu
