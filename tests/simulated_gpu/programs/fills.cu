// SPDX-License-Identifier: Apache-2.0
// Kernels that fill a device well and badly: of few blocks, of blocks with much shared memory, of small blocks with little of it
// (32 at a time on a multiprocessor), and of enough of everything.
#include "check.h"

__global__ void few_blocks(float* x) { x[threadIdx.x] += 1; }
__global__ void large_tiles(float* x) { x[threadIdx.x] += 2; }
__global__ void small_blocks(float* x) { x[threadIdx.x] += 3; }
__global__ void filling(float* x) { x[threadIdx.x] += 4; }

int main() {
  DeviceArray<float> x(1 << 16);
  for (int step = 0; step < 20; ++step) {
    few_blocks<<<8, 256>>>(x.get());
    large_tiles<<<4096, 64, 40000>>>(x.get());
    small_blocks<<<4096, 8>>>(x.get());
    filling<<<4096, 256>>>(x.get());
  }
  CUDA(cudaGetLastError());
  CUDA(cudaDeviceSynchronize());
  return 0;
}
