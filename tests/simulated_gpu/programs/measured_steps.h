// SPDX-License-Identifier: Apache-2.0
// Steps whose time is measured: each is an NVTX range `step`. The time is from behind a warm-up to
// behind a last wait for the device.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <chrono>

#include "check.h"

constexpr int kSteps = 30, kWarmUp = 3;

class Range {
 public:
  explicit Range(const char* name) { nvtxRangePushA(name); }
  ~Range() { nvtxRangePop(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

// What the host has to compute itself.
inline void Compute(int us) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(us);
  while (std::chrono::steady_clock::now() < end) {
  }
}

// `run(count, name)` does that many steps, each in a range of that name.
template <class Run>
void Measure(Run run) {
  run(kWarmUp, "warm-up");
  CUDA(cudaDeviceSynchronize());
  const auto begin = std::chrono::steady_clock::now();
  run(kSteps, "step");
  CUDA(cudaDeviceSynchronize());
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
  std::printf("steps: %d total_ms: %.3f\n", kSteps, took.count());
}

template <class Step>
void Steps(Step step) {
  Measure([&](int count, const char* name) {
    for (int i = 0; i < count; ++i) {
      const Range range(name);
      step(i);
    }
  });
}
