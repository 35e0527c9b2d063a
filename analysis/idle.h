// SPDX-License-Identifier: Apache-2.0
// When devices computed nothing, and why.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/gpu_records.h"
#include "analysis/waits.h"

namespace syncline {

enum class GapCause : uint8_t {
  kHostWaited,     // the thread that submitted next had waited: `wait`
  kHostBusy,       // it did something else: `tid`, from the gap's begin to the next call
  kLaunchLatency,  // the next operation was submitted in the gap's first half and began late
  kCopy,           // copies of the device filled at least half of the gap
  kNothingLeft     // nothing followed until the process ended, or until work was submitted of which
                   // no record came: that may have run
};
const char* GapCauseName(GapCause cause);

inline constexpr uint32_t kNoWait = UINT32_MAX;

// A device computes while a kernel, graph or memset runs; a copy is no computation.
struct Gap {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  uint32_t device = 0;
  uint32_t tid = 0;         // of the thread whose call ended the gap; 0: unknown
  uint32_t wait = kNoWait;  // index into the waits given
  GapCause cause = GapCause::kHostBusy;
};

// Gaps of at least threshold_ns, between what the devices computed and after the last of it; none
// before the first, none that meets a time of which not everything was recorded, and none around a
// wait for something of which no record came. By device, then time. `records` as FindWaits left
// them, `waits` its result.
//
// Had the host not waited for W ns, the next operation would have come W earlier: a gap of at most
// 2 W is the wait's, a longer one is the fault of what the host did besides.
std::vector<Gap> FindGaps(const GpuRecords& records, const std::vector<Wait>& waits,
                          uint64_t threshold_ns);

// Fills in gpu_idle_after_ns, unless work of a time that was not recorded may have run then. Any
// operation ends a device's idleness, copies too.
void MeasureIdleAfter(const GpuRecords& records, std::vector<Wait>* waits);

}  // namespace syncline
