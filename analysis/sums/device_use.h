// SPDX-License-Identifier: Apache-2.0
// How long each device of a source was busy, and with what.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analysis/sums/work_spans.h"
#include "model/devices/device_clocks.h"
#include "model/devices/device_survey.h"
#include "model/devices/gpu_records.h"
#include "model/devices/op_label.h"
#include "model/findings/run_findings.h"
#include "model/run/time_limits.h"

namespace syncline {

// Whether a kernel moves data between ranks: those of NCCL, by their names.
bool Communicates(const OpLabel& label);

// Of memory to memory, on one device or between two.
bool IsCopy(const GpuOp& op);

// By device. `records.ops_by_device` is filled in; `labels` by GpuOp::kernel. What is outside of
// `limits` is damaged. `closed`: joined times in which nothing was recorded. `spans`, if it is not
// null, gets when each device did what, at most `most_spans` of each kind.
std::vector<DeviceUse> MeasureDeviceUse(const GpuRecords& records,
                                        const std::vector<OpLabel>& labels,
                                        const TimeLimits& limits = {},
                                        const std::vector<CoverageGap>& closed = {},
                                        std::map<uint32_t, WorkSpans>* spans = nullptr,
                                        size_t most_spans = 0);

// Fills in the peaks of memory that the program took from its devices with its source's own calls.
// `clocks` places the moments.
void MeasureMemory(const DeviceSurvey& survey, const DeviceClocks& clocks,
                   std::vector<DeviceUse>* devices);

}  // namespace syncline
