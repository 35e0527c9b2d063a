// SPDX-License-Identifier: Apache-2.0
// Every time a thread of the host waited for a device: docs/waits.md applied to what was recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/gpu_records.h"

namespace syncline {

enum class WaitClass : uint8_t {
  kDevice,
  kStream,
  kEvent,
  kLegacyStream,
  kSyncCopy,
  kPageableCopy,
  kAllocation,
  kQuerySpin,
  kQueueFull,
  kModuleLoad,
  kGraph
};
const char* WaitClassName(WaitClass wait);

inline constexpr uint32_t kNoOp = UINT32_MAX;
inline constexpr uint64_t kNothingFollows = UINT64_MAX;

struct Wait {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint64_t gpu_idle_after_ns = kNothingFollows;  // until the device's next operation; 0: one runs
  uint32_t tid = 0;
  uint32_t correlation = 0;  // of the call; of a spin: its last query's
  uint32_t waited_for = 0;   // correlation of what ended last among those waited for; 0: nothing
  uint32_t op = kNoOp;       // that operation in GpuRecords::ops, if it is one
  uint32_t device = kNoId;   // on which gpu_idle_after_ns was looked for
  uint32_t count = 1;        // queries of a spin
  uint16_t name = 0;         // of the call
  WaitClass wait_class = WaitClass::kDevice;
  bool already_done = false;
  bool open = false;  // it lasted until the process ended
  bool lost = false;  // records of work submitted before it are or may be missing: whether it was
                      // needless, and what it waited for, is not known
};

// Sorts `records` (ops and calls by correlation); the indices in the result are of that order.
// Ordered by begin. O(n log n); 4 bytes an operation and one Wait each beyond the records.
//
// What is certain and what is measured. Explicit synchronisation and blocking copies give a record
// by their name, stream and memory kinds. Every other row gives one only if the call was held up:
// some of the work that it would wait for was pending at entry, all of it had ended at exit, and
// that explains the call's length (held_calls.h). Of calls that never returned only those two kinds
// are waits: what any other was doing, nobody can tell.
std::vector<Wait> FindWaits(GpuRecords& records);

}  // namespace syncline
