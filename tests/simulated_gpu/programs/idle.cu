// SPDX-License-Identifier: Apache-2.0
// Loops in which the GPU has nothing to do because of one line, which a comment names: `idle:
// CASE`.
//
// idle CASE [MINE OTHER]: with two files, the loop begins when both exist, of which this makes MINE.
#include <pthread.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "check.h"

namespace {

constexpr int kSteps = 25;
constexpr size_t kCount = 1024, kBytes = kCount * sizeof(float);

__global__ void Add(float*) {}

void Prepare(std::vector<float>* values) {
  usleep(5000);
  (*values)[0] += 1;
}

// Another process would be asked.
void Exchange(std::vector<float>* values) {
  usleep(4000);
  (*values)[1] += 1;
}

void Upload(float* device, std::vector<float>* values) {
  for (int step = 0; step < kSteps; ++step) {
    Prepare(values);  // idle: prepare
    CUDA(cudaMemcpy(device, values->data(), kBytes, cudaMemcpyHostToDevice));
    Add<<<1, 32>>>(device);
    CUDA(cudaDeviceSynchronize());  // also: prepare
  }
}

void Halo(float* device, std::vector<float>* values) {
  for (int step = 0; step < kSteps; ++step) {
    CUDA(cudaMemcpy(values->data(), device, kBytes, cudaMemcpyDeviceToHost));  // also: halo
    Exchange(values);  // idle: halo
    CUDA(cudaMemcpy(device, values->data(), kBytes, cudaMemcpyHostToDevice));
    Add<<<1, 32>>>(device);
  }
}

void HostBound(float* device, std::vector<float>* values) {
  for (int step = 0; step < kSteps; ++step) {
    for (int part = 0; part < 2; ++part) Prepare(values);  // idle: hostbound
    Add<<<1, 32>>>(device);
    CUDA(cudaDeviceSynchronize());  // also: hostbound
  }
}

// Two threads with a GPU each, of which one prepares while the other waits for it.
void Together(std::vector<float>* values) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 2);
  const auto work = [&barrier, values](int device) {
    CUDA(cudaSetDevice(device));
    for (int step = 0; step < kSteps; ++step) {
      if (device == 1) Prepare(values);  // idle: together
      Add<<<1, 32>>>(nullptr);
      pthread_barrier_wait(&barrier);
      CUDA(cudaDeviceSynchronize());  // also: together
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
}

// Both have used their device then, and both will.
void Meet(const char* mine, const char* other) {
  std::FILE* const file = std::fopen(mine, "w");
  if (file != nullptr) std::fclose(file);
  while (access(other, F_OK) != 0) usleep(1000);
}

}  // namespace

int main(int argc, char** argv) {
  const char* const which = argc > 1 ? argv[1] : "";
  float* device = nullptr;
  std::vector<float> values(kCount);
  CUDA(cudaMalloc(&device, kBytes));
  Add<<<1, 32>>>(device);
  CUDA(cudaDeviceSynchronize());
  if (argc > 3) Meet(argv[2], argv[3]);
  if (std::strcmp(which, "prepare") == 0) Upload(device, &values);
  if (std::strcmp(which, "together") == 0) Together(&values);
  if (std::strcmp(which, "halo") == 0) Halo(device, &values);
  if (std::strcmp(which, "hostbound") == 0) HostBound(device, &values);
  CUDA(cudaDeviceSynchronize());
  std::printf("%s: done\n", which);
  return 0;
}
