// SPDX-License-Identifier: Apache-2.0
// Converts, checks, and keeps neighbours apart.
#include "writers/shown_span.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr uint64_t kLongestNs = uint64_t{7} * 24 * 3600 * 1000000000;  // HTA drops longer ones

}  // namespace

bool ShowSpan(LaneAssigner* lanes, const DeviceTimeline& timeline, const TimeLimits& limits,
              uint64_t device_begin, uint64_t device_end, ShownSpan* span) {
  span->lane = lanes->Place(device_begin, device_end);
  if (!timeline.valid()) return false;
  uint64_t begin = timeline.Convert(device_begin);
  uint64_t end = std::max(timeline.Convert(device_end), begin);
  // A kernel may have begun long before the segment in which it is told of.
  if (begin < limits.base_ns || end < limits.earliest_ns || end > limits.latest_ns) return false;
  if (end - begin > kLongestNs) return false;
  // Viewers drop one of two slices that overlap. Who comes second gives way.
  begin += std::min(end - begin, lanes->late());
  end -= std::min(end - begin, lanes->early());
  span->begin = begin;
  span->end = end;
  return true;
}

}  // namespace syncline
