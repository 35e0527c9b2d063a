// SPDX-License-Identifier: Apache-2.0
// libcudart.so.12 only: functions whose form changed with CUDA 13, as programs built with CUDA 12
// call them.
#include <cstddef>
#include <cstring>

#include "tests/simulated_gpu/runtime/api.h"

namespace {

// cudaDeviceProp as CUDA 12 lays it out, from the public order of fields: five stand where 13 has
// none.
struct Properties12 {
  char name[256];
  cudaUUID_t uuid;
  char luid[8];
  unsigned int luidDeviceNodeMask;
  size_t totalGlobalMem, sharedMemPerBlock;
  int regsPerBlock, warpSize;
  size_t memPitch;
  int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3], clockRate;
  size_t totalConstMem;
  int major, minor;
  size_t textureAlignment, texturePitchAlignment;
  int deviceOverlap, multiProcessorCount, kernelExecTimeoutEnabled, integrated, canMapHostMemory,
      computeMode;
  int texture_and_surface_limits[40];
  size_t surfaceAlignment;
  int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver,
      asyncEngineCount;
  int unifiedAddressing, memoryClockRate, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize;
  int maxThreadsPerMultiProcessor, streamPrioritiesSupported, globalL1CacheSupported,
      localL1CacheSupported;
  size_t sharedMemPerMultiprocessor;
  int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID,
      hostNativeAtomicSupported;
  int singleToDoublePrecisionPerfRatio, pageableMemoryAccess, concurrentManagedAccess,
      computePreemptionSupported;
  int canUseHostPointerForRegisteredMem, cooperativeLaunch, cooperativeMultiDeviceLaunch;
  size_t sharedMemPerBlockOptin;
  int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost,
      maxBlocksPerMultiProcessor;
  int accessPolicyMaxWindowSize;
  size_t reservedSharedMemPerBlock;
  int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
  int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
  unsigned int gpuDirectRDMAFlushWritesOptions;
  int gpuDirectRDMAWritesOrdering;
  unsigned int memoryPoolSupportedHandleTypes;
  int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
  int reserved[63];
};
static_assert(offsetof(Properties12, concurrentKernels) == 576 && sizeof(Properties12) == 1032,
              "as in the headers of CUDA 12.0 to 12.9");

// X(field): same name and meaning in both.
// clang-format off: a table, which it would not bring to rest.
#define SIMGPU_SAME(X)                 \
  X(luidDeviceNodeMask)                \
  X(totalGlobalMem)                    \
  X(sharedMemPerBlock)                 \
  X(regsPerBlock)                      \
  X(warpSize)                          \
  X(memPitch)                          \
  X(maxThreadsPerBlock)                \
  X(maxThreadsDim[0])                  \
  X(maxThreadsDim[1])                  \
  X(maxThreadsDim[2])                  \
  X(maxGridSize[0])                    \
  X(maxGridSize[1])                    \
  X(maxGridSize[2])                    \
  X(totalConstMem)                     \
  X(major)                             \
  X(minor)                             \
  X(textureAlignment)                  \
  X(texturePitchAlignment)             \
  X(multiProcessorCount)               \
  X(canMapHostMemory)                  \
  X(surfaceAlignment)                  \
  X(concurrentKernels)                 \
  X(pciBusID)                          \
  X(pciDeviceID)                       \
  X(pciDomainID)                       \
  X(asyncEngineCount)                  \
  X(unifiedAddressing)                 \
  X(memoryBusWidth)                    \
  X(l2CacheSize)                       \
  X(persistingL2CacheMaxSize)          \
  X(maxThreadsPerMultiProcessor)       \
  X(streamPrioritiesSupported)         \
  X(globalL1CacheSupported)            \
  X(localL1CacheSupported)             \
  X(sharedMemPerMultiprocessor)        \
  X(regsPerMultiprocessor)             \
  X(managedMemory)                     \
  X(concurrentManagedAccess)           \
  X(computePreemptionSupported)        \
  X(canUseHostPointerForRegisteredMem) \
  X(cooperativeLaunch)                 \
  X(sharedMemPerBlockOptin)            \
  X(maxBlocksPerMultiProcessor)        \
  X(accessPolicyMaxWindowSize)         \
  X(reservedSharedMemPerBlock)         \
  X(hostRegisterSupported)             \
  X(memoryPoolsSupported)              \
  X(clusterLaunch)                     \
  X(ipcEventSupported)
// clang-format on

}  // namespace

// CUDA 12's headers rename cudaGetDeviceProperties to this.
SIMGPU_EXPORT cudaError_t CUDARTAPI cudaGetDeviceProperties_v2(void* prop, int device) {
  cudaDeviceProp current;
  if (const cudaError_t error = cudaGetDeviceProperties(&current, device)) return error;
  auto* old = static_cast<Properties12*>(prop);
  std::memset(old, 0, sizeof *old);
  std::memcpy(old->name, current.name, sizeof old->name);
  old->uuid = current.uuid;
#define SIMGPU_COPY(field) old->field = current.field;
  SIMGPU_SAME(SIMGPU_COPY)
#undef SIMGPU_COPY
  old->clockRate = 1785000;
  old->memoryClockRate = 2619000;
  old->deviceOverlap = 1;
  old->singleToDoublePrecisionPerfRatio = 2;
  return cudaSuccess;
}
