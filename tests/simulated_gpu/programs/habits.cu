// SPDX-License-Identifier: Apache-2.0
// Loops that lose time in one way at several places, which comments name: `first: CASE` to `last:
// CASE`, or `place: CASE` that is called at `caller: CASE`.
//
// habits CASE
#include <cstdio>
#include <cstring>
#include <ctime>

#include "check.h"

namespace {

constexpr int kSteps = 40;

__global__ void Long(float*) {}
__global__ void Short(float*) {}
__global__ void Next(float*) {}

// The host has something to do, which the device could do its work beside.
void HostWork(long us) {
  timespec begin{}, now{};
  clock_gettime(CLOCK_MONOTONIC, &begin);
  do {
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - begin.tv_sec) * 1000000 + (now.tv_nsec - begin.tv_nsec) / 1000 < us);
}

struct Device {
  cudaStream_t stream = nullptr;
  float* values = nullptr;
  float value = 0;

  Device() {
    CUDA(cudaStreamCreate(&stream));
    CUDA(cudaMalloc(&values, 4096));
  }
  __attribute__((noinline)) float Read() {
    const auto kind = cudaMemcpyDeviceToHost;
    CUDA(cudaMemcpyAsync(&value, values, sizeof(value), kind, stream));  // place: wrapper
    return value;
  }
};

void Checks(Device* device) {
  for (int step = 0; step < kSteps; ++step) {
    Short<<<1, 32>>>(device->values);
    CUDA(cudaDeviceSynchronize());  // first: checks
    HostWork(200);
    Short<<<1, 32>>>(device->values);
    CUDA(cudaDeviceSynchronize());
    HostWork(200);
    Short<<<1, 32>>>(device->values);
    CUDA(cudaDeviceSynchronize());
    HostWork(200);
    Short<<<1, 32>>>(device->values);
    CUDA(cudaDeviceSynchronize());  // last: checks
    HostWork(200);
  }
}

__attribute__((noinline)) float Residual(Device* device) {
  Long<<<1, 32, 0, device->stream>>>(device->values);
  return device->Read();  // caller: wrapper
}

__attribute__((noinline)) float TimeStep(Device* device) { return device->Read(); }

void Wrapper(Device* device) {
  float sum = 0;
  for (int step = 0; step < kSteps; ++step) {
    sum += TimeStep(device);
    sum += Residual(device);
    HostWork(300);
  }
  CUDA(cudaStreamSynchronize(device->stream));
  CHECK(sum == sum);
}

void TwoDevices() {
  float* values[2] = {};
  cudaStream_t streams[2] = {};
  cudaEvent_t event = nullptr;
  for (int i = 0; i < 2; ++i) {
    CUDA(cudaSetDevice(i));
    CUDA(cudaMalloc(&values[i], 4096));
    CUDA(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    if (i == 0) CUDA(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
  }
  for (int step = 0; step < kSteps; ++step) {
    CUDA(cudaSetDevice(0));
    Long<<<1, 32, 0, streams[0]>>>(values[0]);
    CUDA(cudaEventRecord(event, streams[0]));
    CUDA(cudaSetDevice(1));
    CUDA(cudaStreamWaitEvent(streams[1], event, 0));
    Next<<<1, 32, 0, streams[1]>>>(values[1]);
  }
  CUDA(cudaDeviceSynchronize());
}

}  // namespace

int main(int argc, char** argv) {
  const char* const which = argc > 1 ? argv[1] : "";
  Device device;
  if (std::strcmp(which, "checks") == 0) Checks(&device);
  if (std::strcmp(which, "wrapper") == 0) Wrapper(&device);
  if (std::strcmp(which, "two_gpus") == 0) TwoDevices();
  CUDA(cudaDeviceSynchronize());
  std::printf("%s: done\n", which);
  return 0;
}
