// SPDX-License-Identifier: Apache-2.0
// How many kernels a second one thread can launch, in launches that never wait for a full queue.
#include <ctime>

#include "check.h"

__global__ void Tiny(float* x) { x[threadIdx.x] += 1; }

static double Seconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 200, launches = 500;
  DeviceArray<float> x(1024);
  Tiny<<<1, 32>>>(x.get());
  CUDA(cudaDeviceSynchronize());
  double seconds = 0;
  for (int round = 0; round < rounds; ++round) {
    const double start = Seconds();
    for (int i = 0; i < launches; ++i) Tiny<<<1, 32>>>(x.get());
    seconds += Seconds() - start;
    CUDA(cudaDeviceSynchronize());
  }
  std::printf("launches_per_cpu_second=%.0f\n", rounds * launches / seconds);
  return 0;
}
