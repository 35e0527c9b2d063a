// SPDX-License-Identifier: Apache-2.0
// Where something of the device clock is shown: its lane, and its times on the job's line.
#pragma once

#include <cstdint>

#include "writers/device_timeline.h"
#include "writers/lanes.h"

namespace syncline {

// What ends outside of these is damaged. Nanoseconds on the job's line.
struct TimeLimits {
  uint64_t earliest_ns = 0;
  uint64_t latest_ns = UINT64_MAX;
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
