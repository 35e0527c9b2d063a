// SPDX-License-Identifier: Apache-2.0
// Copies between two devices, blocking and not.
#include "check.h"

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
  DeviceArray<float> far(kSize);
  CUDA(cudaSetDevice(0));
  DeviceArray<float> near(kSize), again(kSize);
  CUDA(cudaDeviceEnablePeerAccess(1, 0));
  CUDA_FAILS(cudaErrorPeerAccessAlreadyEnabled, cudaDeviceEnablePeerAccess(1, 0));
  CUDA(cudaMemcpy(near.get(), up.data(), near.bytes(), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpyPeer(far.get(), 1, near.get(), 0, near.bytes()));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaMemcpyPeerAsync(again.get(), 0, far.get(), 1, near.bytes(), stream));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaMemcpy(down.data(), again.get(), again.bytes(), cudaMemcpyDeviceToHost));
  CHECK(down == up);
  CUDA(cudaStreamDestroy(stream));
  return 0;
}
