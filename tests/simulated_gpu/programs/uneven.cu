// SPDX-License-Identifier: Apache-2.0
// Steps on two devices at a time, of which the second one computes so many times as much as the first: uneven TIMES. A second
// word lets them compute one after the other.
#include "check.h"

#include <cstdlib>

__global__ void Share(float* x) { x[threadIdx.x] += 1; }

static void Launch(int device, int times, float* x) {
  CUDA(cudaSetDevice(device));
  for (int i = 0; i < times; ++i) Share<<<8, 128>>>(x);
}

int main(int argc, char** argv) {
  const int times = argc > 1 ? std::atoi(argv[1]) : 3;
  const bool in_turn = argc > 2;
  CUDA(cudaSetDevice(0));
  DeviceArray<float> first(4096);
  CUDA(cudaSetDevice(1));
  DeviceArray<float> second(4096);
  for (int step = 0; step < 20; ++step) {
    Launch(0, 1, first.get());
    if (in_turn) CUDA(cudaDeviceSynchronize());
    Launch(1, times, second.get());
    for (int device = 0; device < 2; ++device) {
      CUDA(cudaSetDevice(device));
      CUDA(cudaDeviceSynchronize());
    }
  }
  std::printf("times=%d\n", times);
  return 0;
}
