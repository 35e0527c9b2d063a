// SPDX-License-Identifier: Apache-2.0
// The legacy default stream: it waits for, and holds up, blocking streams; a non-blocking stream passes by.
#include "check.h"

__global__ void InA(float* x) { x[threadIdx.x] += 1; }
__global__ void InLegacy(float* x) { x[threadIdx.x] += 1; }
__global__ void InB(float* x) { x[threadIdx.x] += 1; }
__global__ void InFree(float* x) { x[threadIdx.x] += 1; }
__global__ void Load(float* x) { x[threadIdx.x] += 1; }

int main() {
  DeviceArray<float> x(1024);
  cudaStream_t a, b, free;
  CUDA(cudaStreamCreate(&a));
  CUDA(cudaStreamCreate(&b));
  CUDA(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking));
  // First launches load the kernels, which waits for the device: not what is looked at here.
  InA<<<1, 32, 0, a>>>(x.get());
  InLegacy<<<1, 32>>>(x.get());
  InB<<<1, 32, 0, b>>>(x.get());
  InFree<<<1, 32, 0, free>>>(x.get());
  CUDA(cudaDeviceSynchronize());
  InA<<<1, 32, 0, a>>>(x.get());
  InLegacy<<<1, 32>>>(x.get());
  InB<<<1, 32, 0, b>>>(x.get());
  InFree<<<1, 32, 0, free>>>(x.get());
  CUDA(cudaStreamSynchronize(cudaStreamLegacy));
  CUDA(cudaDeviceSynchronize());
  return 0;
}
