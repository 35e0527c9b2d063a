// SPDX-License-Identifier: Apache-2.0
// Where something of the device clock is shown: its lane, and its times on the job's line.
#pragma once

#include <cstdint>

#include "writers/device_timeline.h"
#include "writers/lanes.h"

namespace syncline {

// What ends outside of these is damaged, and what begins before the trace's base cannot be shown:
// both are counted. Nanoseconds on the job's line.
struct TimeLimits {
  uint64_t base_ns = 0;
  uint64_t earliest_ns = 0;  // not before the base
  uint64_t latest_ns = UINT64_MAX;

  bool Hold(uint64_t begin_ns, uint64_t end_ns) const {
    return begin_ns >= earliest_ns && begin_ns <= end_ns && end_ns <= latest_ns;
  }
};

struct ShownSpan {
  uint32_t lane;
  uint64_t begin;
  uint64_t end;
};

// Takes a place on `lanes` in any case: the same calls in the same order give the same spans.
// False: it cannot be shown.
bool ShowSpan(LaneAssigner* lanes, const DeviceTimeline& timeline, const TimeLimits& limits,
              uint64_t device_begin, uint64_t device_end, ShownSpan* span);

}  // namespace syncline
