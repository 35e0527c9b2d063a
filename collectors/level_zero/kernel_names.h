// SPDX-License-Identifier: Apache-2.0
// Names of kernels, each kept once.
#pragma once

#include "collectors/level_zero/operations.h"

namespace syncline::level_zero {

// A copy that lives as long as the process. Without text: null, or no room (counted).
KernelName KeepKernelName(const char* name);

}  // namespace syncline::level_zero
