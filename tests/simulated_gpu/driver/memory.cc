// SPDX-License-Identifier: Apache-2.0
// The driver API: allocation, host memory, pointers, and memory pools.
#include "tests/simulated_gpu/engine/memory.h"

#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/engine/graph.h"

using simgpu::Allocation;
using simgpu::AsPointer;
using simgpu::AsResult;
using simgpu::CurrentContext;
using simgpu::Device;
using simgpu::FindMemory;
using simgpu::MemoryKind;
using simgpu::Pool;

namespace {

constexpr size_t kPitchAlignment = 512;

CUresult AllocateInto(CUdeviceptr* out, size_t bytes, MemoryKind kind, unsigned flags = 0) {
  if (out == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (const int refused = simgpu::RefuseUnsafeCall()) return AsResult(refused);
  void* address = nullptr;
  const int result = simgpu::Allocate(CurrentContext(), bytes, kind, flags, &address);
  *out = reinterpret_cast<CUdeviceptr>(address);
  return AsResult(result);
}

CUresult AllocateHost(void** out, size_t bytes, unsigned flags) {
  CUdeviceptr address = 0;
  const CUresult result = AllocateInto(&address, bytes, MemoryKind::kPinned, flags);
  *out = AsPointer(address);
  return result;
}

CUmemorytype TypeOf(const Allocation& memory) {
  return memory.kind == MemoryKind::kPinned ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

template <class T>
void Answer(void* data, T value) {
  *static_cast<T*>(data) = value;
}

CUresult PointerAttribute(void* data, CUpointer_attribute attribute, CUdeviceptr address) {
  const std::optional<Allocation> memory = FindMemory(AsPointer(address));
  if (!memory) return CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
    case CU_POINTER_ATTRIBUTE_CONTEXT:
      Answer(data, reinterpret_cast<CUcontext>(memory->context));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
      Answer(data, static_cast<unsigned>(TypeOf(*memory)));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
      Answer(data, address);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_HOST_POINTER:
      if (memory->kind == MemoryKind::kDevice) return CUDA_ERROR_INVALID_VALUE;
      Answer(data, AsPointer(address));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
      Answer(data, static_cast<int>(memory->context->device->ordinal));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_IS_MANAGED:
      Answer(data, memory->kind == MemoryKind::kManaged ? 1u : 0u);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_BUFFER_ID:
      Answer(data, static_cast<unsigned long long>(memory->id));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
      Answer(data, static_cast<CUdeviceptr>(memory->base));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
      Answer(data, static_cast<size_t>(memory->bytes));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MAPPED:
      Answer(data, 1);
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
      Answer(data, reinterpret_cast<CUmemoryPool>(memory->pool));
      return CUDA_SUCCESS;
    case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
      Answer(data, 0);
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUmemoryPool Handle(Pool* pool) { return reinterpret_cast<CUmemoryPool>(pool); }

}  // namespace

SIMGPU_CALL(kContext, cuMemAlloc, (CUdeviceptr * dptr, size_t bytesize), dptr, bytesize) {
  return AllocateInto(dptr, bytesize, MemoryKind::kDevice);
}

SIMGPU_CALL(kContext, cuMemAllocPitch,
            (CUdeviceptr * dptr, size_t* pPitch, size_t WidthInBytes, size_t Height,
             unsigned int ElementSizeBytes),
            dptr, pPitch, WidthInBytes, Height, ElementSizeBytes) {
  (void)ElementSizeBytes;
  if (pPitch == nullptr || WidthInBytes == 0 || Height == 0) return CUDA_ERROR_INVALID_VALUE;
  *pPitch = (WidthInBytes + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  return AllocateInto(dptr, *pPitch * Height, MemoryKind::kDevice);
}

SIMGPU_CALL(kContext, cuMemAllocManaged, (CUdeviceptr * dptr, size_t bytesize, unsigned int flags),
            dptr, bytesize, flags) {
  return AllocateInto(dptr, bytesize, MemoryKind::kManaged, flags);
}

SIMGPU_CALL(kContext, cuMemFree, (CUdeviceptr dptr), dptr) {
  if (const int refused = simgpu::RefuseUnsafeCall()) return AsResult(refused);
  return AsResult(simgpu::Free(AsPointer(dptr), false));
}

SIMGPU_CALL(kContext, cuMemAllocHost, (void** pp, size_t bytesize), pp, bytesize) {
  return AllocateHost(pp, bytesize, 0);
}

SIMGPU_CALL(kContext, cuMemHostAlloc, (void** pp, size_t bytesize, unsigned int Flags), pp,
            bytesize, Flags) {
  return AllocateHost(pp, bytesize, Flags);
}

SIMGPU_CALL(kContext, cuMemFreeHost, (void* p), p) {
  if (const int refused = simgpu::RefuseUnsafeCall()) return AsResult(refused);
  return AsResult(simgpu::Free(p, true));
}

SIMGPU_CALL(kContext, cuMemHostRegister, (void* p, size_t bytesize, unsigned int Flags), p,
            bytesize, Flags) {
  return AsResult(simgpu::RegisterHost(CurrentContext(), p, bytesize, Flags));
}

SIMGPU_CALL(kContext, cuMemHostUnregister, (void* p), p) {
  return AsResult(simgpu::UnregisterHost(p));
}

SIMGPU_CALL(kContext, cuMemHostGetDevicePointer, (CUdeviceptr * pdptr, void* p, unsigned int Flags),
            pdptr, p, Flags) {
  const std::optional<Allocation> memory = FindMemory(p);
  if (!memory || memory->kind != MemoryKind::kPinned || Flags != 0) return CUDA_ERROR_INVALID_VALUE;
  *pdptr = reinterpret_cast<CUdeviceptr>(p);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuMemHostGetFlags, (unsigned int* pFlags, void* p), pFlags, p) {
  const std::optional<Allocation> memory = FindMemory(p);
  if (!memory || memory->kind != MemoryKind::kPinned) return CUDA_ERROR_INVALID_VALUE;
  *pFlags = memory->flags;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuMemGetInfo, (size_t * free, size_t* total), free, total) {
  uint64_t free_bytes, total_bytes;
  simgpu::MemoryInfo(CurrentContext()->device, &free_bytes, &total_bytes);
  if (free != nullptr) *free = free_bytes;
  if (total != nullptr) *total = total_bytes;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuMemGetAddressRange, (CUdeviceptr * pbase, size_t* psize, CUdeviceptr dptr),
            pbase, psize, dptr) {
  const std::optional<Allocation> memory = FindMemory(AsPointer(dptr));
  if (!memory) return CUDA_ERROR_NOT_FOUND;
  if (pbase != nullptr) *pbase = memory->base;
  if (psize != nullptr) *psize = memory->bytes;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuMemAdvise,
            (CUdeviceptr devPtr, size_t count, CUmem_advise advice, CUmemLocation location), devPtr,
            count, advice, location) {
  (void)advice, (void)location;
  const std::optional<Allocation> memory = FindMemory(AsPointer(devPtr));
  return memory && memory->kind == MemoryKind::kManaged && count != 0 ? CUDA_SUCCESS
                                                                      : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_CALL(kDriver, cuPointerGetAttribute,
            (void* data, CUpointer_attribute attribute, CUdeviceptr ptr), data, attribute, ptr) {
  return data == nullptr ? CUDA_ERROR_INVALID_VALUE : PointerAttribute(data, attribute, ptr);
}

SIMGPU_CALL(kDriver, cuPointerGetAttributes,
            (unsigned int numAttributes, CUpointer_attribute* attributes, void** data,
             CUdeviceptr ptr),
            numAttributes, attributes, data, ptr) {
  for (unsigned i = 0; i < numAttributes; ++i) {
    // Unknown memory is no error here: null and 0, as the header says.
    if (PointerAttribute(data[i], attributes[i], ptr) == CUDA_SUCCESS) continue;
    const bool wide = attributes[i] == CU_POINTER_ATTRIBUTE_CONTEXT ||
                      attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
                      attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER;
    if (wide) {
      Answer<void*>(data[i], nullptr);
    } else {
      Answer(data[i], attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL ? -2 : 0);
    }
  }
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuPointerSetAttribute,
            (const void* value, CUpointer_attribute attribute, CUdeviceptr ptr), value, attribute,
            ptr) {
  (void)value;
  if (!FindMemory(AsPointer(ptr))) return CUDA_ERROR_INVALID_VALUE;
  return attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

// ---- pools
// -----------------------------------------------------------------------------------------------------------

SIMGPU_CALL(kDriver, cuDeviceGetDefaultMemPool, (CUmemoryPool * pool_out, CUdevice dev), pool_out,
            dev) {
  Device* device = simgpu::DeviceAt(dev);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *pool_out = Handle(simgpu::DefaultPool(device));
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceGetMemPool, (CUmemoryPool * pool, CUdevice dev), pool, dev) {
  Device* device = simgpu::DeviceAt(dev);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *pool = Handle(simgpu::CurrentPool(device));
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuDeviceSetMemPool, (CUdevice dev, CUmemoryPool pool), dev, pool) {
  Device* device = simgpu::DeviceAt(dev);
  Pool* chosen = simgpu::AsPool(pool);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (chosen == nullptr || chosen->device != device) return CUDA_ERROR_INVALID_VALUE;
  simgpu::CurrentPool(device) = chosen;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemPoolCreate, (CUmemoryPool * pool, const CUmemPoolProps* poolProps), pool,
            poolProps) {
  if (pool == nullptr || poolProps == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (poolProps->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
  Device* device = simgpu::DeviceAt(poolProps->location.id);
  if (device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  *pool = Handle(simgpu::CreatePool(device));
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemPoolDestroy, (CUmemoryPool pool), pool) {
  Pool* destroyed = simgpu::AsPool(pool);
  if (destroyed == nullptr || destroyed->is_default) return CUDA_ERROR_INVALID_VALUE;
  simgpu::DestroyPool(destroyed);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemPoolTrimTo, (CUmemoryPool pool, size_t minBytesToKeep), pool,
            minBytesToKeep) {
  Pool* trimmed = simgpu::AsPool(pool);
  return trimmed == nullptr ? CUDA_ERROR_INVALID_VALUE
                            : AsResult(simgpu::TrimPool(trimmed, minBytesToKeep));
}

SIMGPU_CALL(kDriver, cuMemPoolSetAccess,
            (CUmemoryPool pool, const CUmemAccessDesc* map, size_t count), pool, map, count) {
  (void)map, (void)count;
  return simgpu::AsPool(pool) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemPoolGetAccess,
            (CUmemAccess_flags * flags, CUmemoryPool memPool, CUmemLocation* location), flags,
            memPool, location) {
  if (simgpu::AsPool(memPool) == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemPoolSetAttribute,
            (CUmemoryPool pool, CUmemPool_attribute attr, void* value), pool, attr, value) {
  Pool* known = simgpu::AsPool(pool);
  if (known == nullptr || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  simgpu::EngineLock lock(simgpu::EngineMutex());
  switch (attr) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      known->release_threshold = *static_cast<cuuint64_t*>(value);
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      known->reserved_high = known->reserved;
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      known->used_high = known->used;
      return CUDA_SUCCESS;
    default:
      return CUDA_SUCCESS;  // how blocks are reused across streams: not modelled in more detail
  }
}

SIMGPU_CALL(kDriver, cuMemPoolGetAttribute,
            (CUmemoryPool pool, CUmemPool_attribute attr, void* value), pool, attr, value) {
  const Pool* known = simgpu::AsPool(pool);
  if (known == nullptr || value == nullptr) return CUDA_ERROR_INVALID_VALUE;
  simgpu::EngineLock lock(simgpu::EngineMutex());
  switch (attr) {
    case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
      Answer<cuuint64_t>(value, known->release_threshold);
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
      Answer<cuuint64_t>(value, known->reserved);
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
      Answer<cuuint64_t>(value, known->reserved_high);
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
      Answer<cuuint64_t>(value, known->used);
      return CUDA_SUCCESS;
    case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
      Answer<cuuint64_t>(value, known->used_high);
      return CUDA_SUCCESS;
    default:
      Answer(value, 1);
      return CUDA_SUCCESS;
  }
}
