// SPDX-License-Identifier: Apache-2.0
// Allocation in a loop: cudaMalloc and cudaFree, which wait, and cudaMallocAsync, which does not; pools and refusals.
#include "check.h"

__global__ void Busy(float* x) { x[threadIdx.x] += 1; }

int main() {
  float* kept = nullptr;
  CUDA(cudaMalloc(&kept, 4096));
  size_t free_before = 0, free_after = 0, total = 0;
  CUDA(cudaMemGetInfo(&free_before, &total));
  for (int i = 0; i < 20; ++i) {
    float* memory = nullptr;
    CUDA(cudaMalloc(&memory, 1 << 20));
    Busy<<<1, 32>>>(memory);
    CUDA(cudaFree(memory));
  }
  CUDA(cudaMemGetInfo(&free_after, &total));
  CHECK(free_before == free_after);
  // The context takes some of the memory too; what is said to be free can be had.
  CHECK(total - free_after > 100 << 20);
  void* rest = nullptr;
  CUDA_FAILS(cudaErrorMemoryAllocation, cudaMalloc(&rest, free_after + 4096));
  CUDA(cudaMalloc(&rest, free_after));
  CUDA(cudaFree(rest));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  for (int i = 0; i < 20; ++i) {
    float* memory = nullptr;
    CUDA(cudaMallocAsync(&memory, 1 << 20, stream));
    Busy<<<1, 32, 0, stream>>>(memory);
    CUDA(cudaFreeAsync(memory, stream));
  }
  cudaMemPool_t pool;
  CUDA(cudaDeviceGetDefaultMemPool(&pool, 0));
  unsigned long long reserved = 0;
  CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  CHECK(reserved == 1 << 20);  // one block, used again and again
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved));
  CHECK(reserved == 0);  // the release threshold is 0
  void* memory = nullptr;
  CUDA_FAILS(cudaErrorMemoryAllocation, cudaMalloc(&memory, 1ull << 45));
  CHECK(memory == nullptr);
  CUDA(cudaMalloc(&memory, 0));
  CHECK(memory == nullptr);
  CUDA(cudaFree(nullptr));
  CUDA_FAILS(cudaErrorInvalidValue, cudaFree(&memory));
  // Much of the device's memory, of which the host has nothing to give.
  CUDA(cudaMalloc(&memory, 60ull << 30));
  CUDA(cudaMemset(memory, 0, 60ull << 30));
  CUDA(cudaFree(memory));
  CUDA(cudaFree(kept));
  CUDA(cudaStreamDestroy(stream));
  return 0;
}
