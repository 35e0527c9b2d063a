// SPDX-License-Identifier: Apache-2.0
// What PyTorch runs as ranges of two domains: operators, and what programs name.
#pragma once

#include "collectors/torch/record_function.h"

namespace syncline::torch {

inline constexpr char kOperatorsDomain[] = "aten";
inline constexpr char kNamedDomain[] = "torch";

extern const Listener kOperatorRanges;
extern const Listener kNamedRanges;

}  // namespace syncline::torch
