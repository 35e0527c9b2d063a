// SPDX-License-Identifier: Apache-2.0
// The runtime API: streams, events, functions and entry points, the calls without a per-thread
// form.
#include "tests/simulated_gpu/runtime/api.h"
#include "tests/simulated_gpu/runtime/registration.h"

using simgpu::runtime::AsError;
using simgpu::runtime::FindKernel;

namespace {

// A kernel's handle serves the driver as a function.
template <class Call>
cudaError_t WithKernel(const void* host_symbol, Call call) {
  CUkernel kernel = nullptr;
  if (const cudaError_t error = FindKernel(host_symbol, &kernel)) return error;
  return AsError(call(reinterpret_cast<CUfunction>(kernel)));
}

int Attribute(CUfunction function, CUfunction_attribute attribute) {
  int value = 0;
  SIMGPU_DRIVER(cuFuncGetAttribute)(&value, attribute, function);
  return value;
}

}  // namespace

SIMGPU_RUNTIME(kContext, cudaStreamCreate, (cudaStream_t * pStream), pStream) {
  return AsError(SIMGPU_DRIVER(cuStreamCreate)(pStream, CU_STREAM_DEFAULT));
}

SIMGPU_RUNTIME(kContext, cudaStreamCreateWithFlags, (cudaStream_t * pStream, unsigned int flags),
               pStream, flags) {
  return AsError(SIMGPU_DRIVER(cuStreamCreate)(pStream, flags));
}

SIMGPU_RUNTIME(kContext, cudaStreamCreateWithPriority,
               (cudaStream_t * pStream, unsigned int flags, int priority), pStream, flags,
               priority) {
  return AsError(SIMGPU_DRIVER(cuStreamCreateWithPriority)(pStream, flags, priority));
}

SIMGPU_RUNTIME(kContext, cudaStreamDestroy, (cudaStream_t stream), stream) {
  return AsError(SIMGPU_DRIVER(cuStreamDestroy)(stream));
}

SIMGPU_RUNTIME(kContext, cudaEventCreate, (cudaEvent_t * event), event) {
  return AsError(SIMGPU_DRIVER(cuEventCreate)(event, CU_EVENT_DEFAULT));
}

SIMGPU_RUNTIME(kContext, cudaEventCreateWithFlags, (cudaEvent_t * event, unsigned int flags), event,
               flags) {
  return AsError(SIMGPU_DRIVER(cuEventCreate)(event, flags));
}

SIMGPU_RUNTIME(kContext, cudaEventDestroy, (cudaEvent_t event), event) {
  return AsError(SIMGPU_DRIVER(cuEventDestroy)(event));
}

SIMGPU_RUNTIME_QUERY(cudaEventQuery, (cudaEvent_t event), event) {
  return AsError(SIMGPU_DRIVER(cuEventQuery)(event));
}

SIMGPU_RUNTIME(kContext, cudaEventSynchronize, (cudaEvent_t event), event) {
  return AsError(SIMGPU_DRIVER(cuEventSynchronize)(event));
}

SIMGPU_RUNTIME(kContext, cudaEventElapsedTime, (float* ms, cudaEvent_t start, cudaEvent_t end), ms,
               start, end) {
  return AsError(SIMGPU_DRIVER(cuEventElapsedTime)(ms, start, end));
}

SIMGPU_RUNTIME(kDriver, cudaThreadExchangeStreamCaptureMode, (enum cudaStreamCaptureMode * mode),
               mode) {
  return AsError(SIMGPU_DRIVER(cuThreadExchangeStreamCaptureMode)(
      reinterpret_cast<CUstreamCaptureMode*>(mode)));
}

// ---- functions
// -------------------------------------------------------------------------------------------------------

SIMGPU_RUNTIME(kContext, cudaFuncGetAttributes,
               (struct cudaFuncAttributes * attr, const void* func), attr, func) {
  if (attr == nullptr) return cudaErrorInvalidValue;
  return WithKernel(func, [&](CUfunction function) {
    *attr = cudaFuncAttributes{};
    attr->maxThreadsPerBlock = Attribute(function, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    attr->numRegs = Attribute(function, CU_FUNC_ATTRIBUTE_NUM_REGS);
    attr->ptxVersion = Attribute(function, CU_FUNC_ATTRIBUTE_PTX_VERSION);
    attr->binaryVersion = Attribute(function, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    attr->maxDynamicSharedSizeBytes =
        Attribute(function, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    attr->preferredShmemCarveout =
        Attribute(function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    return CUDA_SUCCESS;
  });
}

SIMGPU_RUNTIME(kContext, cudaFuncSetAttribute,
               (const void* func, enum cudaFuncAttribute attr, int value), func, attr, value) {
  return WithKernel(func, [&](CUfunction function) {
    return SIMGPU_DRIVER(cuFuncSetAttribute)(function, static_cast<CUfunction_attribute>(attr),
                                             value);
  });
}

SIMGPU_RUNTIME(kContext, cudaFuncSetCacheConfig, (const void* func, enum cudaFuncCache cacheConfig),
               func, cacheConfig) {
  return WithKernel(func, [&](CUfunction function) {
    return SIMGPU_DRIVER(cuFuncSetCacheConfig)(function, static_cast<CUfunc_cache>(cacheConfig));
  });
}

SIMGPU_RUNTIME_NO_STRUCT(kContext, cudaFuncGetName, (const char** name, const void* func),
                         (name, func)) {
  return WithKernel(
      func, [&](CUfunction function) { return SIMGPU_DRIVER(cuFuncGetName)(name, function); });
}

SIMGPU_RUNTIME(kContext, cudaGetFuncBySymbol, (cudaFunction_t * functionPtr, const void* symbolPtr),
               functionPtr, symbolPtr) {
  return WithKernel(symbolPtr, [&](CUfunction function) {
    *functionPtr = function;
    return CUDA_SUCCESS;
  });
}

SIMGPU_RUNTIME(kContext, cudaGetKernel, (cudaKernel_t * kernelPtr, const void* entryFuncAddr),
               kernelPtr, entryFuncAddr) {
  return FindKernel(entryFuncAddr, reinterpret_cast<CUkernel*>(kernelPtr));
}

SIMGPU_RUNTIME(kContext, cudaOccupancyMaxActiveBlocksPerMultiprocessor,
               (int* numBlocks, const void* func, int blockSize, size_t dynamicSMemSize), numBlocks,
               func, blockSize, dynamicSMemSize) {
  return WithKernel(func, [&](CUfunction function) {
    return SIMGPU_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessor)(numBlocks, function,
                                                                      blockSize, dynamicSMemSize);
  });
}

SIMGPU_RUNTIME(kContext, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags,
               (int* numBlocks, const void* func, int blockSize, size_t dynamicSMemSize,
                unsigned int flags),
               numBlocks, func, blockSize, dynamicSMemSize, flags) {
  return WithKernel(func, [&](CUfunction function) {
    return SIMGPU_DRIVER(cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)(
        numBlocks, function, blockSize, dynamicSMemSize, flags);
  });
}

SIMGPU_RUNTIME(kContext, cudaOccupancyAvailableDynamicSMemPerBlock,
               (size_t * dynamicSmemSize, const void* func, int numBlocks, int blockSize),
               dynamicSmemSize, func, numBlocks, blockSize) {
  return WithKernel(func, [&](CUfunction function) {
    return SIMGPU_DRIVER(cuOccupancyAvailableDynamicSMemPerBlock)(dynamicSmemSize, function,
                                                                  numBlocks, blockSize);
  });
}

// ---- entry points of the driver
// ----------------------------------------------------------------------------------------

namespace {

cudaError_t EntryPoint(const char* symbol, void** function, unsigned version,
                       unsigned long long flags, enum cudaDriverEntryPointQueryResult* status) {
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  const CUresult result =
      SIMGPU_DRIVER(cuGetProcAddress)(symbol, function, static_cast<int>(version), flags, &found);
  if (status != nullptr) *status = static_cast<cudaDriverEntryPointQueryResult>(found);
  return AsError(result);
}

}  // namespace

SIMGPU_RUNTIME(kDriver, cudaGetDriverEntryPoint,
               (const char* symbol, void** funcPtr, unsigned long long flags,
                enum cudaDriverEntryPointQueryResult* driverStatus),
               symbol, funcPtr, flags, driverStatus) {
  return EntryPoint(symbol, funcPtr, SIMGPU_RUNTIME_VERSION, flags, driverStatus);
}

SIMGPU_RUNTIME(kDriver, cudaGetDriverEntryPointByVersion,
               (const char* symbol, void** funcPtr, unsigned int cudaVersion,
                unsigned long long flags, enum cudaDriverEntryPointQueryResult* driverStatus),
               symbol, funcPtr, cudaVersion, flags, driverStatus) {
  return EntryPoint(symbol, funcPtr, cudaVersion, flags, driverStatus);
}
