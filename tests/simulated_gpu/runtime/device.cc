// SPDX-License-Identifier: Apache-2.0
// The runtime API: devices, versions, errors.
#include <cstring>

#include "tests/simulated_gpu/runtime/api.h"

using simgpu::runtime::AsError;
using simgpu::runtime::Needs;
using simgpu::runtime::ThreadDevice;

namespace {

struct ErrorText {
  int number;
  const char* name;
  const char* text;
};

constexpr ErrorText kErrors[] = {
#define X(number, driver, runtime, text) {number, #runtime, text},
#include "tests/simulated_gpu/engine/errors.def"
#undef X
};

const ErrorText* FindError(cudaError_t error) {
  for (const ErrorText& row : kErrors) {
    if (row.number == static_cast<int>(error)) return &row;
  }
  return nullptr;
}

cudaError_t CheckDevice(int device) {
  int count = 0;
  const CUresult result = SIMGPU_DRIVER(cuDeviceGetCount)(&count);
  if (result != CUDA_SUCCESS) return AsError(result);
  return device < 0 || device >= count ? cudaErrorInvalidDevice : cudaSuccess;
}

int Attribute(CUdevice_attribute attribute, int device) {
  int value = 0;
  SIMGPU_DRIVER(cuDeviceGetAttribute)(&value, attribute, device);
  return value;
}

// X(field, attribute): the fields that are one attribute each.
#define SIMGPU_PROPERTIES(X)                                                    \
  X(regsPerBlock, MAX_REGISTERS_PER_BLOCK)                                      \
  X(warpSize, WARP_SIZE)                                                        \
  X(memPitch, MAX_PITCH)                                                        \
  X(maxThreadsPerBlock, MAX_THREADS_PER_BLOCK)                                  \
  X(maxThreadsDim[0], MAX_BLOCK_DIM_X)                                          \
  X(maxThreadsDim[1], MAX_BLOCK_DIM_Y)                                          \
  X(maxThreadsDim[2], MAX_BLOCK_DIM_Z)                                          \
  X(maxGridSize[0], MAX_GRID_DIM_X)                                             \
  X(maxGridSize[1], MAX_GRID_DIM_Y)                                             \
  X(maxGridSize[2], MAX_GRID_DIM_Z)                                             \
  X(totalConstMem, TOTAL_CONSTANT_MEMORY)                                       \
  X(major, COMPUTE_CAPABILITY_MAJOR)                                            \
  X(minor, COMPUTE_CAPABILITY_MINOR)                                            \
  X(textureAlignment, TEXTURE_ALIGNMENT)                                        \
  X(texturePitchAlignment, TEXTURE_PITCH_ALIGNMENT)                             \
  X(surfaceAlignment, SURFACE_ALIGNMENT)                                        \
  X(multiProcessorCount, MULTIPROCESSOR_COUNT)                                  \
  X(canMapHostMemory, CAN_MAP_HOST_MEMORY)                                      \
  X(concurrentKernels, CONCURRENT_KERNELS)                                      \
  X(pciBusID, PCI_BUS_ID)                                                       \
  X(asyncEngineCount, ASYNC_ENGINE_COUNT)                                       \
  X(unifiedAddressing, UNIFIED_ADDRESSING)                                      \
  X(memoryBusWidth, GLOBAL_MEMORY_BUS_WIDTH)                                    \
  X(l2CacheSize, L2_CACHE_SIZE)                                                 \
  X(persistingL2CacheMaxSize, MAX_PERSISTING_L2_CACHE_SIZE)                     \
  X(maxThreadsPerMultiProcessor, MAX_THREADS_PER_MULTIPROCESSOR)                \
  X(streamPrioritiesSupported, STREAM_PRIORITIES_SUPPORTED)                     \
  X(globalL1CacheSupported, GLOBAL_L1_CACHE_SUPPORTED)                          \
  X(localL1CacheSupported, LOCAL_L1_CACHE_SUPPORTED)                            \
  X(sharedMemPerBlock, MAX_SHARED_MEMORY_PER_BLOCK)                             \
  X(sharedMemPerMultiprocessor, MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)           \
  X(sharedMemPerBlockOptin, MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)                  \
  X(reservedSharedMemPerBlock, RESERVED_SHARED_MEMORY_PER_BLOCK)                \
  X(regsPerMultiprocessor, MAX_REGISTERS_PER_MULTIPROCESSOR)                    \
  X(managedMemory, MANAGED_MEMORY)                                              \
  X(concurrentManagedAccess, CONCURRENT_MANAGED_ACCESS)                         \
  X(computePreemptionSupported, COMPUTE_PREEMPTION_SUPPORTED)                   \
  X(canUseHostPointerForRegisteredMem, CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM) \
  X(cooperativeLaunch, COOPERATIVE_LAUNCH)                                      \
  X(maxBlocksPerMultiProcessor, MAX_BLOCKS_PER_MULTIPROCESSOR)                  \
  X(accessPolicyMaxWindowSize, MAX_ACCESS_POLICY_WINDOW_SIZE)                   \
  X(hostRegisterSupported, HOST_REGISTER_SUPPORTED)                             \
  X(memoryPoolsSupported, MEMORY_POOLS_SUPPORTED)                               \
  X(clusterLaunch, CLUSTER_LAUNCH)                                              \
  X(ipcEventSupported, IPC_EVENT_SUPPORTED)

}  // namespace

SIMGPU_RUNTIME(kDriver, cudaGetDeviceCount, (int* count), count) {
  return count == nullptr ? cudaErrorInvalidValue : AsError(SIMGPU_DRIVER(cuDeviceGetCount)(count));
}

SIMGPU_RUNTIME(kDriver, cudaSetDevice, (int device), device) {
  if (const cudaError_t error = CheckDevice(device)) return error;
  ThreadDevice() = device;
  return static_cast<cudaError_t>(simgpu::runtime::TheSeam()->bind_primary(device));
}

SIMGPU_RUNTIME(kDriver, cudaInitDevice, (int device, unsigned int deviceFlags, unsigned int flags),
               device, deviceFlags, flags) {
  if (const cudaError_t error = CheckDevice(device)) return error;
  if ((flags & cudaInitDeviceFlagsAreValid) == 0) return cudaSuccess;
  return AsError(SIMGPU_DRIVER(cuDevicePrimaryCtxSetFlags)(device, deviceFlags));
}

SIMGPU_RUNTIME(kDriver, cudaGetDevice, (int* device), device) {
  if (device == nullptr) return cudaErrorInvalidValue;
  const int current = simgpu::runtime::TheSeam()->current_device();
  *device = current >= 0 ? current : ThreadDevice();
  return cudaSuccess;
}

SIMGPU_RUNTIME(kDriver, cudaSetDeviceFlags, (unsigned int flags), flags) {
  return AsError(SIMGPU_DRIVER(cuDevicePrimaryCtxSetFlags)(ThreadDevice(), flags));
}

SIMGPU_RUNTIME(kDriver, cudaGetDeviceFlags, (unsigned int* flags), flags) {
  return AsError(SIMGPU_DRIVER(cuDevicePrimaryCtxGetState)(ThreadDevice(), flags, nullptr));
}

SIMGPU_RUNTIME(kDriver, cudaDeviceGetAttribute, (int* value, enum cudaDeviceAttr attr, int device),
               value, attr, device) {
  return AsError(
      SIMGPU_DRIVER(cuDeviceGetAttribute)(value, static_cast<CUdevice_attribute>(attr), device));
}

SIMGPU_RUNTIME(kDriver, cudaGetDeviceProperties, (struct cudaDeviceProp * prop, int device), prop,
               device) {
  if (const cudaError_t error = CheckDevice(device)) return error;
  if (prop == nullptr) return cudaErrorInvalidValue;
  *prop = cudaDeviceProp{};
  SIMGPU_DRIVER(cuDeviceGetName)(prop->name, sizeof prop->name, device);
  SIMGPU_DRIVER(cuDeviceGetUuid)(reinterpret_cast<CUuuid*>(&prop->uuid), device);
  SIMGPU_DRIVER(cuDeviceTotalMem)(&prop->totalGlobalMem, device);
#define SIMGPU_FIELD(field, attribute) \
  prop->field =                        \
      static_cast<decltype(prop->field + 0)>(Attribute(CU_DEVICE_ATTRIBUTE_##attribute, device));
  SIMGPU_PROPERTIES(SIMGPU_FIELD)
#undef SIMGPU_FIELD
  return cudaSuccess;
}

SIMGPU_RUNTIME(kDriver, cudaChooseDevice, (int* device, const struct cudaDeviceProp* prop), device,
               prop) {
  if (device == nullptr || prop == nullptr) return cudaErrorInvalidValue;
  *device = 0;
  return cudaSuccess;
}

SIMGPU_RUNTIME(kDriver, cudaDeviceGetPCIBusId, (char* pciBusId, int len, int device), pciBusId, len,
               device) {
  return AsError(SIMGPU_DRIVER(cuDeviceGetPCIBusId)(pciBusId, len, device));
}

SIMGPU_RUNTIME(kDriver, cudaDeviceGetByPCIBusId, (int* device, const char* pciBusId), device,
               pciBusId) {
  return AsError(SIMGPU_DRIVER(cuDeviceGetByPCIBusId)(device, pciBusId));
}

SIMGPU_RUNTIME(kContext, cudaDeviceGetStreamPriorityRange,
               (int* leastPriority, int* greatestPriority), leastPriority, greatestPriority) {
  return AsError(SIMGPU_DRIVER(cuCtxGetStreamPriorityRange)(leastPriority, greatestPriority));
}

SIMGPU_RUNTIME(kContext, cudaDeviceSetLimit, (enum cudaLimit limit, size_t value), limit, value) {
  return AsError(SIMGPU_DRIVER(cuCtxSetLimit)(static_cast<CUlimit>(limit), value));
}

SIMGPU_RUNTIME(kContext, cudaDeviceGetLimit, (size_t * pValue, enum cudaLimit limit), pValue,
               limit) {
  return AsError(SIMGPU_DRIVER(cuCtxGetLimit)(pValue, static_cast<CUlimit>(limit)));
}

SIMGPU_RUNTIME(kContext, cudaDeviceSetCacheConfig, (enum cudaFuncCache cacheConfig), cacheConfig) {
  return AsError(SIMGPU_DRIVER(cuCtxSetCacheConfig)(static_cast<CUfunc_cache>(cacheConfig)));
}

SIMGPU_RUNTIME_NO_STRUCT(kContext, cudaCtxResetPersistingL2Cache, (), ()) {
  return AsError(SIMGPU_DRIVER(cuCtxResetPersistingL2Cache)());
}

SIMGPU_RUNTIME_NO_STRUCT(kContext, cudaDeviceSynchronize, (), ()) {
  return AsError(SIMGPU_DRIVER(cuCtxSynchronize)());
}

SIMGPU_RUNTIME_NO_STRUCT(kDriver, cudaDeviceReset, (), ()) {
  return AsError(SIMGPU_DRIVER(cuDevicePrimaryCtxReset)(ThreadDevice()));
}

SIMGPU_RUNTIME(kDriver, cudaDeviceCanAccessPeer, (int* canAccessPeer, int device, int peerDevice),
               canAccessPeer, device, peerDevice) {
  return AsError(SIMGPU_DRIVER(cuDeviceCanAccessPeer)(canAccessPeer, device, peerDevice));
}

SIMGPU_RUNTIME(kDriver, cudaDeviceGetP2PAttribute,
               (int* value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice), value, attr,
               srcDevice, dstDevice) {
  return AsError(SIMGPU_DRIVER(cuDeviceGetP2PAttribute)(
      value, static_cast<CUdevice_P2PAttribute>(attr), srcDevice, dstDevice));
}

namespace {

template <class Call>
cudaError_t WithPeer(int device, Call call) {
  CUcontext peer = nullptr;
  const cudaError_t error = simgpu::runtime::PrimaryContext(device, &peer);
  return error != cudaSuccess ? error : AsError(call(peer));
}

}  // namespace

SIMGPU_RUNTIME(kContext, cudaDeviceEnablePeerAccess, (int peerDevice, unsigned int flags),
               peerDevice, flags) {
  return WithPeer(peerDevice, [&](CUcontext peer) {
    return SIMGPU_DRIVER(cuCtxEnablePeerAccess)(peer, flags);
  });
}

SIMGPU_RUNTIME(kContext, cudaDeviceDisablePeerAccess, (int peerDevice), peerDevice) {
  return WithPeer(peerDevice,
                  [&](CUcontext peer) { return SIMGPU_DRIVER(cuCtxDisablePeerAccess)(peer); });
}

// ---- versions and errors: without a driver too
// -------------------------------------------------------------------------

SIMGPU_EXPORT cudaError_t CUDARTAPI cudaDriverGetVersion(int* driverVersion) {
  if (driverVersion == nullptr) return simgpu::runtime::Note(cudaErrorInvalidValue);
  *driverVersion = 0;
  if (simgpu::runtime::TheSeam() == nullptr) return cudaSuccess;
  return AsError(SIMGPU_DRIVER(cuDriverGetVersion)(driverVersion));
}

SIMGPU_EXPORT cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* runtimeVersion) {
  if (runtimeVersion == nullptr) return simgpu::runtime::Note(cudaErrorInvalidValue);
  *runtimeVersion = SIMGPU_RUNTIME_VERSION;
  return cudaSuccess;
}

namespace {

// These two are calls too, which are traced, but never fail, and do not end a spin: who spins may
// clear the error after each query.
cudaError_t TellLastError(uint32_t cbid, const char* name, bool reset) {
  const simgpu::Seam* seam = simgpu::runtime::TheSeam();
  if (seam == nullptr) return simgpu::runtime::LastError(reset);
  simgpu::ApiScope scope(*seam, simgpu::Domain::kRuntime, cbid, name, nullptr, nullptr, true);
  return static_cast<cudaError_t>(scope.Return(simgpu::runtime::LastError(reset)));
}

}  // namespace

SIMGPU_EXPORT cudaError_t CUDARTAPI cudaGetLastError() {
  return TellLastError(SIMGPU_CBID_cudaGetLastError, "cudaGetLastError", true);
}

SIMGPU_EXPORT cudaError_t CUDARTAPI cudaPeekAtLastError() {
  return TellLastError(SIMGPU_CBID_cudaPeekAtLastError, "cudaPeekAtLastError", false);
}

SIMGPU_EXPORT const char* CUDARTAPI cudaGetErrorName(cudaError_t error) {
  const ErrorText* row = FindError(error);
  return row == nullptr ? "unrecognized error code" : row->name;
}

SIMGPU_EXPORT const char* CUDARTAPI cudaGetErrorString(cudaError_t error) {
  const ErrorText* row = FindError(error);
  return row == nullptr ? "unrecognized error code" : row->text;
}

SIMGPU_RUNTIME_NO_STRUCT(kNothing, cudaProfilerStart, (), ()) { return cudaSuccess; }
SIMGPU_RUNTIME_NO_STRUCT(kNothing, cudaProfilerStop, (), ()) { return cudaSuccess; }
