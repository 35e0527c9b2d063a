// SPDX-License-Identifier: Apache-2.0
// Compiled with --default-stream per-thread: each thread's default stream is its own, and they overlap.
#include <thread>

#include "check.h"

__global__ void InThread(float* x) { x[threadIdx.x] += 1; }

static void Work() {
  DeviceArray<float> x(4096);
  const std::vector<float> up = Counting(4096);
  std::vector<float> down(4096);
  for (int i = 0; i < 3; ++i) InThread<<<4, 128>>>(x.get());
  CUDA(cudaMemcpy(x.get(), up.data(), x.bytes(), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpyAsync(down.data(), x.get(), x.bytes(), cudaMemcpyDeviceToHost, nullptr));
  CUDA(cudaStreamSynchronize(nullptr));
  CHECK(down == up);
}

int main() {
  std::thread a(Work), b(Work);
  a.join();
  b.join();
  CUDA(cudaDeviceSynchronize());
  return 0;
}
