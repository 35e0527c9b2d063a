// SPDX-License-Identifier: Apache-2.0
// What the programs share: a failed check says where, and ends the program with status 1.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(condition)                                                           \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                \
    }                                                                              \
  } while (0)

#define CUDA(call)                                                          \
  do {                                                                      \
    const cudaError_t error_ = (call);                                      \
    if (error_ != cudaSuccess) {                                            \
      std::fprintf(stderr, "%s:%d: %s: %d %s\n", __FILE__, __LINE__, #call, \
                   static_cast<int>(error_), cudaGetErrorString(error_));   \
      std::exit(1);                                                         \
    }                                                                       \
  } while (0)

// Expects this very error, and takes it away.
#define CUDA_FAILS(error, call)                                                  \
  do {                                                                           \
    const cudaError_t error_ = (call);                                           \
    if (error_ != (error)) {                                                     \
      std::fprintf(stderr, "%s:%d: %s: %d, not %d\n", __FILE__, __LINE__, #call, \
                   static_cast<int>(error_), static_cast<int>(error));           \
      std::exit(1);                                                              \
    }                                                                            \
    cudaGetLastError();                                                          \
  } while (0)

inline std::vector<float> Counting(size_t size, float first = 0) {
  std::vector<float> numbers(size);
  for (size_t i = 0; i < size; ++i) numbers[i] = first + static_cast<float>(i % 1000);
  return numbers;
}

// Device memory that goes with its scope.
template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t size) : size_(size) { CUDA(cudaMalloc(&data_, size * sizeof(T))); }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* get() const { return data_; }
  size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  size_t size_;
};

// Page-locked host memory that goes with its scope.
template <class T>
class PinnedArray {
 public:
  explicit PinnedArray(size_t size) : size_(size) {
    CUDA(cudaMallocHost(&data_, size * sizeof(T)));
  }
  ~PinnedArray() { cudaFreeHost(data_); }
  PinnedArray(const PinnedArray&) = delete;
  PinnedArray& operator=(const PinnedArray&) = delete;
  T* get() const { return data_; }
  T& operator[](size_t i) const { return data_[i]; }
  size_t bytes() const { return size_ * sizeof(T); }

 private:
  T* data_ = nullptr;
  size_t size_;
};
