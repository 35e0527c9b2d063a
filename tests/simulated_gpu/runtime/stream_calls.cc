// SPDX-License-Identifier: Apache-2.0
// The runtime API: launches and the calls that take a stream. Compiled twice: also as their _ptsz
// forms.
#include <vector>

#include "tests/simulated_gpu/runtime/api.h"
#include "tests/simulated_gpu/runtime/registration.h"

using simgpu::runtime::AsDevice;
using simgpu::runtime::AsError;
using simgpu::runtime::AsLocation;
using simgpu::runtime::FindKernel;
using simgpu::runtime::KernelName;

namespace {

// The driver calls a bad shape an invalid value, the runtime an invalid configuration.
cudaError_t AsLaunchError(CUresult result) {
  return result == CUDA_ERROR_INVALID_VALUE ? cudaErrorInvalidConfiguration : AsError(result);
}

cudaError_t Launch(CUkernel kernel, dim3 grid, dim3 block, void** args, size_t shared,
                   cudaStream_t stream) {
  return AsLaunchError(SIMGPU_DRIVER(cuLaunchKernel)(
      reinterpret_cast<CUfunction>(kernel), grid.x, grid.y, grid.z, block.x, block.y, block.z,
      static_cast<unsigned>(shared), stream, args, nullptr));
}

const char* NameOfKernel(cudaKernel_t kernel) {
  const char* name = nullptr;
  // Nothing tells of this call: it is not one the program made.
  if (kernel == nullptr || simgpu::runtime::TheSeam() == nullptr) return nullptr;
  ++simgpu::runtime::TheSeam()->thread()->hidden;
  SIMGPU_DRIVER(cuKernelGetName)(&name, reinterpret_cast<CUkernel>(kernel));
  --simgpu::runtime::TheSeam()->thread()->hidden;
  return name;
}

// What the driver's callback hands on to the program's: the same numbers under the runtime's names.
struct Callback {
  cudaStreamCallback_t function;
  void* argument;
};

void CallBack(CUstream stream, CUresult status, void* data) {
  const Callback callback = *static_cast<Callback*>(data);
  delete static_cast<Callback*>(data);
  callback.function(stream, static_cast<cudaError_t>(status), callback.argument);
}

}  // namespace

#ifdef CUDA_API_PER_THREAD_DEFAULT_STREAM
#define __cudaLaunchKernel __cudaLaunchKernel_ptsz  // crt/device_functions.h names it itself
#endif

// What <<<>>> becomes with nvcc 13. NVIDIA's headers have no parameter struct for it.
#define LAUNCH_BY_HANDLE(name) LAUNCH_BY_HANDLE_AS(name)
#define LAUNCH_BY_HANDLE_AS(name)                                                             \
  SIMGPU_EXPORT cudaError_t CUDARTAPI name(cudaKernel_t kernel, dim3 grid, dim3 block,        \
                                           void** args, size_t shared, cudaStream_t stream) { \
    SIMGPU_RUNTIME_BODY(kContext, name, nullptr, NameOfKernel(kernel), false,                 \
                        kernel == nullptr ? cudaErrorInvalidDeviceFunction                    \
                                          : Launch(reinterpret_cast<CUkernel>(kernel), grid,  \
                                                   block, args, shared, stream))              \
  }
LAUNCH_BY_HANDLE(__cudaLaunchKernel)

SIMGPU_RUNTIME_LAUNCH(cudaLaunchKernel, KernelName(func),
                      (const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                       cudaStream_t stream),
                      func, gridDim, blockDim, args, sharedMem, stream) {
  CUkernel kernel = nullptr;
  if (const cudaError_t error = FindKernel(func, &kernel)) return error;
  return Launch(kernel, gridDim, blockDim, args, sharedMem, stream);
}

SIMGPU_RUNTIME_LAUNCH(cudaLaunchCooperativeKernel, KernelName(func),
                      (const void* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                       cudaStream_t stream),
                      func, gridDim, blockDim, args, sharedMem, stream) {
  CUkernel kernel = nullptr;
  if (const cudaError_t error = FindKernel(func, &kernel)) return error;
  return AsLaunchError(SIMGPU_DRIVER(cuLaunchCooperativeKernel)(
      reinterpret_cast<CUfunction>(kernel), gridDim.x, gridDim.y, gridDim.z, blockDim.x, blockDim.y,
      blockDim.z, static_cast<unsigned>(sharedMem), stream, args));
}

SIMGPU_RUNTIME_LAUNCH(cudaLaunchKernelExC, KernelName(func),
                      (const cudaLaunchConfig_t* config, const void* func, void** args), config,
                      func, args) {
  CUkernel kernel = nullptr;
  if (config == nullptr) return cudaErrorInvalidValue;
  if (const cudaError_t error = FindKernel(func, &kernel)) return error;
  static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute),
                "one layout under two names");
  CUlaunchConfig driver{};
  driver.gridDimX = config->gridDim.x;
  driver.gridDimY = config->gridDim.y;
  driver.gridDimZ = config->gridDim.z;
  driver.blockDimX = config->blockDim.x;
  driver.blockDimY = config->blockDim.y;
  driver.blockDimZ = config->blockDim.z;
  driver.sharedMemBytes = static_cast<unsigned>(config->dynamicSmemBytes);
  driver.hStream = config->stream;
  driver.attrs = reinterpret_cast<CUlaunchAttribute*>(config->attrs);
  driver.numAttrs = config->numAttrs;
  return AsLaunchError(SIMGPU_DRIVER(cuLaunchKernelEx)(
      &driver, reinterpret_cast<CUfunction>(kernel), args, nullptr));
}

SIMGPU_RUNTIME(kContext, cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t fn, void* userData),
               stream, fn, userData) {
  return AsError(SIMGPU_DRIVER(cuLaunchHostFunc)(stream, fn, userData));
}

SIMGPU_RUNTIME(kContext, cudaStreamAddCallback,
               (cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                unsigned int flags),
               stream, callback, userData, flags) {
  if (callback == nullptr) return cudaErrorInvalidValue;
  auto* both = new Callback{callback, userData};
  const CUresult result = SIMGPU_DRIVER(cuStreamAddCallback)(stream, CallBack, both, flags);
  if (result != CUDA_SUCCESS) delete both;
  return AsError(result);
}

SIMGPU_RUNTIME(kContext, cudaStreamSynchronize, (cudaStream_t stream), stream) {
  return AsError(SIMGPU_DRIVER(cuStreamSynchronize)(stream));
}

SIMGPU_RUNTIME_QUERY(cudaStreamQuery, (cudaStream_t stream), stream) {
  return AsError(SIMGPU_DRIVER(cuStreamQuery)(stream));
}

SIMGPU_RUNTIME(kContext, cudaStreamWaitEvent,
               (cudaStream_t stream, cudaEvent_t event, unsigned int flags), stream, event, flags) {
  return AsError(SIMGPU_DRIVER(cuStreamWaitEvent)(stream, event, flags));
}

SIMGPU_RUNTIME(kContext, cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), event, stream) {
  return AsError(SIMGPU_DRIVER(cuEventRecord)(event, stream));
}

SIMGPU_RUNTIME(kContext, cudaEventRecordWithFlags,
               (cudaEvent_t event, cudaStream_t stream, unsigned int flags), event, stream, flags) {
  return AsError(SIMGPU_DRIVER(cuEventRecordWithFlags)(event, stream, flags));
}

SIMGPU_RUNTIME(kContext, cudaStreamGetPriority, (cudaStream_t hStream, int* priority), hStream,
               priority) {
  return AsError(SIMGPU_DRIVER(cuStreamGetPriority)(hStream, priority));
}

SIMGPU_RUNTIME(kContext, cudaStreamGetAttribute,
               (cudaStream_t hStream, cudaStreamAttrID attr, cudaStreamAttrValue* value_out),
               hStream, attr, value_out) {
  static_assert(sizeof(cudaStreamAttrValue) == sizeof(CUstreamAttrValue));
  if (value_out == nullptr) return cudaErrorInvalidValue;
  return AsError(SIMGPU_DRIVER(cuStreamGetAttribute)(
      hStream, static_cast<CUstreamAttrID>(attr), reinterpret_cast<CUstreamAttrValue*>(value_out)));
}

SIMGPU_RUNTIME(kContext, cudaStreamSetAttribute,
               (cudaStream_t hStream, cudaStreamAttrID attr, const cudaStreamAttrValue* value),
               hStream, attr, value) {
  if (value == nullptr) return cudaErrorInvalidValue;
  return AsError(
      SIMGPU_DRIVER(cuStreamSetAttribute)(hStream, static_cast<CUstreamAttrID>(attr),
                                          reinterpret_cast<const CUstreamAttrValue*>(value)));
}

SIMGPU_RUNTIME(kContext, cudaStreamGetFlags, (cudaStream_t hStream, unsigned int* flags), hStream,
               flags) {
  return AsError(SIMGPU_DRIVER(cuStreamGetFlags)(hStream, flags));
}

SIMGPU_RUNTIME(kContext, cudaStreamGetId, (cudaStream_t hStream, unsigned long long* streamId),
               hStream, streamId) {
  return AsError(SIMGPU_DRIVER(cuStreamGetId)(hStream, streamId));
}

SIMGPU_RUNTIME(kContext, cudaStreamGetDevice, (cudaStream_t hStream, int* device), hStream,
               device) {
  return AsError(SIMGPU_DRIVER(cuStreamGetDevice)(hStream, device));
}

SIMGPU_RUNTIME(kContext, cudaStreamAttachMemAsync,
               (cudaStream_t stream, void* devPtr, size_t length, unsigned int flags), stream,
               devPtr, length, flags) {
  return AsError(SIMGPU_DRIVER(cuStreamAttachMemAsync)(stream, AsDevice(devPtr), length, flags));
}

SIMGPU_RUNTIME(kContext, cudaMemPrefetchAsync,
               (const void* devPtr, size_t count, struct cudaMemLocation location,
                unsigned int flags, cudaStream_t stream),
               devPtr, count, location, flags, stream) {
  return AsError(SIMGPU_DRIVER(cuMemPrefetchAsync)(AsDevice(devPtr), count, AsLocation(location),
                                                   flags, stream));
}

SIMGPU_RUNTIME(kContext, cudaMallocAsync, (void** devPtr, size_t size, cudaStream_t hStream),
               devPtr, size, hStream) {
  if (devPtr == nullptr) return cudaErrorInvalidValue;
  CUdeviceptr address = 0;
  const CUresult result = SIMGPU_DRIVER(cuMemAllocAsync)(&address, size, hStream);
  *devPtr = reinterpret_cast<void*>(address);
  return AsError(result);
}

SIMGPU_RUNTIME(kContext, cudaMallocFromPoolAsync,
               (void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream), ptr, size,
               memPool, stream) {
  if (ptr == nullptr) return cudaErrorInvalidValue;
  CUdeviceptr address = 0;
  const CUresult result = SIMGPU_DRIVER(cuMemAllocFromPoolAsync)(&address, size, memPool, stream);
  *ptr = reinterpret_cast<void*>(address);
  return AsError(result);
}

SIMGPU_RUNTIME(kContext, cudaFreeAsync, (void* devPtr, cudaStream_t hStream), devPtr, hStream) {
  return AsError(SIMGPU_DRIVER(cuMemFreeAsync)(AsDevice(devPtr), hStream));
}

// ---- graphs and capture
// ------------------------------------------------------------------------------------------------

SIMGPU_RUNTIME(kContext, cudaGraphLaunch, (cudaGraphExec_t graphExec, cudaStream_t stream),
               graphExec, stream) {
  return AsError(SIMGPU_DRIVER(cuGraphLaunch)(graphExec, stream));
}

SIMGPU_RUNTIME(kContext, cudaGraphUpload, (cudaGraphExec_t graphExec, cudaStream_t stream),
               graphExec, stream) {
  return AsError(SIMGPU_DRIVER(cuGraphUpload)(graphExec, stream));
}

SIMGPU_RUNTIME(kContext, cudaGraphInstantiateWithParams,
               (cudaGraphExec_t * pGraphExec, cudaGraph_t graph,
                cudaGraphInstantiateParams* instantiateParams),
               pGraphExec, graph, instantiateParams) {
  static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS));
  return AsError(SIMGPU_DRIVER(cuGraphInstantiateWithParams)(
      pGraphExec, graph, reinterpret_cast<CUDA_GRAPH_INSTANTIATE_PARAMS*>(instantiateParams)));
}

SIMGPU_RUNTIME(kContext, cudaStreamBeginCapture,
               (cudaStream_t stream, enum cudaStreamCaptureMode mode), stream, mode) {
  return AsError(
      SIMGPU_DRIVER(cuStreamBeginCapture)(stream, static_cast<CUstreamCaptureMode>(mode)));
}

SIMGPU_RUNTIME(kContext, cudaStreamBeginCaptureToGraph,
               (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                enum cudaStreamCaptureMode mode),
               stream, graph, dependencies, dependencyData, numDependencies, mode) {
  (void)dependencyData;
  return AsError(SIMGPU_DRIVER(cuStreamBeginCaptureToGraph)(
      stream, graph, dependencies, nullptr, numDependencies,
      static_cast<CUstreamCaptureMode>(mode)));
}

SIMGPU_RUNTIME(kContext, cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t* pGraph), stream,
               pGraph) {
  return AsError(SIMGPU_DRIVER(cuStreamEndCapture)(stream, pGraph));
}

SIMGPU_RUNTIME(kContext, cudaStreamIsCapturing,
               (cudaStream_t stream, enum cudaStreamCaptureStatus* pCaptureStatus), stream,
               pCaptureStatus) {
  return AsError(SIMGPU_DRIVER(cuStreamIsCapturing)(
      stream, reinterpret_cast<CUstreamCaptureStatus*>(pCaptureStatus)));
}

SIMGPU_RUNTIME(kContext, cudaStreamGetCaptureInfo,
               (cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
                unsigned long long* id_out, cudaGraph_t* graph_out,
                const cudaGraphNode_t** dependencies_out, const cudaGraphEdgeData** edgeData_out,
                size_t* numDependencies_out),
               stream, captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out,
               numDependencies_out) {
  cuuint64_t id = 0;
  if (edgeData_out != nullptr) *edgeData_out = nullptr;
  const CUresult result = SIMGPU_DRIVER(cuStreamGetCaptureInfo)(
      stream, reinterpret_cast<CUstreamCaptureStatus*>(captureStatus_out), &id, graph_out,
      reinterpret_cast<const CUgraphNode**>(dependencies_out), nullptr, numDependencies_out);
  if (id_out != nullptr) *id_out = id;
  return AsError(result);
}

SIMGPU_RUNTIME(kContext, cudaStreamUpdateCaptureDependencies,
               (cudaStream_t stream, cudaGraphNode_t* dependencies,
                const cudaGraphEdgeData* dependencyData, size_t numDependencies,
                unsigned int flags),
               stream, dependencies, dependencyData, numDependencies, flags) {
  (void)dependencyData;
  return AsError(SIMGPU_DRIVER(cuStreamUpdateCaptureDependencies)(stream, dependencies, nullptr,
                                                                  numDependencies, flags));
}
