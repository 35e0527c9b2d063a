// SPDX-License-Identifier: Apache-2.0
// What the thread's processor does while it waits for a kernel: `schedules auto|spin|yield|blocking|event`, where `event` is an event
// with cudaEventBlockingSync. Prints the least and the most processor time of a wait.
#include <algorithm>
#include <cstring>
#include <ctime>

#include "check.h"

__global__ void Busy(float* x) { x[threadIdx.x] += 1; }

static double CpuUs() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

int main(int argc, char** argv) {
  const char* schedule = argc > 1 ? argv[1] : "auto";
  const auto is = [&](const char* name) { return std::strcmp(schedule, name) == 0; };
  const unsigned flags = is("spin")       ? cudaDeviceScheduleSpin
                         : is("yield")    ? cudaDeviceScheduleYield
                         : is("blocking") ? cudaDeviceScheduleBlockingSync
                                          : cudaDeviceScheduleAuto;
  CUDA(cudaSetDeviceFlags(flags));
  CUDA_FAILS(cudaErrorInvalidValue, cudaSetDeviceFlags(cudaDeviceScheduleSpin | cudaDeviceScheduleYield));
  unsigned found = 0;
  CUDA(cudaGetDeviceFlags(&found));
  CHECK((found & cudaDeviceScheduleMask) == flags);
  DeviceArray<float> x(1024);
  cudaEvent_t event;
  CUDA(cudaEventCreateWithFlags(&event, is("event") ? cudaEventBlockingSync : cudaEventDefault));
  double least = 1e9, most = 0;
  for (int i = 0; i < 60; ++i) {
    Busy<<<1, 32>>>(x.get());
    CUDA(cudaEventRecord(event));
    const double before = CpuUs();
    if (is("event")) {
      CUDA(cudaEventSynchronize(event));
    } else {
      CUDA(cudaDeviceSynchronize());
    }
    const double took = CpuUs() - before;
    if (i == 0) continue;
    least = std::min(least, took);
    most = std::max(most, took);
  }
  std::printf("least_us=%.1f most_us=%.1f\n", least, most);
  return 0;
}
