// SPDX-License-Identifier: Apache-2.0
// Where something of the device clock is shown: its lane, and its times on the job's line.
#pragma once

#include <cstdint>

#include "model/devices/device_timeline.h"
#include "model/run/time_limits.h"
#include "writers/chrome/layout/lanes.h"

namespace syncline {

// Where something stands on lanes.
struct LanePlace {
  uint8_t lane;      // below 64
  uint8_t late_ns;   // how much later it begins, and earlier it ends, so that it does not overlap
  uint8_t early_ns;  // its neighbours
};
LanePlace PlaceOn(LaneAssigner* lanes, uint64_t device_begin, uint64_t device_end);

struct TraceSpan {
  uint32_t lane;
  uint64_t begin;
  uint64_t end;
};

// False: it cannot be shown.
bool SpanOf(const LanePlace& place, const DeviceTimeline& timeline, const TimeLimits& limits,
            uint64_t device_begin, uint64_t device_end, TraceSpan* span);

// Takes a place on `lanes` in any case: the same calls in the same order give the same spans.
bool PlaceSpan(LaneAssigner* lanes, const DeviceTimeline& timeline, const TimeLimits& limits,
               uint64_t device_begin, uint64_t device_end, TraceSpan* span);

}  // namespace syncline
