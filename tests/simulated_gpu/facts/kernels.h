// SPDX-License-Identifier: Apache-2.0
// The kernels of the facts program. Their names set how long they take on the simulation
// (facts/durations.txt).
#pragma once

#include <cuda_runtime_api.h>

namespace facts {

// Each launches with <<<>>>, as nvcc's programs do.
void LaunchBusy(cudaStream_t stream);                  // 20 ms
void LaunchLong(cudaStream_t stream);                  // 300 ms
void LaunchTiny(cudaStream_t stream);                  // microseconds
void LaunchBadConfiguration();                         // 4096 threads a block: refused
void LaunchNeverUsed(int which, cudaStream_t stream);  // kernels that no one else launches, 0 to 3

extern const unsigned kBusyMs;

// The addresses of a __device__ variable of 1 KiB, for the symbol copies.
const void* Symbol();

}  // namespace facts
