// SPDX-License-Identifier: Apache-2.0
// Watches chosen functions through Python's own sys.monitoring (PEP 669).
#pragma once

#include <cstdint>

namespace syncline::python {

inline constexpr uint32_t kFirstMonitored = 0x30c;  // 3.12

// From now on the calls of chosen functions are ranges. Python's main thread, with the GIL, no
// exception set; leaves none. Null, or why it cannot be done: nothing is watched then.
const char* StartMonitoring();

}  // namespace syncline::python
