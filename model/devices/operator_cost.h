// SPDX-License-Identifier: Apache-2.0
// What one call of a framework's operator computes, as far as its inputs tell.
#pragma once

#include <cstdint>
#include <optional>

#include "model/devices/number_format.h"

namespace syncline {

struct OperatorCost {
  uint64_t flops = 0;  // operations on floating point numbers; UINT64_MAX: as many or more
  // Inputs read once and outputs written once; nothing: not known.
  std::optional<uint64_t> bytes{};
  NumberFormat format = NumberFormat::kOther;
};

}  // namespace syncline
