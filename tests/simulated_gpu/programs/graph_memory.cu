// SPDX-License-Identifier: Apache-2.0
// Memory of graphs: allocation nodes, explicit and captured; what launches take of the device, and give back at a trim.
#include "check.h"

__global__ void Fill(float* x) { x[threadIdx.x] = 1; }

constexpr size_t kBytes = 1 << 20;

static unsigned long long Reserved() {
  unsigned long long bytes = 0;
  CUDA(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrReservedMemCurrent, &bytes));
  return bytes;
}

// An allocation, its free, and another one that takes its address and is freed too.
static void Explicit(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphNode_t first, first_free, second, second_free;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaMemAllocNodeParams params = {};
  params.poolProps.allocType = cudaMemAllocationTypePinned;
  params.poolProps.location.type = cudaMemLocationTypeDevice;
  params.bytesize = kBytes;
  CUDA(cudaGraphAddMemAllocNode(&first, graph, nullptr, 0, &params));
  void* address = params.dptr;
  CUDA(cudaGraphAddMemFreeNode(&first_free, graph, &first, 1, address));
  CUDA(cudaGraphAddMemAllocNode(&second, graph, &first_free, 1, &params));
  CHECK(params.dptr == address);
  CUDA(cudaGraphAddMemFreeNode(&second_free, graph, &second, 1, address));
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphAddMemFreeNode(&first, graph, nullptr, 0, &params));
  void* given = nullptr;
  CUDA(cudaGraphMemFreeNodeGetParams(second_free, &given));
  CHECK(given == address);
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CHECK(Reserved() == 0);
  for (int i = 0; i < 3; ++i) CUDA(cudaGraphLaunch(exec, stream));
  CHECK(Reserved() == kBytes);
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaDeviceGraphMemTrim(0));
  CHECK(Reserved() == 0);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
}

// A captured cudaMallocAsync, with its cudaFreeAsync or without.
static cudaGraphExec_t Capture(cudaStream_t stream, bool with_free, unsigned flags, float** memory) {
  cudaGraph_t graph;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA(cudaMallocAsync(memory, kBytes, stream));
  Fill<<<1, 128, 0, stream>>>(*memory);
  if (with_free) CUDA(cudaFreeAsync(*memory, stream));
  CUDA(cudaStreamEndCapture(stream, &graph));
  cudaGraphNode_t nodes[3];
  size_t count = 3;
  CUDA(cudaGraphGetNodes(graph, nodes, &count));
  CHECK(count == (with_free ? 3 : 2));
  cudaGraphNodeType type;
  CUDA(cudaGraphNodeGetType(nodes[0], &type));
  CHECK(type == cudaGraphNodeTypeMemAlloc);
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, flags));
  CUDA(cudaGraphDestroy(graph));
  return exec;
}

static void Captured(cudaStream_t stream) {
  float* memory = nullptr;
  cudaGraphExec_t exec = Capture(stream, true, 0, &memory);
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA_FAILS(cudaErrorInvalidValue, cudaFreeAsync(memory, stream));  // the graph has done it
  CUDA(cudaGraphExecDestroy(exec));
  // One that outlives its launch: real memory, until it is freed.
  exec = Capture(stream, false, 0, &memory);
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphLaunch(exec, stream));
  const std::vector<float> up = Counting(kBytes / sizeof(float));
  std::vector<float> down(up.size());
  CUDA(cudaMemcpyAsync(memory, up.data(), kBytes, cudaMemcpyHostToDevice, stream));
  CUDA(cudaMemcpyAsync(down.data(), memory, kBytes, cudaMemcpyDeviceToHost, stream));
  CUDA(cudaStreamSynchronize(stream));
  CHECK(down == up);
  CUDA(cudaDeviceGraphMemTrim(0));
  CHECK(Reserved() == kBytes);
  CUDA(cudaFreeAsync(memory, stream));
  CUDA(cudaGraphExecDestroy(exec));
  exec = Capture(stream, false, cudaGraphInstantiateFlagAutoFreeOnLaunch, &memory);
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaFree(memory));
  CUDA(cudaStreamSynchronize(stream));
  CUDA(cudaDeviceGraphMemTrim(0));
  CHECK(Reserved() == 0);
}

// Memory from outside cannot be freed by a graph.
static void Forbidden(cudaStream_t stream) {
  DeviceArray<float> outside(1024);
  cudaGraph_t graph;
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA_FAILS(cudaErrorInvalidValue, cudaFreeAsync(outside.get(), stream));
  CUDA_FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
}

int main() {
  cudaStream_t stream;
  CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  Explicit(stream);
  Captured(stream);
  Forbidden(stream);
  CUDA(cudaStreamDestroy(stream));
  return 0;
}
