// SPDX-License-Identifier: Apache-2.0
// Loops in which the GPU has nothing to do because of one line, which a comment names: `idle:
// CASE`.
//
// idle CASE [MINE OTHER]: with two files, the loop begins when both exist, of which this makes MINE.
#include <unistd.h>

#include <cstdio>
#include <cstring>
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
  if (std::strcmp(which, "halo") == 0) Halo(device, &values);
  if (std::strcmp(which, "hostbound") == 0) HostBound(device, &values);
  CUDA(cudaDeviceSynchronize());
  std::printf("%s: done\n", which);
  return 0;
}
