// SPDX-License-Identifier: Apache-2.0
// When devices computed nothing, and why.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/waits.h"
#include "model/gpu_records.h"

namespace syncline {

// Fills in GpuRecords::ops_by_device, for the ops as they stand now.
void OrderByDevice(GpuRecords* records);

// Gaps of at least threshold_ns, between what the devices computed and after the last of it; none
// before the first, none that meets a time of which not everything was recorded, and none around a
// wait for something of which no record came. By device, then time. `records` as FindWaits left
// them, `waits` its result.
//
// Had the host not waited for W ns, the next operation would have come W earlier: a gap of at most
// 2 W is the wait's, a longer one is the fault of what the host did besides.
std::vector<Gap> FindGaps(const GpuRecords& records, const WaitRules& rules,
                          const std::vector<Wait>& waits, uint64_t threshold_ns);

// Fills in gpu_idle_after_ns, unless work of a time that was not recorded may have run then. Any
// operation ends a device's idleness, copies too.
void MeasureIdleAfter(const GpuRecords& records, std::vector<Wait>* waits);

}  // namespace syncline
