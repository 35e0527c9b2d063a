// SPDX-License-Identifier: Apache-2.0
// The runtime API: memory and events of other processes.
#include <cstring>

#include "tests/simulated_gpu/runtime/api.h"

using simgpu::runtime::AsDevice;
using simgpu::runtime::AsError;

namespace {

// The same handle under the other name.
template <class To, class From>
To Same(const From& from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

}  // namespace

SIMGPU_RUNTIME(kContext, cudaIpcGetMemHandle, (cudaIpcMemHandle_t * handle, void* devPtr), handle,
               devPtr) {
  return AsError(SIMGPU_DRIVER(cuIpcGetMemHandle)(reinterpret_cast<CUipcMemHandle*>(handle),
                                                  AsDevice(devPtr)));
}

SIMGPU_RUNTIME(kContext, cudaIpcOpenMemHandle,
               (void** devPtr, cudaIpcMemHandle_t handle, unsigned int flags), devPtr, handle,
               flags) {
  return AsError(SIMGPU_DRIVER(cuIpcOpenMemHandle)(reinterpret_cast<CUdeviceptr*>(devPtr),
                                                   Same<CUipcMemHandle>(handle), flags));
}

SIMGPU_RUNTIME(kContext, cudaIpcCloseMemHandle, (void* devPtr), devPtr) {
  return AsError(SIMGPU_DRIVER(cuIpcCloseMemHandle)(AsDevice(devPtr)));
}

SIMGPU_RUNTIME(kContext, cudaIpcGetEventHandle, (cudaIpcEventHandle_t * handle, cudaEvent_t event),
               handle, event) {
  return AsError(
      SIMGPU_DRIVER(cuIpcGetEventHandle)(reinterpret_cast<CUipcEventHandle*>(handle), event));
}

SIMGPU_RUNTIME(kContext, cudaIpcOpenEventHandle, (cudaEvent_t * event, cudaIpcEventHandle_t handle),
               event, handle) {
  return AsError(SIMGPU_DRIVER(cuIpcOpenEventHandle)(event, Same<CUipcEventHandle>(handle)));
}
