// SPDX-License-Identifier: Apache-2.0
// Who wrote a record.
#pragma once

#include <cstdint>

namespace syncline {

// Declared in the collector's CMakeLists.txt (SOURCE), 1 to kMaxSources - 1; 0 is nobody's.
// Devices, queues, clocks and correlation ids are the source's own: two sources may use the same
// numbers for different things. Numbers stand in spools, so that they are never given to another
// collector.
using Source = uint8_t;
inline constexpr Source kMaxSources = 16;

}  // namespace syncline
