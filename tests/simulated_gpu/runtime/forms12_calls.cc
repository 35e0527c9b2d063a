// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12 only: functions whose parameters changed with CUDA 13, and those it dropped, as
// programs built with CUDA 12 call them. Compiled twice: also as their _ptsz forms.
#include <cupti_runtime_cbid.h>

#include "tests/simulated_gpu/runtime/api.h"

using simgpu::runtime::AsDevice;
using simgpu::runtime::AsError;

// SIMGPU_FORM12(what it needs, name, version of its callback id, (parameters), (arguments)) { body
// } The headers declare the name with other parameters: here it is only what the linker sees. They
// have no parameter struct for it.
#define SIMGPU_FORM12(needs, name, since, parameters, arguments) \
  SIMGPU_FORM12_AS(needs, name, since, parameters, arguments)
#define SIMGPU_FORM12_AS(needs, name, since, parameters, arguments)                           \
  static cudaError_t Do_##name parameters;                                                    \
  SIMGPU_EXPORT cudaError_t CUDARTAPI Form12_##name parameters __asm__(#name);                \
  SIMGPU_EXPORT cudaError_t CUDARTAPI Form12_##name parameters {                              \
    SIMGPU_RUNTIME_BODY_AS(needs, CUPTI_RUNTIME_TRACE_CBID_##name##_v##since, #name, nullptr, \
                           nullptr, false, Do_##name arguments)                               \
  }                                                                                           \
  static cudaError_t Do_##name parameters

namespace {

CUmemLocation LocationOf(int device) {
  CUmemLocation location{};
  location.type =
      device == cudaCpuDeviceId ? CU_MEM_LOCATION_TYPE_HOST : CU_MEM_LOCATION_TYPE_DEVICE;
  location.id = device == cudaCpuDeviceId ? 0 : device;
  return location;
}

}  // namespace

#undef cudaMemPrefetchAsync
#undef cudaStreamUpdateCaptureDependencies
#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_ptsz
#define cudaStreamGetCaptureInfo_v2 cudaStreamGetCaptureInfo_v2_ptsz
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_ptsz
#endif

SIMGPU_FORM12(kContext, cudaMemPrefetchAsync, 8000,
              (const void* devPtr, size_t count, int dstDevice, cudaStream_t stream),
              (devPtr, count, dstDevice, stream)) {
  return AsError(
      SIMGPU_DRIVER(cuMemPrefetchAsync)(AsDevice(devPtr), count, LocationOf(dstDevice), 0, stream));
}

// CUDA 12's headers rename cudaStreamGetCaptureInfo to this.
SIMGPU_FORM12(kContext, cudaStreamGetCaptureInfo_v2, 11030,
              (cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
               unsigned long long* id_out, cudaGraph_t* graph_out,
               const cudaGraphNode_t** dependencies_out, size_t* numDependencies_out),
              (stream, captureStatus_out, id_out, graph_out, dependencies_out,
               numDependencies_out)) {
  cuuint64_t id = 0;
  const CUresult result = SIMGPU_DRIVER(cuStreamGetCaptureInfo)(
      stream, reinterpret_cast<CUstreamCaptureStatus*>(captureStatus_out), &id, graph_out,
      reinterpret_cast<const CUgraphNode**>(dependencies_out), nullptr, numDependencies_out);
  if (id_out != nullptr) *id_out = id;
  return AsError(result);
}

SIMGPU_FORM12(kContext, cudaStreamUpdateCaptureDependencies, 11030,
              (cudaStream_t stream, cudaGraphNode_t* dependencies, size_t numDependencies,
               unsigned int flags),
              (stream, dependencies, numDependencies, flags)) {
  return AsError(SIMGPU_DRIVER(cuStreamUpdateCaptureDependencies)(stream, dependencies, nullptr,
                                                                  numDependencies, flags));
}

#ifndef CUDA_API_PER_THREAD_DEFAULT_STREAM
SIMGPU_FORM12(kContext, cudaMemAdvise, 8000,
              (const void* devPtr, size_t count, enum cudaMemoryAdvise advice, int device),
              (devPtr, count, advice, device)) {
  return AsError(SIMGPU_DRIVER(cuMemAdvise)(AsDevice(devPtr), count,
                                            static_cast<CUmem_advise>(advice), LocationOf(device)));
}

SIMGPU_FORM12(kContext, cudaEventElapsedTime, 3020, (float* ms, cudaEvent_t start, cudaEvent_t end),
              (ms, start, end)) {
  return AsError(SIMGPU_DRIVER(cuEventElapsedTime)(ms, start, end));
}

SIMGPU_FORM12(kDriver, cudaGraphGetEdges, 10000,
              (cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* numEdges),
              (graph, from, to, numEdges)) {
  return AsError(SIMGPU_DRIVER(cuGraphGetEdges)(graph, from, to, nullptr, numEdges));
}

SIMGPU_FORM12(kDriver, cudaGraphNodeGetDependencies, 10000,
              (cudaGraphNode_t node, cudaGraphNode_t* pDependencies, size_t* pNumDependencies),
              (node, pDependencies, pNumDependencies)) {
  return AsError(
      SIMGPU_DRIVER(cuGraphNodeGetDependencies)(node, pDependencies, nullptr, pNumDependencies));
}

SIMGPU_FORM12(kDriver, cudaGraphNodeGetDependentNodes, 10000,
              (cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes, size_t* pNumDependentNodes),
              (node, pDependentNodes, pNumDependentNodes)) {
  return AsError(SIMGPU_DRIVER(cuGraphNodeGetDependentNodes)(node, pDependentNodes, nullptr,
                                                             pNumDependentNodes));
}

SIMGPU_FORM12(kDriver, cudaGraphAddDependencies, 10000,
              (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
               size_t numDependencies),
              (graph, from, to, numDependencies)) {
  return AsError(SIMGPU_DRIVER(cuGraphAddDependencies)(graph, from, to, nullptr, numDependencies));
}

SIMGPU_FORM12(kDriver, cudaGraphRemoveDependencies, 10000,
              (cudaGraph_t graph, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
               size_t numDependencies),
              (graph, from, to, numDependencies)) {
  return AsError(
      SIMGPU_DRIVER(cuGraphRemoveDependencies)(graph, from, to, nullptr, numDependencies));
}

SIMGPU_FORM12(kContext, cudaThreadSynchronize, 3020, (), ()) {
  return AsError(SIMGPU_DRIVER(cuCtxSynchronize)());
}

SIMGPU_FORM12(kDriver, cudaThreadExit, 3020, (), ()) {
  return AsError(SIMGPU_DRIVER(cuDevicePrimaryCtxReset)(simgpu::runtime::ThreadDevice()));
}
#endif
