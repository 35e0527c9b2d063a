// SPDX-License-Identifier: Apache-2.0
// Watches chosen functions where Python evaluates frames (PEP 523), before it had sys.monitoring.
#pragma once

#include "collectors/python/interpreter.h"

namespace syncline::python {

inline constexpr uint32_t kFirstEvaluated = 0x308;  // 3.8

// From now on the calls of chosen functions are ranges, in versions from kFirstEvaluated to those
// that have sys.monitoring. Python's main thread, with the GIL, no exception set; leaves none.
// Null, or why it cannot be done: nothing is watched then.
const char* StartEvaluating(const Interpreter& interpreter, uint32_t version);

}  // namespace syncline::python
