// SPDX-License-Identifier: Apache-2.0
// Kernels that end when other ranks have come: what a simulated NCCL gives the driver with such a
// kernel's launch, and what it says when the kernel has ended.
#pragma once

#include <cstdint>

namespace simgpu {

// Both functions are called under the engine lock: they may take a lock of their own that is never
// held while calling the engine, and do nothing long. A captured collective runs once for each
// launch of its graph; `run` is the operation's id.
class Collective {
 public:
  virtual ~Collective() = default;
  // In the order of submission.
  virtual void Submitted(uint64_t run) = 0;
  // All that the run comes after is over at `ready_ns`, which may lie ahead. `duration_ns`: what
  // the kernel takes once all have come. Seam::finish_collective has to follow, from another
  // thread.
  virtual void Ready(uint64_t run, uint64_t ready_ns, uint64_t duration_ns) = 0;
};

// For the truth file.
struct CollectiveFacts {
  uint64_t communicator = 0;  // a number that all its ranks know it by
  uint64_t sequence = 0;      // of the communicator's kernels in this process, from 1
  uint32_t rank = 0, ranks = 0;
  uint32_t last_rank = 0;  // who came last, and when
  uint64_t last_ns = 0;
  uint64_t bytes = 0;    // of the messages
  bool aborted = false;  // ended without the others
};

}  // namespace simgpu
