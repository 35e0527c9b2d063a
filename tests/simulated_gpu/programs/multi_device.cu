// SPDX-License-Identifier: Apache-2.0
// Work on every device from one thread and from one thread each.
#include <thread>

#include "check.h"

__global__ void OnDevice(float* x) { x[threadIdx.x] += 1; }

static void Work(int device) {
  CUDA(cudaSetDevice(device));
  int current = -1;
  CUDA(cudaGetDevice(&current));
  CHECK(current == device);
  DeviceArray<float> x(4096);
  const std::vector<float> up = Counting(4096, static_cast<float>(device));
  std::vector<float> down(4096);
  for (int i = 0; i < 3; ++i) OnDevice<<<8, 128>>>(x.get());
  CUDA(cudaMemcpy(x.get(), up.data(), x.bytes(), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(down.data(), x.get(), x.bytes(), cudaMemcpyDeviceToHost));
  CHECK(down == up);
  CUDA(cudaDeviceSynchronize());
}

int main() {
  int devices = 0;
  CUDA(cudaGetDeviceCount(&devices));
  CHECK(devices >= 1);
  for (int device = 0; device < devices; ++device) Work(device);
  std::vector<std::thread> threads;
  for (int device = 0; device < devices; ++device) threads.emplace_back(Work, device);
  for (std::thread& thread : threads) thread.join();
  CUDA_FAILS(cudaErrorInvalidDevice, cudaSetDevice(devices));
  std::printf("devices=%d\n", devices);
  return 0;
}
