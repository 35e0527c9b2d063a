// SPDX-License-Identifier: Apache-2.0
// What a time stamp of this machine is like: how fine, and how dear.
#pragma once

#include "inject/core/segment.h"

namespace syncline {

struct StampFacts {
  double cost_ns = 0;  // of one reading: the median of short runs
  double step_ns = 0;  // what differences between readings are multiples of
};

// Reads `clock` some 4,000 times. Takes less than 1 ms.
StampFacts MeasureStamps(ClockId clock);

}  // namespace syncline
