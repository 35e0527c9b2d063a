// SPDX-License-Identifier: Apache-2.0
// A CUDA program that does one of each thing that CUPTI records: the test compares its records with
// the truth file.
#include <cuda_runtime_api.h>

#include <cstdio>

__global__ void first_kernel(int) {}
__global__ void second_kernel(float) {}

namespace {

int failures = 0;

void Check(cudaError_t error, int line) {
  if (error == cudaSuccess) return;
  ++failures;
  std::fprintf(stderr, "line %d: %s\n", line, cudaGetErrorName(error));
}
#define CHECK(call) Check(call, __LINE__)

// Two launches and a memset, captured and launched twice.
void Graph(cudaStream_t stream, void* memory) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  first_kernel<<<3, 32, 0, stream>>>(1);
  CHECK(cudaMemsetAsync(memory, 1, 128, stream));
  second_kernel<<<5, 32, 0, stream>>>(1);
  CHECK(cudaStreamEndCapture(stream, &graph));
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
}

}  // namespace

int main() {
  static char host[1 << 17];
  char *device, *pinned;
  cudaStream_t stream, other;
  cudaEvent_t event;
  CHECK(cudaMalloc(&device, sizeof host));
  CHECK(cudaMallocHost(&pinned, sizeof host));
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CHECK(cudaEventCreate(&event));
  for (int i = 0; i < 20; ++i) {
    first_kernel<<<1 + i, 64>>>(i);
    second_kernel<<<2, 128, 0, i % 2 ? stream : other>>>(2.0f);
    CHECK(cudaMemcpyAsync(device, pinned, 1000 + i, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpyAsync(host, device, 5000 + i, cudaMemcpyDeviceToHost, other));
    CHECK(cudaMemsetAsync(device, i, 300 + i, stream));
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaStreamWaitEvent(other, event, 0));
    CHECK(cudaEventSynchronize(event));
  }
  CHECK(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK(cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost));
  CHECK(cudaStreamSynchronize(stream));
  Graph(stream, device);
  CHECK(cudaDeviceSynchronize());
  CHECK(cudaFree(device));
  CHECK(cudaFreeHost(pinned));
  std::printf("%d failures\n", failures);
  return failures != 0;
}
