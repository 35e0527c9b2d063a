// SPDX-License-Identifier: Apache-2.0
// The words of --torch, in its order: a bit each.
#pragma once

#include <cstdint>

namespace syncline::torch {

// Of those that are given, `kOff` counts alone.
enum Word : int64_t { kRanges = 1, kOps = 2, kShapes = 4, kModules = 8, kLines = 16, kOff = 32 };

}  // namespace syncline::torch
