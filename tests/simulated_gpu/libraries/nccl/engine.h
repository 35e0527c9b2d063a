// SPDX-License-Identifier: Apache-2.0
// What the simulated NCCL asks of the engine: launches, ends of kernels, faults, the device.
#pragma once

#include <cstdint>
#include <memory>

#include "tests/simulated_gpu/engine/collective.h"
#include "tests/simulated_gpu/libraries/nccl/communicator.h"

namespace simgpu::nccl {

// One kernel on the stream, with the communicator's device current.
Result LaunchBatch(const std::shared_ptr<Communicator>& communicator, Batch batch, void* stream);
void FinishRun(uint64_t run, uint64_t start_ns, uint64_t end_ns, const CollectiveFacts& facts);

// The device that is current on this thread, or -1.
int CurrentDevice();

uint64_t NowNs();
uint64_t LateNs(int rank);  // SIMGPU_FAULT=nccl_late
bool IsDead(int rank);      // SIMGPU_FAULT=nccl_dead

}  // namespace simgpu::nccl
