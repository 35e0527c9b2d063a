// SPDX-License-Identifier: Apache-2.0
// Two processes with one piece of device memory and one event, by IPC handles. They part before the first CUDA call.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

__global__ void Busy(float* x) { x[threadIdx.x] += 1; }

constexpr size_t kSize = 1 << 18;

struct Handles {
  cudaIpcMemHandle_t memory;
  cudaIpcEventHandle_t event;
};

static void Send(int pipe, const void* data, size_t bytes) {
  CHECK(write(pipe, data, bytes) == static_cast<ssize_t>(bytes));
}

static void Receive(int pipe, void* data, size_t bytes) {
  CHECK(read(pipe, data, bytes) == static_cast<ssize_t>(bytes));
}

// Reads what the parent wrote, in the order of its event, and writes an answer.
static int Child(int in, int out) {
  Handles handles;
  Receive(in, &handles, sizeof handles);
  float* memory = nullptr;
  void* again = nullptr;
  cudaEvent_t event;
  CUDA(cudaIpcOpenMemHandle(reinterpret_cast<void**>(&memory), handles.memory, cudaIpcMemLazyEnablePeerAccess));
  CUDA(cudaIpcOpenMemHandle(&again, handles.memory, cudaIpcMemLazyEnablePeerAccess));
  CHECK(again == memory);
  CUDA(cudaIpcCloseMemHandle(again));
  CUDA_FAILS(cudaErrorInvalidValue, cudaFree(memory));
  CUDA(cudaIpcOpenEventHandle(&event, handles.event));
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  CUDA(cudaStreamWaitEvent(stream, event, 0));
  Busy<<<1, 32, 0, stream>>>(memory);
  std::vector<float> down(kSize);
  CUDA(cudaMemcpyAsync(down.data(), memory, kSize * sizeof(float), cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  CHECK(down == Counting(kSize));
  const std::vector<float> up = Counting(kSize, 5);
  CUDA(cudaMemcpyAsync(memory, up.data(), kSize * sizeof(float), cudaMemcpyHostToDevice, stream));
  CUDA(cudaEventRecord(event, stream));
  Send(out, "x", 1);
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaIpcCloseMemHandle(memory));
  CUDA_FAILS(cudaErrorInvalidValue, cudaIpcCloseMemHandle(memory));
  CUDA(cudaEventDestroy(event));
  return 0;
}

static void Parent(int in, int out) {
  DeviceArray<float> memory(kSize);
  const std::vector<float> up = Counting(kSize);
  CUDA(cudaMemcpy(memory.get(), up.data(), memory.bytes(), cudaMemcpyHostToDevice));
  cudaEvent_t event, plain;
  CUDA(cudaEventCreate(&plain));
  CUDA(cudaEventCreateWithFlags(&event, cudaEventInterprocess | cudaEventDisableTiming));
  Handles handles;
  void* opened = nullptr;
  CUDA_FAILS(cudaErrorInvalidResourceHandle, cudaIpcGetEventHandle(&handles.event, plain));
  CUDA_FAILS(cudaErrorInvalidValue, cudaIpcGetMemHandle(&handles.memory, &opened));
  CUDA(cudaIpcGetMemHandle(&handles.memory, memory.get()));
  CUDA(cudaIpcGetEventHandle(&handles.event, event));
  CUDA_FAILS(cudaErrorDeviceUninitialized,
             cudaIpcOpenMemHandle(&opened, handles.memory, cudaIpcMemLazyEnablePeerAccess));
  Busy<<<1, 32>>>(memory.get());
  CUDA(cudaEventRecord(event));
  Send(out, &handles, sizeof handles);
  char answer;
  Receive(in, &answer, 1);
  CUDA(cudaEventSynchronize(event));  // the child's record
  std::vector<float> down(kSize);
  CUDA(cudaMemcpy(down.data(), memory.get(), memory.bytes(), cudaMemcpyDeviceToHost));
  CHECK(down == Counting(kSize, 5));
}

int main() {
  int down[2], up[2];
  CHECK(pipe(down) == 0 && pipe(up) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) return Child(down[0], up[1]);
  close(up[1]);  // so that a child that ends early is seen
  Parent(up[0], down[1]);
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
