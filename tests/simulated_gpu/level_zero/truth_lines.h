// SPDX-License-Identifier: Apache-2.0
// The truth file's lines of Level Zero operations and memory.
#pragma once

#include "tests/simulated_gpu/level_zero/timeline.h"

namespace simgpu::level_zero {

inline constexpr const char* kDeviceName = "Simulated Data Center GPU Max (no arithmetic)";

void WriteOperation(const Operation& operation);  // with its times
void WriteSubmitted(const Operation& operation);  // before they are known

}  // namespace simgpu::level_zero
