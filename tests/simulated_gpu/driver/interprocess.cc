// SPDX-License-Identifier: Apache-2.0
// The driver API: memory and events of other processes.
#include "tests/simulated_gpu/engine/interprocess.h"

#include <cstring>

#include "tests/simulated_gpu/driver/api.h"

using simgpu::AsPointer;
using simgpu::AsResult;
using simgpu::CurrentContext;
using simgpu::IpcName;

namespace {

// A handle is a name, and zeros behind it.
template <class Handle>
Handle HandleOf(const IpcName& name) {
  static_assert(sizeof(IpcName) <= sizeof(Handle));
  Handle handle{};
  std::memcpy(handle.reserved, &name, sizeof name);
  return handle;
}

template <class Handle>
IpcName NameOf(const Handle& handle) {
  IpcName name;
  std::memcpy(&name, handle.reserved, sizeof name);
  return name;
}

}  // namespace

SIMGPU_CALL(kContext, cuIpcGetMemHandle, (CUipcMemHandle * pHandle, CUdeviceptr dptr), pHandle,
            dptr) {
  if (pHandle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  IpcName name;
  const int error = simgpu::ShareMemory(AsPointer(dptr), &name);
  if (error == CUDA_SUCCESS) *pHandle = HandleOf<CUipcMemHandle>(name);
  return AsResult(error);
}

SIMGPU_CALL(kContext, cuIpcOpenMemHandle,
            (CUdeviceptr * pdptr, CUipcMemHandle handle, unsigned int Flags), pdptr, handle,
            Flags) {
  if (pdptr == nullptr || Flags != CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS)
    return CUDA_ERROR_INVALID_VALUE;
  void* address = nullptr;
  const int error = simgpu::OpenMemory(NameOf(handle), CurrentContext(), &address);
  *pdptr = reinterpret_cast<CUdeviceptr>(address);
  return AsResult(error);
}

SIMGPU_CALL(kContext, cuIpcCloseMemHandle, (CUdeviceptr dptr), dptr) {
  return AsResult(simgpu::CloseMemory(AsPointer(dptr)));
}

SIMGPU_CALL(kContext, cuIpcGetEventHandle, (CUipcEventHandle * pHandle, CUevent event), pHandle,
            event) {
  simgpu::Event* known = simgpu::AsEvent(event);
  if (known == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  if (pHandle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  IpcName name;
  const int error = simgpu::ShareEvent(known, &name);
  if (error == CUDA_SUCCESS) *pHandle = HandleOf<CUipcEventHandle>(name);
  return AsResult(error);
}

SIMGPU_CALL(kContext, cuIpcOpenEventHandle, (CUevent * phEvent, CUipcEventHandle handle), phEvent,
            handle) {
  if (phEvent == nullptr) return CUDA_ERROR_INVALID_VALUE;
  simgpu::Event* event = nullptr;
  const int error = simgpu::OpenEvent(NameOf(handle), CurrentContext(), &event);
  if (error == CUDA_SUCCESS) *phEvent = reinterpret_cast<CUevent>(event);
  return AsResult(error);
}
