// SPDX-License-Identifier: Apache-2.0
// How a function of NCCL's interface is defined, and the communicators that programs hold.
#pragma once

#include <memory>

#include "tests/simulated_gpu/libraries/abi.h"
#include "tests/simulated_gpu/libraries/nccl/communicator.h"
#include "tests/simulated_gpu/libraries/nccl/markers.h"

// SIMGPU_NCCL(CommCount, (const void* handle, int* count)) { body } defines ncclCommCount, and
// pncclCommCount as another name for it.
#define SIMGPU_NCCL(name, parameters) SIMGPU_NCCL_OF(int, name, parameters)
#define SIMGPU_NCCL_OF(type, name, parameters)                                     \
  SIMGPU_LIBRARY type nccl##name parameters;                                       \
  SIMGPU_LIBRARY type pnccl##name parameters __attribute__((alias("nccl" #name))); \
  type nccl##name parameters

namespace simgpu::nccl {

// What programs get as ncclComm_t.
void* HandleOf(const std::shared_ptr<Communicator>& communicator);
// Null, and a text for ncclGetLastError, where it is none or was destroyed.
std::shared_ptr<Communicator> OfHandle(const void* handle);
void Forget(const void* handle);

Result Refuse(const std::string& why);  // kInvalidArgument

}  // namespace simgpu::nccl
