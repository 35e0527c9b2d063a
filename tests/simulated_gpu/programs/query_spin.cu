// SPDX-License-Identifier: Apache-2.0
// Waits by asking again and again: an event, then a stream; and one lone question, which is no wait.
// Says how often the program asked.
#include <cstdio>

#include "check.h"

__global__ void Busy(float* x) { x[threadIdx.x] += 1; }

int main() {
  DeviceArray<float> x(1024);
  cudaEvent_t event;
  CUDA(cudaEventCreate(&event));
  Busy<<<1, 32>>>(x.get());
  CUDA(cudaEventRecord(event));
  long asked = 3;  // those that are answered, and the lone one
  while (cudaEventQuery(event) == cudaErrorNotReady) ++asked;
  Busy<<<1, 32>>>(x.get());
  while (cudaStreamQuery(nullptr) == cudaErrorNotReady) ++asked;
  Busy<<<1, 32>>>(x.get());
  cudaStreamQuery(nullptr);
  CUDA(cudaDeviceSynchronize());
  CHECK(cudaGetLastError() == cudaSuccess);  // "not ready" is no error to remember
  std::printf("%ld\n", asked);
  return 0;
}
