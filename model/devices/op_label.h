// SPDX-License-Identifier: Apache-2.0
// An operation of a device without its times: equal for all launches of one kernel.
#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "inject/core/record.h"

namespace syncline {

struct OpLabel {
  std::string kernel;  // as recorded, mangled; empty: no kernel, or its name is lost
  DeviceOpType type = DeviceOpType::kKernel;
  MemoryKind from = MemoryKind::kUnknown;
  MemoryKind to = MemoryKind::kUnknown;
  uint32_t graph = 0;

  auto operator<=>(const OpLabel&) const = default;  // NOLINT(modernize-use-nullptr)
};

}  // namespace syncline
