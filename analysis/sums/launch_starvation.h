// SPDX-License-Identifier: Apache-2.0
// How a source's devices were fed: how long calls took to get work to them, and which kernels came
// too late.
#pragma once

#include <vector>

#include "model/devices/gpu_records.h"
#include "model/findings/run_findings.h"
#include "model/run/time_limits.h"

namespace syncline {

// Fills in launch_delay and queued_ns. `records` as FindWaits left them.
void MeasureLaunches(const GpuRecords& records, const TimeLimits& limits,
                     std::vector<DeviceUse>* devices);

// By GpuOp::kernel: kernels and graphs before which their device was idle, and whose call began
// only then. Neither the first of a device, nor one before which something may have run without a
// record.
std::vector<StarvedSums> FindStarved(const GpuRecords& records, const TimeLimits& limits);

}  // namespace syncline
