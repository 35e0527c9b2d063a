// SPDX-License-Identifier: Apache-2.0
// What recording itself cost a process: how long its steps took while they were recorded, and when
// no collector was there any more.
#pragma once

#include <cstdint>

namespace syncline {

struct RecordingCost {
  // So many of either kind tell something.
  static constexpr uint64_t kLeastSteps = 3;

  int32_t pid = 0;
  uint64_t recorded = 0;     // steps
  uint64_t recorded_ns = 0;  // a quarter of them took less: other programs only make them longer
  uint64_t bare = 0;         // steps without a collector
  uint64_t bare_ns = 0;
  uint64_t calls = 0;  // of the source libraries, in all recorded steps together
  // Three quarters of the recorded steps took longer than three quarters of the others.
  bool is_clear = false;

  uint64_t CallsOfStep() const { return recorded == 0 ? 0 : calls / recorded; }
  // By so much each recorded call is longer; where devices were at work meanwhile, at least by so
  // much. 0: it does not show, or is not known.
  uint64_t CallNs() const {
    const bool shows = is_clear && recorded_ns > bare_ns && CallsOfStep() != 0;
    return shows ? (recorded_ns - bare_ns) / CallsOfStep() : 0;
  }
  bool operator==(const RecordingCost&) const = default;
};

}  // namespace syncline
