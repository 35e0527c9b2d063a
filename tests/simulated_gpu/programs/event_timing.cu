// SPDX-License-Identifier: Apache-2.0
// Times a kernel with events. The kernel's name asks for a duration; the time between the events is at least that.
#include "check.h"

__global__ void Timed(float* x) { x[threadIdx.x] += 1; }

int main() {
  DeviceArray<float> x(1024);
  cudaEvent_t start, stop, untimed;
  CUDA(cudaEventCreate(&start));
  CUDA(cudaEventCreate(&stop));
  CUDA(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
  float ms = -1;
  CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, stop));
  CUDA(cudaEventQuery(start));  // never recorded: complete
  CUDA(cudaEventRecord(start));
  Timed<<<1, 128>>>(x.get());
  CUDA(cudaEventRecord(stop));
  CUDA(cudaEventRecord(untimed));
  CUDA(cudaEventSynchronize(stop));
  CUDA(cudaEventElapsedTime(&ms, start, stop));
  CHECK(ms > 0);
  CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaEventElapsedTime(&ms, start, untimed));
  std::printf("elapsed_ms=%.6f\n", ms);
  return 0;
}
