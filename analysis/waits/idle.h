// SPDX-License-Identifier: Apache-2.0
// When devices computed nothing, and why.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/waits/waits.h"
#include "model/devices/gpu_records.h"

namespace syncline {

// Fills in GpuRecords::ops_by_device, for the ops as they stand now.
void OrderByDevice(GpuRecords* records);

// Gaps of at least threshold_ns in what each device computed, ordered by device, then time. There
// is one after the last operation, too. There is none
// - before the first operation;
// - that meets a time in which not everything was recorded;
// - around a wait for something that has no record.
// `records` as FindWaits left them, `waits` its result, `functions` that of FindHostFunctions.
//
// Each gap is split by what its time went by with: while the device copied, by the copies; before
// the next work was submitted, by what the submitting thread did; after that, by the work of
// another device for which its stream waited, by a function of the host in its stream, and by
// latency. What a thread waits for such a function is the function's, too.
std::vector<Gap> FindGaps(const GpuRecords& records, const WaitRules& rules,
                          const std::vector<Wait>& waits,
                          const std::vector<HostFunction>& functions, uint64_t threshold_ns);

// Fills in gpu_idle_after_ns, unless work that was not recorded may have run then. Any operation
// ends a device's idleness, copies too.
void MeasureIdleAfter(const GpuRecords& records, std::vector<Wait>* waits);

}  // namespace syncline
