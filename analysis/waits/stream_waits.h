// SPDX-License-Identifier: Apache-2.0
// What streams wait for: the work that an event stands for.
#pragma once

#include <cstdint>
#include <unordered_map>

#include "analysis/waits/waits.h"
#include "model/devices/gpu_records.h"

namespace syncline {

// By the index of an operation that was the first in its stream after the stream was told to wait
// for an event (cudaStreamWaitEvent): the index of the operation of another device that ended last
// of what it then waited for. `records` as FindWaits left them.
std::unordered_map<uint32_t, uint32_t> AwaitedOfOtherDevices(const GpuRecords& records,
                                                             const WaitRules& rules);

}  // namespace syncline
