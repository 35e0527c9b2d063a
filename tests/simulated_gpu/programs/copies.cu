// SPDX-License-Identifier: Apache-2.0
// Copies and memsets of every kind of memory, blocking and not; every byte is looked at.
#include <cstring>

#include "check.h"

__global__ void Busy(float* x) { x[threadIdx.x] += 1; }

static void Pageable(size_t size) {
  const std::vector<float> up = Counting(size);
  std::vector<float> down(size);
  DeviceArray<float> device(size), other(size);
  Busy<<<1, 32>>>(other.get());
  CUDA(cudaMemcpy(device.get(), up.data(), device.bytes(), cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy(other.get(), device.get(), device.bytes(), cudaMemcpyDeviceToDevice));
  CUDA(cudaMemcpy(down.data(), other.get(), device.bytes(), cudaMemcpyDefault));
  CHECK(down == up);
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  Busy<<<1, 32, 0, stream>>>(other.get());
  const std::vector<float> second = Counting(size, 3);
  CUDA(cudaMemcpyAsync(device.get(), second.data(), device.bytes(), cudaMemcpyHostToDevice, stream));
  CUDA(cudaMemcpyAsync(down.data(), device.get(), device.bytes(), cudaMemcpyDeviceToHost, stream));
  CHECK(down == second);  // a copy to pageable memory has ended when the call returns
  CUDA(cudaStreamDestroy(stream));
}

static void Pinned(size_t size) {
  PinnedArray<float> up(size), down(size);
  for (size_t i = 0; i < size; ++i) up[i] = static_cast<float>(i % 777);
  DeviceArray<float> device(size);
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaMemcpyAsync(device.get(), up.get(), device.bytes(), cudaMemcpyHostToDevice, stream));
  CUDA(cudaMemcpyAsync(down.get(), device.get(), device.bytes(), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  CHECK(std::memcmp(up.get(), down.get(), up.bytes()) == 0);
  std::memset(down.get(), 0, down.bytes());
  CUDA(cudaMemcpy(down.get(), device.get(), device.bytes(), cudaMemcpyDeviceToHost));
  CHECK(std::memcmp(up.get(), down.get(), up.bytes()) == 0);
  std::vector<float> registered(size);
  CUDA(cudaHostRegister(registered.data(), registered.size() * 4, cudaHostRegisterDefault));
  CUDA(cudaMemcpyAsync(registered.data(), device.get(), device.bytes(), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  CHECK(std::memcmp(up.get(), registered.data(), up.bytes()) == 0);
  CUDA(cudaHostUnregister(registered.data()));
  CUDA(cudaStreamDestroy(stream));
}

static void Rows() {
  constexpr size_t kWidth = 100 * 4, kRows = 33;
  const std::vector<float> up = Counting(100 * kRows);
  std::vector<float> down(100 * kRows);
  float* device = nullptr;
  size_t pitch = 0;
  CUDA(cudaMallocPitch(&device, &pitch, kWidth, kRows));
  CHECK(pitch >= kWidth && pitch % 512 == 0);
  CUDA(cudaMemcpy2D(device, pitch, up.data(), kWidth, kWidth, kRows, cudaMemcpyHostToDevice));
  CUDA(cudaMemcpy2D(down.data(), kWidth, device, pitch, kWidth, kRows, cudaMemcpyDeviceToHost));
  CHECK(down == up);
  CUDA(cudaMemset2D(device, pitch, 0, kWidth, kRows));
  CUDA(cudaMemcpy2D(down.data(), kWidth, device, pitch, kWidth, kRows, cudaMemcpyDeviceToHost));
  CHECK(down == std::vector<float>(100 * kRows, 0));
  const cudaPitchedPtr rows = make_cudaPitchedPtr(device, pitch, kWidth, kRows / 3);
  CUDA(cudaMemset3DAsync(rows, 0x40, make_cudaExtent(kWidth / 2, 11, 3), nullptr));
  CUDA(cudaMemcpy2D(down.data(), kWidth, device, pitch, kWidth, kRows, cudaMemcpyDeviceToHost));
  CHECK(down[49] != 0 && down[50] == 0 && down[100 * 32] != 0);
  CUDA(cudaFree(device));
}

static void Memsets() {
  DeviceArray<unsigned char> device(3 << 20);
  std::vector<unsigned char> down(3 << 20);
  CUDA(cudaMemset(device.get(), 0xab, device.bytes()));
  CUDA(cudaMemsetAsync(device.get() + 1, 0, device.bytes() - 2, nullptr));
  CUDA(cudaMemcpy(down.data(), device.get(), device.bytes(), cudaMemcpyDeviceToHost));
  CHECK(down.front() == 0xab && down.back() == 0xab && down[1] == 0 && down[down.size() - 2] == 0);
  float* managed = nullptr;
  CUDA(cudaMallocManaged(&managed, 4096));
  managed[0] = 3;
  CUDA(cudaMemset(managed, 0, 4096));
  CHECK(managed[0] == 0);
  cudaPointerAttributes attributes;
  CUDA(cudaPointerGetAttributes(&attributes, managed));
  CHECK(attributes.type == cudaMemoryTypeManaged);
  CUDA(cudaPointerGetAttributes(&attributes, device.get()));
  CHECK(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
  CUDA(cudaPointerGetAttributes(&attributes, down.data()));
  CHECK(attributes.type == cudaMemoryTypeUnregistered);
  CUDA(cudaFree(managed));
}

int main() {
  Pageable(1000);     // small: staged
  Pageable(1 << 20);  // large
  Pinned(1 << 20);
  Rows();
  Memsets();
  return 0;
}
