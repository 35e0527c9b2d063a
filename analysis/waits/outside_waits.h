// SPDX-License-Identifier: Apache-2.0
// Waits that are a whole call: for another process, for a file.
#pragma once

#include <vector>

#include "model/devices/call_records.h"
#include "model/findings/findings.h"
#include "model/findings/wait_rules.h"

namespace syncline {

// What such a call waited for is not of its process: no record tells more than its class.
Wait WholeCall(const SourceCall& call, WaitClass wait_class);

// Of a source without devices: the outermost calls that wait for something outside, by begin.
std::vector<Wait> FindOutsideWaits(const CallRecords& records, const WaitRules& rules);

}  // namespace syncline
