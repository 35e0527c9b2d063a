// SPDX-License-Identifier: Apache-2.0
// What every simulated device says of itself: an H100-like one, by public numbers.
#pragma once

#include <cstdint>

#include "tests/simulated_gpu/engine/model.h"

namespace simgpu {

inline const char* DeviceName() { return "Simulated H100-like GPU (no arithmetic)"; }

// By CUdevice_attribute, which are cudaDeviceAttr's numbers too. False where there is no such
// attribute.
bool DeviceAttribute(int attribute, const Device& device, int* value);
uint64_t DeviceMemoryBytes();

// How many blocks of `threads` threads and `shared` bytes fit on one multiprocessor.
int BlocksPerMultiprocessor(int threads, uint64_t shared);
// What each of that many blocks of a multiprocessor may have.
uint64_t SharedPerBlock(int blocks);

}  // namespace simgpu
