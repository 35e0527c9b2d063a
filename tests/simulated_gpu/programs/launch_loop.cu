// SPDX-License-Identifier: Apache-2.0
// Steps of small kernels, `launch_loop SECONDS COMPUTE_US`: before each of them the host computes so long. Each step is a range `step`.
#include <algorithm>
#include <vector>

#include "measured_steps.h"

__global__ void Small(float* x) { x[threadIdx.x] += 1; }

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  constexpr int kLaunches = 60;
  const std::chrono::duration<double> length(argc > 1 ? std::atof(argv[1]) : 1);
  const int compute_us = argc > 2 ? std::atoi(argv[2]) : 0;
  const DeviceArray<float> x(1024);
  std::vector<double> steps_ms;
  const auto begin = Clock::now();
  while (Clock::now() - begin < length) {
    const auto step_begin = Clock::now();
    {
      const Range range("step");
      for (int i = 0; i < kLaunches; ++i) {
        Compute(compute_us);
        Small<<<1, 32>>>(x.get());
      }
      CUDA(cudaDeviceSynchronize());
    }
    steps_ms.push_back(std::chrono::duration<double, std::milli>(Clock::now() - step_begin).count());
  }
  std::sort(steps_ms.begin(), steps_ms.end());
  std::printf("steps: %zu median_ms: %.3f\n", steps_ms.size(), steps_ms[steps_ms.size() / 2]);
  return 0;
}
