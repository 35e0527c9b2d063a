// SPDX-License-Identifier: Apache-2.0
// Threads that launch, copy and wait at once, each in a stream of its own: many_threads [THREADS [ROUNDS]].
#include <cstdlib>
#include <thread>

#include "check.h"

__global__ void Ours(float* x) { x[threadIdx.x] += 1; }

static void Work(int rounds) {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  DeviceArray<float> x(4096);
  float* pinned = nullptr;
  CUDA(cudaMallocHost(&pinned, x.bytes()));
  for (int i = 0; i < rounds; ++i) {
    CUDA(cudaMemcpyAsync(x.get(), pinned, x.bytes(), cudaMemcpyHostToDevice, stream));
    for (int k = 0; k < 5; ++k) Ours<<<4, 128, 0, stream>>>(x.get());
    CUDA(cudaMemsetAsync(x.get(), 0, x.bytes(), stream));
    if (i % 4 == 3) CUDA(cudaStreamSynchronize(stream));
  }
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaFreeHost(pinned));
  CUDA(cudaStreamDestroy(stream));
}

int main(int argc, char** argv) {
  const int count = argc > 1 ? std::atoi(argv[1]) : 8;
  const int rounds = argc > 2 ? std::atoi(argv[2]) : 50;
  CHECK(count > 0 && rounds > 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back(Work, rounds);
  for (std::thread& thread : threads) thread.join();
  std::printf("threads=%d rounds=%d\n", count, rounds);
  return 0;
}
