// SPDX-License-Identifier: Apache-2.0
// A program that profiles itself through CUPTI for a while, as torch.profiler does: it never
// subscribes. Says how many kernels it was told of.
#include <cupti.h>

#include <cstdlib>

#include "check.h"

__global__ void Before(float* x) { x[threadIdx.x] += 1; }
__global__ void Profiled(float* x) { x[threadIdx.x] *= 2; }

static int kernels = 0;

#define CUPTI(call) CHECK((call) == CUPTI_SUCCESS)

static void CUPTIAPI Request(uint8_t** buffer, size_t* size, size_t* records) {
  *size = 1 << 20;
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(8, *size));
  *records = 0;
}

static void CUPTIAPI Complete(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t valid) {
  CUpti_Activity* record = nullptr;
  while (cuptiActivityGetNextRecord(buffer, valid, &record) == CUPTI_SUCCESS) {
    kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  }
  std::free(buffer);
}

int main() {
  DeviceArray<float> x(256);
  for (int i = 0; i < 3; ++i) Before<<<1, 256>>>(x.get());
  CUDA(cudaDeviceSynchronize());
  CUPTI(cuptiActivityRegisterCallbacks(Request, Complete));
  CUPTI(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  for (int i = 0; i < 5; ++i) Profiled<<<1, 256>>>(x.get());
  CUDA(cudaDeviceSynchronize());
  CUPTI(cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL));
  CUPTI(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED));
  std::printf("kernels=%d\n", kernels);
  return 0;
}
