// SPDX-License-Identifier: Apache-2.0
// Two streams that overlap, one that waits for an event of another, a host function, priorities and a callback.
#include <atomic>

#include "check.h"

__global__ void BusyA(float* x) { x[threadIdx.x] += 1; }
__global__ void BusyB(float* x) { x[threadIdx.x] += 2; }
__global__ void AfterBoth(float* x) { x[threadIdx.x] += 3; }

static std::atomic<int> calls{0};
static void CountCall(void*) { ++calls; }
static void CountCallback(cudaStream_t, cudaError_t status, void*) {
  if (status == cudaSuccess) calls += 10;
}

int main() {
  DeviceArray<float> x(1024), y(1024);
  int least, greatest;
  CUDA(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  CHECK(greatest < least);
  cudaStream_t a, b;
  CUDA(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CUDA(cudaStreamCreateWithPriority(&b, cudaStreamNonBlocking, greatest));
  int priority = 0;
  CUDA(cudaStreamGetPriority(b, &priority));
  CHECK(priority == greatest);
  cudaStreamAttrValue value = {};
  CUDA(cudaStreamGetAttribute(b, cudaStreamAttributePriority, &value));
  CHECK(value.priority == greatest);
  value = {};
  value.accessPolicyWindow.num_bytes = x.bytes();
  CUDA(cudaStreamSetAttribute(a, cudaStreamAttributeAccessPolicyWindow, &value));
  CUDA(cudaCtxResetPersistingL2Cache());
  for (int i = 0; i < 5; ++i) {
    BusyA<<<4, 128, 0, a>>>(x.get());
    BusyB<<<4, 128, 0, b>>>(y.get());
  }
  cudaEvent_t done;
  CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  CUDA(cudaEventRecord(done, b));
  CUDA(cudaStreamWaitEvent(a, done, 0));
  AfterBoth<<<1, 128, 0, a>>>(x.get());
  CUDA(cudaLaunchHostFunc(a, CountCall, nullptr));
  CUDA(cudaStreamAddCallback(a, CountCallback, nullptr, 0));
  AfterBoth<<<1, 128, 0, a>>>(x.get());
  CUDA(cudaStreamSynchronize(a));
  CHECK(calls == 11);
  CUDA(cudaEventSynchronize(done));
  CUDA(cudaStreamSynchronize(b));
  CUDA(cudaEventDestroy(done));
  CUDA(cudaStreamDestroy(a));
  CUDA(cudaStreamDestroy(b));
  return 0;
}
