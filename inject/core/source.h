// SPDX-License-Identifier: Apache-2.0
// Who wrote a record.
#pragma once

#include <cstdint>

namespace syncline {

// The number of a collector, as its CMakeLists.txt declares it; 0: none. Devices, queues, clocks
// and correlation ids are the source's own: two sources may use the same numbers for different
// things. Numbers stand in spools, so that they are never given to another collector.
using Source = uint8_t;
inline constexpr Source kMaxSources = 16;  // numbers are below

}  // namespace syncline
