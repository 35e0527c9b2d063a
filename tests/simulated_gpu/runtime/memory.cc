// SPDX-License-Identifier: Apache-2.0
// The runtime API: allocation, host memory, pointers and pools.
#include <cstddef>
#include <cstring>

#include "tests/simulated_gpu/runtime/api.h"
#include "tests/simulated_gpu/runtime/registration.h"

using simgpu::runtime::AsDevice;
using simgpu::runtime::AsError;
using simgpu::runtime::AsLocation;

namespace {

// CUDA 13 has appended fields, which CUDA 12's programs have no room for.
#ifdef SIMGPU_RUNTIME_12
constexpr size_t kPointerAttributesSize =
    offsetof(cudaPointerAttributes, hostPointer) + sizeof(void*);
#else
constexpr size_t kPointerAttributesSize = sizeof(cudaPointerAttributes);
#endif

CUmemoryPool AsPool(cudaMemPool_t pool) { return reinterpret_cast<CUmemoryPool>(pool); }

// An allocation of 0 bytes succeeds and gives null.
template <class Call>
cudaError_t Allocate(void** out, size_t bytes, Call call) {
  if (out == nullptr) return cudaErrorInvalidValue;
  *out = nullptr;
  if (bytes == 0) return cudaSuccess;
  CUdeviceptr address = 0;
  const CUresult result = call(&address);
  *out = reinterpret_cast<void*>(address);
  return AsError(result);
}

cudaError_t AllocateHost(void** out, size_t bytes, unsigned flags) {
  if (out == nullptr) return cudaErrorInvalidValue;
  *out = nullptr;
  return bytes == 0 ? cudaSuccess : AsError(SIMGPU_DRIVER(cuMemHostAlloc)(out, bytes, flags));
}

cudaError_t AllocatePitched(void** out, size_t* pitch, size_t width, size_t rows) {
  if (pitch == nullptr) return cudaErrorInvalidValue;
  return Allocate(out, width * rows, [&](CUdeviceptr* address) {
    return SIMGPU_DRIVER(cuMemAllocPitch)(address, pitch, width, rows, 4);
  });
}

cudaMemoryType TypeOf(unsigned driver_type, unsigned managed) {
  if (managed != 0) return cudaMemoryTypeManaged;
  if (driver_type == CU_MEMORYTYPE_HOST) return cudaMemoryTypeHost;
  return driver_type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
}

}  // namespace

SIMGPU_RUNTIME(kContext, cudaMalloc, (void** devPtr, size_t size), devPtr, size) {
  return Allocate(devPtr, size,
                  [&](CUdeviceptr* address) { return SIMGPU_DRIVER(cuMemAlloc)(address, size); });
}

SIMGPU_RUNTIME(kContext, cudaMallocManaged, (void** devPtr, size_t size, unsigned int flags),
               devPtr, size, flags) {
  if (size == 0) return cudaErrorInvalidValue;
  return Allocate(devPtr, size, [&](CUdeviceptr* address) {
    return SIMGPU_DRIVER(cuMemAllocManaged)(address, size, flags);
  });
}

SIMGPU_RUNTIME(kContext, cudaMallocPitch,
               (void** devPtr, size_t* pitch, size_t width, size_t height), devPtr, pitch, width,
               height) {
  return AllocatePitched(devPtr, pitch, width, height);
}

SIMGPU_RUNTIME(kContext, cudaMalloc3D,
               (struct cudaPitchedPtr * pitchedDevPtr, struct cudaExtent extent), pitchedDevPtr,
               extent) {
  pitchedDevPtr->xsize = extent.width;
  pitchedDevPtr->ysize = extent.height;
  return AllocatePitched(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width,
                         extent.height * extent.depth);
}

SIMGPU_RUNTIME(kContext, cudaFree, (void* devPtr), devPtr) {
  return devPtr == nullptr ? cudaSuccess : AsError(SIMGPU_DRIVER(cuMemFree)(AsDevice(devPtr)));
}

SIMGPU_RUNTIME(kContext, cudaMallocHost, (void** ptr, size_t size), ptr, size) {
  return AllocateHost(ptr, size, 0);
}

SIMGPU_RUNTIME(kContext, cudaHostAlloc, (void** pHost, size_t size, unsigned int flags), pHost,
               size, flags) {
  return AllocateHost(pHost, size, flags);
}

SIMGPU_RUNTIME(kContext, cudaFreeHost, (void* ptr), ptr) {
  return ptr == nullptr ? cudaSuccess : AsError(SIMGPU_DRIVER(cuMemFreeHost)(ptr));
}

SIMGPU_RUNTIME(kContext, cudaHostRegister, (void* ptr, size_t size, unsigned int flags), ptr, size,
               flags) {
  return AsError(SIMGPU_DRIVER(cuMemHostRegister)(ptr, size, flags));
}

SIMGPU_RUNTIME(kContext, cudaHostUnregister, (void* ptr), ptr) {
  return AsError(SIMGPU_DRIVER(cuMemHostUnregister)(ptr));
}

SIMGPU_RUNTIME(kContext, cudaHostGetDevicePointer,
               (void** pDevice, void* pHost, unsigned int flags), pDevice, pHost, flags) {
  CUdeviceptr address = 0;
  const CUresult result = SIMGPU_DRIVER(cuMemHostGetDevicePointer)(&address, pHost, flags);
  *pDevice = reinterpret_cast<void*>(address);
  return AsError(result);
}

SIMGPU_RUNTIME(kContext, cudaHostGetFlags, (unsigned int* pFlags, void* pHost), pFlags, pHost) {
  return AsError(SIMGPU_DRIVER(cuMemHostGetFlags)(pFlags, pHost));
}

SIMGPU_RUNTIME(kContext, cudaMemGetInfo, (size_t * free, size_t* total), free, total) {
  return AsError(SIMGPU_DRIVER(cuMemGetInfo)(free, total));
}

SIMGPU_RUNTIME(kContext, cudaPointerGetAttributes,
               (struct cudaPointerAttributes * attributes, const void* ptr), attributes, ptr) {
  if (attributes == nullptr) return cudaErrorInvalidValue;
  std::memset(attributes, 0, kPointerAttributesSize);
  unsigned type = 0, managed = 0;
  int ordinal = -2;  // cudaInvalidDeviceId
  CUdeviceptr device = 0;
  void* host = nullptr;
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                  CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                  CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                  CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void* values[] = {&type, &managed, &ordinal, &device, &host};
  const CUresult result = SIMGPU_DRIVER(cuPointerGetAttributes)(5, wanted, values, AsDevice(ptr));
  attributes->type = TypeOf(type, managed);
  attributes->device = ordinal;
  attributes->devicePointer = reinterpret_cast<void*>(device);
  attributes->hostPointer =
      attributes->type == cudaMemoryTypeUnregistered ? const_cast<void*>(ptr) : host;
  return AsError(result);
}

SIMGPU_RUNTIME(kContext, cudaMemAdvise,
               (const void* devPtr, size_t count, enum cudaMemoryAdvise advice,
                struct cudaMemLocation location),
               devPtr, count, advice, location) {
  return AsError(SIMGPU_DRIVER(cuMemAdvise)(
      AsDevice(devPtr), count, static_cast<CUmem_advise>(advice), AsLocation(location)));
}

SIMGPU_RUNTIME(kContext, cudaGetSymbolAddress, (void** devPtr, const void* symbol), devPtr,
               symbol) {
  CUdeviceptr address = 0;
  size_t bytes = 0;
  const cudaError_t error = simgpu::runtime::FindVariable(symbol, &address, &bytes);
  *devPtr = reinterpret_cast<void*>(address);
  return error;
}

SIMGPU_RUNTIME(kContext, cudaGetSymbolSize, (size_t * size, const void* symbol), size, symbol) {
  CUdeviceptr address = 0;
  return simgpu::runtime::FindVariable(symbol, &address, size);
}

// ---- pools
// -----------------------------------------------------------------------------------------------------------

SIMGPU_RUNTIME(kDriver, cudaDeviceGetDefaultMemPool, (cudaMemPool_t * memPool, int device), memPool,
               device) {
  return AsError(
      SIMGPU_DRIVER(cuDeviceGetDefaultMemPool)(reinterpret_cast<CUmemoryPool*>(memPool), device));
}

SIMGPU_RUNTIME(kDriver, cudaDeviceGetMemPool, (cudaMemPool_t * memPool, int device), memPool,
               device) {
  return AsError(
      SIMGPU_DRIVER(cuDeviceGetMemPool)(reinterpret_cast<CUmemoryPool*>(memPool), device));
}

SIMGPU_RUNTIME(kDriver, cudaDeviceSetMemPool, (int device, cudaMemPool_t memPool), device,
               memPool) {
  return AsError(SIMGPU_DRIVER(cuDeviceSetMemPool)(device, AsPool(memPool)));
}

SIMGPU_RUNTIME(kDriver, cudaMemPoolCreate,
               (cudaMemPool_t * memPool, const struct cudaMemPoolProps* poolProps), memPool,
               poolProps) {
  // One layout under two names.
  static_assert(sizeof(cudaMemPoolProps) == sizeof(CUmemPoolProps));
  return AsError(
      SIMGPU_DRIVER(cuMemPoolCreate)(reinterpret_cast<CUmemoryPool*>(memPool),
                                     reinterpret_cast<const CUmemPoolProps*>(poolProps)));
}

SIMGPU_RUNTIME(kDriver, cudaMemPoolDestroy, (cudaMemPool_t memPool), memPool) {
  return AsError(SIMGPU_DRIVER(cuMemPoolDestroy)(AsPool(memPool)));
}

SIMGPU_RUNTIME(kDriver, cudaMemPoolTrimTo, (cudaMemPool_t memPool, size_t minBytesToKeep), memPool,
               minBytesToKeep) {
  return AsError(SIMGPU_DRIVER(cuMemPoolTrimTo)(AsPool(memPool), minBytesToKeep));
}

SIMGPU_RUNTIME(kDriver, cudaMemPoolSetAttribute,
               (cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void* value), memPool, attr,
               value) {
  return AsError(SIMGPU_DRIVER(cuMemPoolSetAttribute)(
      AsPool(memPool), static_cast<CUmemPool_attribute>(attr), value));
}

SIMGPU_RUNTIME(kDriver, cudaMemPoolGetAttribute,
               (cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void* value), memPool, attr,
               value) {
  return AsError(SIMGPU_DRIVER(cuMemPoolGetAttribute)(
      AsPool(memPool), static_cast<CUmemPool_attribute>(attr), value));
}

SIMGPU_RUNTIME(kDriver, cudaMemPoolSetAccess,
               (cudaMemPool_t memPool, const struct cudaMemAccessDesc* descList, size_t count),
               memPool, descList, count) {
  return AsError(SIMGPU_DRIVER(cuMemPoolSetAccess)(
      AsPool(memPool), reinterpret_cast<const CUmemAccessDesc*>(descList), count));
}

SIMGPU_RUNTIME(kDriver, cudaMemPoolGetAccess,
               (enum cudaMemAccessFlags * flags, cudaMemPool_t memPool,
                struct cudaMemLocation* location),
               flags, memPool, location) {
  return AsError(SIMGPU_DRIVER(cuMemPoolGetAccess)(reinterpret_cast<CUmemAccess_flags*>(flags),
                                                   AsPool(memPool),
                                                   reinterpret_cast<CUmemLocation*>(location)));
}
