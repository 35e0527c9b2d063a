// SPDX-License-Identifier: Apache-2.0
// Regions that end before the work that was launched in them, or before them; then the end of stdin is waited for, and the work.
#include <unistd.h>

#include "check.h"
#include "collectors/program/syncline.h"

__global__ void Short(float* x) { x[threadIdx.x] += 1; }
__global__ void Long(float* x) { x[threadIdx.x] += 2; }

int main() {
  float* memory = nullptr;
  CUDA(cudaMalloc(&memory, 4096));
  syncline_region region = syncline_region_begin("soon");
  Short<<<1, 32>>>(memory);
  usleep(50000);
  syncline_region_end(region);
  CUDA(cudaDeviceSynchronize());
  usleep(500000);  // CUPTI keeps a buffer in which something is unfinished
  Short<<<1, 32>>>(memory);  // in no region
  region = syncline_region_begin("beside");
  usleep(50000);
  syncline_region_end(region);
  CUDA(cudaDeviceSynchronize());
  usleep(500000);
  region = syncline_region_begin("late");
  Long<<<1, 32>>>(memory);
  usleep(50000);
  syncline_region_end(region);
  char byte;
  while (read(0, &byte, 1) == 1) {
  }
  CUDA(cudaDeviceSynchronize());
  return 0;
}
