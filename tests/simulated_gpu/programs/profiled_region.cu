// SPDX-License-Identifier: Apache-2.0
// Says with cudaProfilerStart and cudaProfilerStop, twice, what is to be profiled. Work that was launched before is still under way when
// the first region begins, and the region waits for it; work of the region outlasts it.
#include <cuda_profiler_api.h>

#include "check.h"

__global__ void before(float* x) { x[threadIdx.x] += 1; }
__global__ void profiled(float* x) { x[threadIdx.x] *= 2; }
__global__ void between(float* x) { x[threadIdx.x] -= 1; }

int main() {
  DeviceArray<float> x(1024);
  before<<<1, 256>>>(x.get());
  for (int region = 0; region < 2; ++region) {
    CUDA(cudaProfilerStart());
    if (region == 0) CUDA(cudaDeviceSynchronize());
    for (int i = 0; i < 3; ++i) profiled<<<1, 256>>>(x.get());
    CUDA(cudaProfilerStop());
    for (int i = 0; i < 5; ++i) between<<<1, 256>>>(x.get());
    CUDA(cudaDeviceSynchronize());
  }
  return 0;
}
