// SPDX-License-Identifier: Apache-2.0
// Meets one fault of SIMGPU_FAULT, named by the first argument, and says what it saw.
#include <cstring>

#include "check.h"

__global__ void Busy(float* x) { x[threadIdx.x] += 1; }

static int Say(const char* what, cudaError_t error) {
  std::printf("%s=%d\n", what, static_cast<int>(error));
  std::fflush(stdout);
  return 0;
}

int main(int argc, char** argv) {
  const char* what = argc > 1 ? argv[1] : "";
  int devices = -1;
  if (std::strcmp(what, "count") == 0) return Say("count", cudaGetDeviceCount(&devices));
  float* x = nullptr;
  const cudaError_t allocated = cudaMalloc(&x, 1 << 20);
  Say("malloc", allocated);
  if (allocated != cudaSuccess) return 0;
  Busy<<<1, 32>>>(x);
  Say("launch", cudaGetLastError());
  if (std::strcmp(what, "event") == 0) {
    cudaEvent_t event;
    CUDA(cudaEventCreate(&event));
    CUDA(cudaEventRecord(event));
    Say("stream", cudaStreamSynchronize(nullptr));
    Say("query", cudaEventQuery(event));
    Say("event", cudaEventSynchronize(event));
    return 0;
  }
  Say("synchronize", cudaDeviceSynchronize());
  Say("after", cudaMemset(x, 0, 64));
  Say("reset", cudaDeviceReset());
  Say("again", cudaMalloc(&x, 64));
  return 0;
}
