// SPDX-License-Identifier: Apache-2.0
// nvcc's registration entry points and the launch configuration of <<<>>>.
#include "tests/simulated_gpu/runtime/registration.h"

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "tests/simulated_gpu/runtime/api.h"

// What crt/host_runtime.h declares; that header is for nvcc's own output only.
#define SIMGPU_CRT extern "C" __attribute__((visibility("default")))

namespace simgpu::runtime {
namespace {

// One fat binary: what the program got as its handle.
struct Binary {
  void* unused[4];  // nvcc's code may look behind the handle
  const void* image;
  CUlibrary library = nullptr;
  std::vector<std::pair<void**, size_t>> managed;  // variables that get their memory at first use
  bool initialized = false;
};

struct Kernel {
  Binary* binary;
  const char* name;
  CUkernel handle = nullptr;
};

struct Variable {
  Binary* binary;
  const char* name;
  size_t bytes;
};

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, Kernel> kernels;
  std::unordered_map<const void*, Variable> variables;
};

Registry& TheRegistry() {  // leaked: used from static constructors and destructors
  static Registry& registry = *new Registry;
  return registry;
}

// Under the registry's lock.
cudaError_t Load(Binary* binary) {
  if (binary->library != nullptr) return cudaSuccess;
  return AsError(SIMGPU_DRIVER(cuLibraryLoadData)(&binary->library, binary->image, nullptr, nullptr,
                                                  0, nullptr, nullptr, 0));
}

struct LaunchConfiguration {
  dim3 grid, block;
  size_t shared;
  void* stream;
};

// Plain data: launches happen in static destructors too.
constexpr int kMostConfigurations = 16;
thread_local LaunchConfiguration configurations[kMostConfigurations];
thread_local int configuration_count = 0;

}  // namespace

cudaError_t FindKernel(const void* host_symbol, CUkernel* out) {
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  const auto found = registry.kernels.find(host_symbol);
  if (found == registry.kernels.end()) return cudaErrorInvalidDeviceFunction;
  Kernel& kernel = found->second;
  if (kernel.handle == nullptr) {
    if (const cudaError_t error = Load(kernel.binary)) return error;
    const CUresult result =
        SIMGPU_DRIVER(cuLibraryGetKernel)(&kernel.handle, kernel.binary->library, kernel.name);
    if (result != CUDA_SUCCESS) return AsError(result);
  }
  *out = kernel.handle;
  return cudaSuccess;
}

const char* KernelName(const void* host_symbol) {
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  const auto found = registry.kernels.find(host_symbol);
  return found == registry.kernels.end() ? nullptr : found->second.name;
}

cudaError_t FindVariable(const void* host_symbol, CUdeviceptr* address, size_t* bytes) {
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  const auto found = registry.variables.find(host_symbol);
  if (found == registry.variables.end()) return cudaErrorInvalidSymbol;
  const Variable& variable = found->second;
  if (const cudaError_t error = Load(variable.binary)) return error;
  *bytes = variable.bytes;
  return AsError(
      SIMGPU_DRIVER(cuLibraryGetGlobal)(address, bytes, variable.binary->library, variable.name));
}

}  // namespace simgpu::runtime

using simgpu::runtime::AsError;
using simgpu::runtime::Binary;
using simgpu::runtime::Kernel;
using simgpu::runtime::Registry;
using simgpu::runtime::TheRegistry;
using simgpu::runtime::Variable;

SIMGPU_CRT void** __cudaRegisterFatBinary(void* fat_binary) {
  auto* binary = new Binary{};
  binary->image = fat_binary;
  return reinterpret_cast<void**>(binary);
}

SIMGPU_CRT void __cudaRegisterFatBinaryEnd(void** handle) { (void)handle; }

// Called while the process ends, when the driver may be gone: what was registered stays.
SIMGPU_CRT void __cudaUnregisterFatBinary(void** handle) { (void)handle; }

SIMGPU_CRT void __cudaRegisterFunction(void** handle, const char* host_function,
                                       char* device_function, const char* device_name,
                                       int thread_limit, void* tid, void* bid, void* block,
                                       void* grid, int* warp_size) {
  (void)device_function, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid,
      (void)warp_size;
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.kernels[host_function] = Kernel{reinterpret_cast<Binary*>(handle), device_name};
}

SIMGPU_CRT void __cudaRegisterVar(void** handle, char* host_variable, char* device_address,
                                  const char* device_name, int external, size_t size, int constant,
                                  int global) {
  (void)device_address, (void)external, (void)constant, (void)global;
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  registry.variables[host_variable] =
      Variable{reinterpret_cast<Binary*>(handle), device_name, size};
}

SIMGPU_CRT void __cudaRegisterHostVar(void** handle, const char* device_name, char* host_variable,
                                      size_t size) {
  __cudaRegisterVar(handle, host_variable, nullptr, device_name, 0, size, 0, 0);
}

SIMGPU_CRT void __cudaRegisterManagedVar(void** handle, void** host_pointer, char* device_address,
                                         const char* device_name, int external, size_t size,
                                         int constant, int global) {
  (void)device_address, (void)device_name, (void)external, (void)constant, (void)global;
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  reinterpret_cast<Binary*>(handle)->managed.emplace_back(host_pointer, size);
}

// Before the first use of a managed variable.
SIMGPU_CRT char __cudaInitModule(void** handle) {
  auto* binary = reinterpret_cast<Binary*>(handle);
  if (simgpu::runtime::Prepare(simgpu::runtime::Needs::kContext) != cudaSuccess) return 0;
  Registry& registry = TheRegistry();
  std::lock_guard<std::mutex> lock(registry.mutex);
  if (binary->initialized) return 1;
  binary->initialized = true;
  for (const auto& [host_pointer, bytes] : binary->managed) {
    CUdeviceptr address = 0;
    if (SIMGPU_DRIVER(cuMemAllocManaged)(&address, bytes, CU_MEM_ATTACH_GLOBAL) != CUDA_SUCCESS)
      return 0;
    *host_pointer = reinterpret_cast<void*>(address);
  }
  return 1;
}

SIMGPU_CRT unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared,
                                                struct CUstream_st* stream) {
  using simgpu::runtime::configuration_count;
  if (configuration_count == simgpu::runtime::kMostConfigurations) return 1;
  simgpu::runtime::configurations[configuration_count++] = {grid, block, shared, stream};
  return 0;
}

SIMGPU_CRT cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared,
                                                  void* stream) {
  using simgpu::runtime::configuration_count;
  if (configuration_count == 0) return simgpu::runtime::Note(cudaErrorMissingConfiguration);
  const auto& configuration = simgpu::runtime::configurations[--configuration_count];
  *grid = configuration.grid;
  *block = configuration.block;
  *shared = configuration.shared;
  *static_cast<void**>(stream) = configuration.stream;
  return cudaSuccess;
}

SIMGPU_RUNTIME_NO_STRUCT(kContext, __cudaGetKernel,
                         (cudaKernel_t * kernel, const void* host_symbol), (kernel, host_symbol)) {
  CUkernel found = nullptr;
  const cudaError_t error = simgpu::runtime::FindKernel(host_symbol, &found);
  *kernel = reinterpret_cast<cudaKernel_t>(found);
  return error;
}
