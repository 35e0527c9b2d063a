// SPDX-License-Identifier: Apache-2.0
// Converts, checks, and keeps neighbours apart.
#include "writers/chrome/layout/trace_span.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr uint64_t kLongestNs = uint64_t{7} * 24 * 3600 * 1000000000;  // HTA drops longer ones

}  // namespace

LanePlace PlaceOn(LaneAssigner* lanes, uint64_t device_begin, uint64_t device_end) {
  const uint32_t lane = lanes->Place(device_begin, device_end);
  return {static_cast<uint8_t>(lane), static_cast<uint8_t>(lanes->late()),
          static_cast<uint8_t>(lanes->early())};
}

bool SpanOf(const LanePlace& place, const DeviceTimeline& timeline, const TimeLimits& limits,
            uint64_t device_begin, uint64_t device_end, TraceSpan* span) {
  span->lane = place.lane;
  if (!timeline.valid()) return false;
  uint64_t begin = timeline.Convert(device_begin);
  uint64_t end = std::max(timeline.Convert(device_end), begin);
  // A kernel may have begun long before the segment in which it is told of.
  if (begin < limits.base_ns || end < limits.earliest_ns || end > limits.latest_ns) return false;
  if (end - begin > kLongestNs) return false;
  // Viewers drop one of two slices that overlap. Who comes second gives way.
  begin += std::min(end - begin, uint64_t{place.late_ns});
  end -= std::min(end - begin, uint64_t{place.early_ns});
  span->begin = begin;
  span->end = end;
  return true;
}

bool PlaceSpan(LaneAssigner* lanes, const DeviceTimeline& timeline, const TimeLimits& limits,
               uint64_t device_begin, uint64_t device_end, TraceSpan* span) {
  const LanePlace place = PlaceOn(lanes, device_begin, device_end);
  return SpanOf(place, timeline, limits, device_begin, device_end, span);
}

}  // namespace syncline
