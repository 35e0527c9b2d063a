// SPDX-License-Identifier: Apache-2.0
// Copies between two devices, blocking and not; how often they make the runtime use a context.
#include <cuda.h>

#include "entry.h"

#define ENTRY(name) DriverEntry<decltype(&name)>(#name)

// The runtime uses the device's primary context once, however many calls needed it: one release gives it up.
static void UsedOnce(int device) {
  const auto retain = ENTRY(cuDevicePrimaryCtxRetain);
  const auto release = ENTRY(cuDevicePrimaryCtxRelease);
  CUcontext context;
  CHECK(retain(&context, device) == CUDA_SUCCESS);
  CHECK(release(device) == CUDA_SUCCESS);
  void* memory = nullptr;
  CUDA(cudaSetDevice(device));
  CUDA(cudaMalloc(&memory, 4096));  // the program's own use has not taken the runtime's away
  CHECK(release(device) == CUDA_SUCCESS);
  CHECK(release(device) == CUDA_ERROR_INVALID_CONTEXT);
}

int main() {
  int devices = 0;
  CUDA(cudaGetDeviceCount(&devices));
  if (devices < 2) {
    std::puts("skipped: one device");
    return 0;
  }
  int can_access = 0;
  CUDA(cudaDeviceCanAccessPeer(&can_access, 0, 1));
  CHECK(can_access == 1);
  constexpr size_t kSize = 1 << 18;
  const std::vector<float> up = Counting(kSize);
  std::vector<float> down(kSize);
  CUDA(cudaSetDevice(1));
  float* far = nullptr;
  CUDA(cudaMalloc(&far, kSize * sizeof(float)));
  CUDA(cudaSetDevice(0));
  DeviceArray<float> near(kSize), again(kSize);
  CUDA(cudaDeviceEnablePeerAccess(1, 0));
  CUDA_FAILS(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
  CUDA(cudaMemcpy(near.get(), up.data(), near.bytes(), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpyPeer(far, 1, near.get(), 0, near.bytes()));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaMemcpyPeerAsync(again.get(), 0, far, 1, near.bytes(), stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaMemcpy(down.data(), again.get(), again.bytes(), cudaMemcpyDeviceToHost));
  CHECK(down == up);
  CUDA(cudaStreamDestroy(stream));
  UsedOnce(1);
  return 0;
}
