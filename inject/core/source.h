// SPDX-License-Identifier: Apache-2.0
// The source of a record: the number of the collector that wrote it.
#pragma once

#include <cstdint>

namespace syncline {

// Declared in the collector's CMakeLists.txt (SOURCE), 1 to kMaxSources - 1; 0 is no collector's.
// Devices, queues, clocks and correlation ids belong to the source: two sources may use the same
// numbers for different things. The number stands in spools, so it is never given to another
// collector.
using Source = uint8_t;
inline constexpr Source kMaxSources = 16;

}  // namespace syncline
