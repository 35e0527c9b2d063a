// SPDX-License-Identifier: Apache-2.0
// Graphs: captured from two streams, made of explicit nodes, updated, launched; and what a capture forbids.
#include "check.h"

__global__ void StepA(float* x) { x[threadIdx.x] += 1; }
__global__ void StepB(float* x) { x[threadIdx.x] += 2; }

static int host_calls = 0;
static void CountCall(void*) { ++host_calls; }

static void Captured() {
  DeviceArray<float> x(1024), y(1024);
  cudaStream_t a, b;
  CUDA(cudaStreamCreate(&a));
  CUDA(cudaStreamCreate(&b));
  cudaEvent_t fork, join;
  CUDA(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CUDA(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CUDA(cudaStreamBeginCapture(a, cudaStreamCaptureModeGlobal));
  StepA<<<1, 128, 0, a>>>(x.get());
  CUDA(cudaEventRecord(fork, a));
  CUDA(cudaStreamWaitEvent(b, fork, 0));
  StepB<<<1, 128, 0, b>>>(y.get());
  CUDA(cudaMemsetAsync(x.get(), 0, x.bytes(), a));
  CUDA(cudaEventRecord(join, b));
  CUDA(cudaStreamWaitEvent(a, join, 0));
  StepA<<<1, 128, 0, a>>>(x.get());
  cudaStreamCaptureStatus status;
  CUDA(cudaStreamIsCapturing(b, &status));
  CHECK(status == cudaStreamCaptureStatusActive);
  cudaGraph_t graph;
  CUDA(cudaStreamEndCapture(a, &graph));
  size_t nodes = 0, edges = 0;
  CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
  CHECK(nodes == 4);
#if CUDART_VERSION >= 13000
  CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges));
#else
  CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, &edges));
#endif
  CHECK(edges == 4);
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 10; ++i) CUDA(cudaGraphLaunch(exec, a));
  CUDA(cudaStreamSynchronize(a));
  cudaGraphExecUpdateResultInfo info;
  CUDA(cudaGraphExecUpdate(exec, graph, &info));
  CHECK(info.result == cudaGraphExecUpdateSuccess);
  CUDA(cudaGraphExecDestroy(exec));
  CUDA(cudaGraphDestroy(graph));
  CUDA(cudaStreamDestroy(a));
  CUDA(cudaStreamDestroy(b));
}

static void Explicit() {
  const std::vector<float> up = Counting(1024);
  std::vector<float> down(1024);
  DeviceArray<float> x(1024);
  float* argument = x.get();
  void* arguments[] = {&argument};
  cudaGraph_t graph;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t copy_up, kernel, host, copy_down, empty;
  CUDA(cudaGraphAddMemcpyNode1D(&copy_up, graph, nullptr, 0, x.get(), up.data(), x.bytes(), cudaMemcpyHostToDevice));
  cudaKernelNodeParams kernel_params = {};
  kernel_params.func = reinterpret_cast<void*>(StepB);
  kernel_params.gridDim = dim3(2);
  kernel_params.blockDim = dim3(64);
  kernel_params.kernelParams = arguments;
  CUDA(cudaGraphAddKernelNode(&kernel, graph, &copy_up, 1, &kernel_params));
  cudaHostNodeParams host_params = {CountCall, nullptr};
  CUDA(cudaGraphAddHostNode(&host, graph, &kernel, 1, &host_params));
  CUDA(cudaGraphAddMemcpyNode1D(&copy_down, graph, &host, 1, down.data(), x.get(), x.bytes(), cudaMemcpyDeviceToHost));
  CUDA(cudaGraphAddEmptyNode(&empty, graph, &copy_down, 1));
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  CUDA(cudaGraphLaunch(exec, stream));
  StepA<<<1, 32, 0, stream>>>(x.get());  // behind a host function: its time is known only later
  CUDA(cudaStreamSynchronize(stream));
  CHECK(down == up && host_calls == 1);
  kernel_params.gridDim = dim3(8);
  CUDA(cudaGraphExecKernelNodeSetParams(exec, kernel, &kernel_params));
  CUDA(cudaGraphLaunch(exec, stream));
  CUDA(cudaStreamSynchronize(stream));
  CHECK(host_calls == 2);
  cudaGraph_t outer;
  cudaGraphNode_t child;
  CUDA(cudaGraphCreate(&outer, 0));
  CUDA(cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, graph));
  cudaGraphExec_t outer_exec;
  CUDA(cudaGraphInstantiate(&outer_exec, outer, 0));
  CUDA(cudaGraphLaunch(outer_exec, stream));
  CUDA(cudaStreamSynchronize(stream));
  CHECK(host_calls == 3);
  cudaGraphExecUpdateResultInfo info;
  CUDA_FAILS(cudaErrorGraphExecUpdateFailure, cudaGraphExecUpdate(exec, [] {
               cudaGraph_t other;
               CUDA(cudaGraphCreate(&other, 0));
               return other;
             }(), &info));
  CUDA(cudaStreamDestroy(stream));
}

#if CUDART_VERSION >= 13000  // its parameters were others before
// The same graph by the calls that take a node of any type.
static void AnyNode() {
  DeviceArray<float> x(1024);
  float* argument = x.get();
  void* arguments[] = {&argument};
  cudaGraph_t graph;
  CUDA(cudaGraphCreate(&graph, 0));
  cudaGraphNode_t fill, kernel, copy;
  cudaGraphNodeParams params = {cudaGraphNodeTypeMemset};
  params.memset.dst = x.get();
  params.memset.value = 7;
  params.memset.elementSize = 4;
  params.memset.width = 1024;
  params.memset.height = 1;
  CUDA(cudaGraphAddNode(&fill, graph, nullptr, nullptr, 0, &params));
  params = {cudaGraphNodeTypeKernel};
  params.kernel.func = reinterpret_cast<void*>(StepB);
  params.kernel.gridDim = {2, 1, 1};
  params.kernel.blockDim = {64, 1, 1};
  params.kernel.kernelParams = arguments;
  CUDA(cudaGraphAddNode(&kernel, graph, &fill, nullptr, 1, &params));
  params.kernel.gridDim = {3, 1, 1};
  CUDA(cudaGraphNodeSetParams(kernel, &params));
  params.kernel.blockDim = {2048, 1, 1};
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphNodeSetParams(kernel, &params));
  CUDA_FAILS(cudaErrorInvalidValue, cudaGraphNodeSetParams(fill, &params));
  std::vector<unsigned> down(1024);
  params = {cudaGraphNodeTypeMemcpy};
  params.memcpy.copyParams.srcPtr = {x.get(), x.bytes(), 1024, 1};
  params.memcpy.copyParams.dstPtr = {down.data(), x.bytes(), 1024, 1};
  params.memcpy.copyParams.extent = {x.bytes(), 1, 1};
  params.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  CUDA(cudaGraphAddNode(&copy, graph, &kernel, nullptr, 1, &params));
  params = {cudaGraphNodeTypeConditional};
  CUDA_FAILS(cudaErrorNotSupported, cudaGraphAddNode(&copy, graph, nullptr, nullptr, 0, &params));
  cudaGraphExec_t exec;
  CUDA(cudaGraphInstantiate(&exec, graph, 0));
  CUDA(cudaGraphLaunch(exec, cudaStreamPerThread));
  CUDA(cudaStreamSynchronize(cudaStreamPerThread));
  CHECK(down.front() == 7 && down.back() == 7);
}
#endif

static void Forbidden() {
  DeviceArray<float> x(1024);
  cudaStream_t stream;
  CUDA(cudaStreamCreate(&stream));
  cudaGraph_t graph;
  CUDA_FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  CUDA_FAILS(cudaErrorStreamCaptureUnsupported, cudaStreamSynchronize(stream));
  CUDA_FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  StepA<<<1, 32>>>(x.get());
  CHECK(cudaGetLastError() == cudaErrorStreamCaptureImplicit);
  CUDA_FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  void* memory = nullptr;
  CUDA_FAILS(cudaErrorStreamCaptureUnsupported, cudaMalloc(&memory, 64));
  CUDA_FAILS(cudaErrorStreamCaptureInvalidated, cudaStreamEndCapture(stream, &graph));
  CUDA(cudaStreamDestroy(stream));
}

int main() {
  Captured();
  Explicit();
#if CUDART_VERSION >= 13000
  AnyNode();
#endif
  Forbidden();
  return 0;
}
