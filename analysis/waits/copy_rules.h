// SPDX-License-Identifier: Apache-2.0
// What a copy or set makes the host wait for, by its source's rows.
#pragma once

#include <span>

#include "model/devices/gpu_records.h"
#include "model/findings/wait_rules.h"

namespace syncline {

struct CopyRule {
  CopyWait wait = CopyWait::kNothing;
  WaitClass wait_class = WaitClass::kSyncCopy;
};

CopyRule RuleOfCopy(const GpuOp& copy, std::span<const CopyRow> rows);
CopyRule RuleOfSet(const GpuOp& set, std::span<const CopyRow> rows);

}  // namespace syncline
