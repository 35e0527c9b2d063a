// SPDX-License-Identifier: Apache-2.0
// When functions of the host ran in their streams, as far as what waited for them tells.
#pragma once

#include <vector>

#include "model/devices/gpu_records.h"
#include "model/findings/findings.h"
#include "model/findings/wait_rules.h"

namespace syncline {

// One for each function whose call is known, by correlation. `records` and `waits` as FindWaits
// left them. A function begins when its call was made and what it stands behind has ended. It ends
// when an operation behind it begins that was submitted before, or when the first wait for it is
// over. Of several functions in a row, one behind the other, the last one has all of the time.
// O(n).
std::vector<HostFunction> FindHostFunctions(const GpuRecords& records, const WaitRules& rules,
                                            const std::vector<Wait>& waits);

}  // namespace syncline
