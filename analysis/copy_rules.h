// SPDX-License-Identifier: Apache-2.0
// What a copy or memset makes the host wait for: the tables C, A and M of docs/waits.md.
#pragma once

#include <cstdint>

#include "analysis/waits.h"
#include "model/gpu_records.h"

namespace syncline {

enum class CopyWait : uint8_t {
  kNothing,
  kTail,     // what stood in the copy's stream before it
  kItself,   // its own end
  kMeasure,  // the memory's kind is not known
};

struct CopyRule {
  CopyWait wait = CopyWait::kNothing;
  WaitClass wait_class = WaitClass::kSyncCopy;
};

// `async`: the call was of the Async form.
CopyRule RuleOfCopy(const GpuOp& copy, bool async);
CopyRule RuleOfSet(const GpuOp& set);  // of the synchronous form

}  // namespace syncline
