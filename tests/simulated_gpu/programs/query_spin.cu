// SPDX-License-Identifier: Apache-2.0
// Waits by asking again and again, and says how often it asked. Alone: of an event, then of a
// stream; and one lone question, which is no wait. `ranges`: within ranges that begin between two
// questions. `threads`, `killed`: four threads that ask are not done when the process ends.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <nvtx3/nvToolsExt.h>
#include <string_view>
#include <thread>
#include <unistd.h>

#include "check.h"

__global__ void Busy(float* x) { x[threadIdx.x] += 1; }

static long Alone(float* x) {
  cudaEvent_t event;
  CUDA(cudaEventCreate(&event));
  Busy<<<1, 32>>>(x);
  CUDA(cudaEventRecord(event));
  long asked = 3;  // those that are answered, and the lone one
  while (cudaEventQuery(event) == cudaErrorNotReady) ++asked;
  Busy<<<1, 32>>>(x);
  while (cudaStreamQuery(nullptr) == cudaErrorNotReady) ++asked;
  Busy<<<1, 32>>>(x);
  cudaStreamQuery(nullptr);
  CUDA(cudaDeviceSynchronize());
  CHECK(cudaGetLastError() == cudaSuccess);  // "not ready" is no error to remember
  return asked;
}

static long InRanges(float* x) {
  Busy<<<1, 32>>>(x);
  long asked = 0;
  for (bool done = false; !done;) {
    done = cudaStreamQuery(nullptr) == cudaSuccess;
    nvtxRangePushA("inner");
    for (int i = 0; i < 3; ++i) done = cudaStreamQuery(nullptr) == cudaSuccess;
    nvtxRangePop();
    asked += 4;
  }
  return asked;
}

static long OfThreads(float* x) {
  constexpr int kThreads = 4, kQueries = 1000;
  Busy<<<1, 32>>>(x);
  static std::atomic<int> asked;
  for (int i = 0; i < kThreads; ++i) {
    std::thread([] {
      for (int k = 0; k < kQueries; ++k) cudaStreamQuery(nullptr);
      ++asked;
      for (;;) pause();
    }).detach();
  }
  while (asked < kThreads) usleep(1000);
  return kThreads * kQueries;
}

int main(int count, char** arguments) {
  const std::string_view what = count > 1 ? arguments[1] : "";
  float* x;
  CUDA(cudaMalloc(&x, 1024 * sizeof(float)));
  std::printf("%ld\n", what == "" ? Alone(x) : what == "ranges" ? InRanges(x) : OfThreads(x));
  std::fflush(stdout);
  if (what == "killed") raise(SIGKILL);
  if (what == "threads") std::quick_exit(0);
  CUDA(cudaFree(x));
  return 0;
}
