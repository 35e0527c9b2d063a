// SPDX-License-Identifier: Apache-2.0
// Handles that are nothing but the stream on which a library launches, and the launch of a routine.
#pragma once

#include <string>

#include "tests/simulated_gpu/libraries/abi.h"
#include "tests/simulated_gpu/libraries/kernels.h"
#include "tests/simulated_gpu/libraries/routine.h"

namespace simgpu::libraries {

// Statuses that cuSOLVER and cuSPARSE share.
constexpr int kSuccess = 0, kNotInitialized = 1, kExecutionFailed = 6;

struct PlainHandle {
  void* stream = nullptr;
};

inline int LaunchOn(void* handle, const char* name, double us) {
  if (handle == nullptr) return kNotInitialized;
  const int error = LaunchKernel(std::string("simulated_") + name, {64, 256}, us,
                                 static_cast<PlainHandle*>(handle)->stream);
  return error == 0 ? kSuccess : kExecutionFailed;
}

}  // namespace simgpu::libraries

// PREFIXCreate, PREFIXDestroy, PREFIXSetStream; each routine takes `us`.
#define SIMGPU_PLAIN_HANDLE(prefix, us)                                                        \
  namespace simgpu::libraries {                                                                \
  int LaunchRoutine(void* handle, const char* name) { return LaunchOn(handle, name, us); }     \
  }                                                                                            \
  SIMGPU_LIBRARY int prefix##Create(simgpu::libraries::PlainHandle** handle) {                 \
    *handle = new simgpu::libraries::PlainHandle;                                              \
    return simgpu::libraries::kSuccess;                                                        \
  }                                                                                            \
  SIMGPU_LIBRARY int prefix##Destroy(simgpu::libraries::PlainHandle* handle) {                 \
    delete handle;                                                                             \
    return simgpu::libraries::kSuccess;                                                        \
  }                                                                                            \
  SIMGPU_LIBRARY int prefix##SetStream(simgpu::libraries::PlainHandle* handle, void* stream) { \
    handle->stream = stream;                                                                   \
    return simgpu::libraries::kSuccess;                                                        \
  }
