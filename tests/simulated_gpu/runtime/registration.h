// SPDX-License-Identifier: Apache-2.0
// What nvcc's start-up code has registered: kernels and variables by the address of their host
// symbol.
#pragma once

#include <cuda.h>
#include <driver_types.h>

#include <cstddef>

namespace simgpu::runtime {

// The kernel, loaded if this is its first use; null and an error where there is none by that
// symbol.
cudaError_t FindKernel(const void* host_symbol, CUkernel* kernel);

// Its mangled name without loading it, or null.
const char* KernelName(const void* host_symbol);

// The address and size of a variable in the current context.
cudaError_t FindVariable(const void* host_symbol, CUdeviceptr* address, size_t* bytes);

}  // namespace simgpu::runtime
