// SPDX-License-Identifier: Apache-2.0
// The name of the range around each call that asks for gradients: recorded, and known again when
// the recording is read.
#pragma once

#include <string_view>

namespace syncline::torch {

inline constexpr std::string_view kBackwardRange = "autograd.backward";

}  // namespace syncline::torch
