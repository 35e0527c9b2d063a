// SPDX-License-Identifier: Apache-2.0
// Vector addition: copies to the device, one kernel, a copy back. What was copied up comes down again unchanged.
#include "check.h"

__global__ void VectorAdd(const float* a, const float* b, float* sum, int size) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < size) sum[i] = a[i] + b[i];
}

__constant__ float scale[16];
__device__ int counter;

// What is left for dynamic shared memory is what as many blocks can really have.
static void Occupancy() {
  size_t shared = 0;
  int blocks = 0;
  CUDA(cudaOccupancyAvailableDynamicSMemPerBlock(&shared, VectorAdd, 4, 256));
  CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, VectorAdd, 256, shared));
  CHECK(blocks == 4);
  CUDA_FAILS(cudaErrorInvalidValue, cudaOccupancyAvailableDynamicSMemPerBlock(&shared, VectorAdd, 4, 1024));
}

int main() {
  constexpr int kSize = 1 << 20;
  const std::vector<float> a = Counting(kSize), b = Counting(kSize, 5);
  DeviceArray<float> device_a(kSize), device_b(kSize), sum(kSize);
  CUDA(cudaMemcpy(device_a.get(), a.data(), device_a.bytes(), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(device_b.get(), b.data(), device_b.bytes(), cudaMemcpyHostToDevice));
  const std::vector<float> factors(16, 2);
  CUDA(cudaMemcpyToSymbol(scale, factors.data(), sizeof scale));
  VectorAdd<<<kSize / 256, 256>>>(device_a.get(), device_b.get(), sum.get(), kSize);
  CUDA(cudaGetLastError());
  std::vector<float> result(kSize), back(kSize);
  CUDA(cudaMemcpy(result.data(), sum.get(), sum.bytes(), cudaMemcpyDeviceToHost));
  CUDA(cudaMemcpy(back.data(), device_a.get(), device_a.bytes(), cudaMemcpyDeviceToHost));
  CHECK(back == a);
  std::vector<float> factors_back(16);
  CUDA(cudaMemcpyFromSymbol(factors_back.data(), scale, sizeof scale));
  CHECK(factors_back == factors);
  int count = 7;
  CUDA(cudaMemcpyToSymbol(counter, &count, sizeof count));
  count = 0;
  CUDA(cudaMemcpyFromSymbol(&count, counter, sizeof count));
  CHECK(count == 7);
  cudaDeviceProp properties;
  CUDA(cudaGetDeviceProperties(&properties, 0));
  std::printf("%s\n", properties.name);
  Occupancy();
  return 0;
}
