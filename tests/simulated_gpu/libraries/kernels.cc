// SPDX-License-Identifier: Apache-2.0
// Launches of a simulated library's own kernels.
#include "tests/simulated_gpu/libraries/kernels.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <unordered_set>

#include "tests/simulated_gpu/runtime/api.h"
#include "tests/simulated_gpu/runtime/registration.h"

// What nvcc's code calls to register; crt/host_runtime.h declares it for nvcc's own output only.
extern "C" void** __cudaRegisterFatBinary(void* fat_binary);
extern "C" void __cudaRegisterFunction(void** handle, const char* host_function,
                                       char* device_function, const char* device_name,
                                       int thread_limit, void* tid, void* bid, void* block,
                                       void* grid, int* warp_size);

namespace simgpu::libraries {
namespace {

// The kernels launched so far. A name's place in memory serves as the host's symbol.
class Catalogue {
 public:
  const void* SymbolOf(std::string_view name) {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto [at, added] = names_.emplace(name);
    if (added) Register(*at);
    return &*at;
  }

 private:
  void Register(const std::string& name) {
    // The mark of the wrapper that nvcc puts around a fat binary: the driver reads no further.
    static uint32_t image[8] = {0x466243b1, 1};
    static void** const binary = __cudaRegisterFatBinary(image);
    __cudaRegisterFunction(binary, reinterpret_cast<const char*>(&name), nullptr, name.c_str(), -1,
                           nullptr, nullptr, nullptr, nullptr, nullptr);
  }

  std::mutex mutex_;
  std::unordered_set<std::string> names_;  // its elements do not move
};

Catalogue& TheCatalogue() {  // leaked: libraries are used in destructors
  static Catalogue& catalogue = *new Catalogue;
  return catalogue;
}

// Says for as long as it lives what this thread's next kernel is.
class Plan {
 public:
  explicit Plan(double us, const std::shared_ptr<Collective>* collective = nullptr)
      : seam_(runtime::TheSeam()) {
    if (seam_ == nullptr) return;
    ThreadState* thread = seam_->thread();
    thread->planned_ns = std::max<uint64_t>(1, static_cast<uint64_t>(us * 1000));
    thread->collective = collective;
  }
  ~Plan() {
    if (seam_ == nullptr) return;
    seam_->thread()->planned_ns = 0;
    seam_->thread()->collective = nullptr;
  }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

 private:
  const Seam* const seam_;
};

int LaunchInClusters(std::string_view name, Shape shape, uint32_t cluster_blocks, void* stream) {
  const void* symbol = TheCatalogue().SymbolOf(name);
  if (const cudaError_t error = runtime::Prepare(runtime::Needs::kContext)) return error;
  CUkernel kernel = nullptr;
  if (const cudaError_t error = runtime::FindKernel(symbol, &kernel)) return error;
  CUlaunchAttribute cluster{};
  cluster.id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
  cluster.value.clusterDim = {cluster_blocks, 1, 1};
  CUlaunchConfig config{};
  config.gridDimX = (shape.blocks + cluster_blocks - 1) / cluster_blocks * cluster_blocks;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.blockDimX = shape.threads;
  config.hStream = static_cast<CUstream>(stream);
  config.attrs = &cluster;
  config.numAttrs = 1;
  return SIMGPU_DRIVER(cuLaunchKernelEx)(&config, reinterpret_cast<CUfunction>(kernel), nullptr,
                                         nullptr);
}

}  // namespace

int LaunchKernel(std::string_view name, Shape shape, double us, void* stream) {
  const void* symbol = TheCatalogue().SymbolOf(name);
  const Plan plan(us);
  return cudaLaunchKernel(symbol, dim3(shape.blocks), dim3(shape.threads), nullptr, 0,
                          static_cast<cudaStream_t>(stream));
}

int LaunchKernelByDriver(std::string_view name, Shape shape, double us, void* stream) {
  const Plan plan(us);
  return LaunchInClusters(name, shape, 2, stream);
}

int LaunchCollective(std::string_view name, Shape shape, double us, void* stream,
                     const std::shared_ptr<Collective>& collective) {
  const Plan plan(us, &collective);
  return LaunchInClusters(name, shape, 4, stream);
}

}  // namespace simgpu::libraries
