// SPDX-License-Identifier: Apache-2.0
// Opens and initialises the driver for the runtime.
#include "tests/simulated_gpu/runtime/load.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

#include "tests/simulated_gpu/engine/faults.h"
#include "tests/simulated_gpu/runtime/api.h"
#include "tests/simulated_gpu/stubs/unsupported.h"

namespace simgpu::runtime {
namespace {

thread_local int thread_device = 0;
thread_local cudaError_t last_error = cudaSuccess;

void* OpenDriver() {
  if (Faults::OfProcess().Find("no_libcuda") != nullptr) return nullptr;
  return dlopen("libcuda.so.1", RTLD_NOW);
}

void* Driver() {
  static void* const driver = OpenDriver();
  return driver;
}

// The state of cuInit: the first call that needs it makes it, and an error stays until it is asked
// for again.
cudaError_t InitializeDriver() {
  if (TheSeam() == nullptr) return cudaErrorInsufficientDriver;
  static std::once_flag once;
  static int version = 0;
  std::call_once(once, [] { SIMGPU_DRIVER(cuDriverGetVersion)(&version); });
  if (version < SIMGPU_RUNTIME_VERSION / 1000 * 1000) return cudaErrorInsufficientDriver;
  return static_cast<cudaError_t>(SIMGPU_DRIVER(cuInit)(0));
}

}  // namespace

const Seam* TheSeam() {
  static const Seam* const seam = [] {
    using Entry = const Seam* (*)();
    const auto entry =
        Driver() == nullptr ? nullptr : reinterpret_cast<Entry>(dlsym(Driver(), "simgpu_seam"));
    // A real driver has no seam: this runtime cannot work with it.
    const Seam* found = entry == nullptr ? nullptr : entry();
    return found != nullptr && found->version == kSeamVersion ? found : nullptr;
  }();
  return seam;
}

cudaError_t Prepare(Needs needs) {
  if (needs == Needs::kNothing) return cudaSuccess;
  const Seam* seam = TheSeam();
  if (seam != nullptr && seam->current_device() >= 0) return cudaSuccess;
  if (const cudaError_t error = InitializeDriver()) return error;
  if (needs == Needs::kDriver) return cudaSuccess;
  return static_cast<cudaError_t>(seam->bind_primary(thread_device));
}

cudaError_t PrimaryContext(int device, CUcontext* context) {
  return static_cast<cudaError_t>(
      TheSeam()->primary_context(device, reinterpret_cast<void**>(context)));
}

cudaError_t Note(cudaError_t error) {
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

cudaError_t LastError(bool reset) {
  const cudaError_t error = last_error;
  if (reset) last_error = cudaSuccess;
  return error;
}

int& ThreadDevice() { return thread_device; }

void* FindDriverEntry(const char* name) {
  void* entry = Driver() == nullptr ? nullptr : dlsym(Driver(), name);
  if (entry == nullptr) {
    std::fprintf(
        stderr, "simulated GPU: libcuda.so.1 has no %s: it and libcudart are of different builds\n",
        name);
    std::abort();
  }
  return entry;
}

}  // namespace simgpu::runtime

namespace simgpu {

void SayUnsupported(const char* library, const char* function) {
  const Seam* seam = runtime::TheSeam();
  if (seam != nullptr) seam->unsupported(library, function);
}

}  // namespace simgpu
