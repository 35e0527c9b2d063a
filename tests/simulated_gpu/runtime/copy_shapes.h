// SPDX-License-Identifier: Apache-2.0
// Turns the runtime's descriptions of copies of rows and slices into the driver's.
#pragma once

#include <cuda.h>
#include <driver_types.h>

namespace simgpu::runtime {

struct Plane {
  void* target;
  size_t target_pitch;
  void* source;
  size_t source_pitch, width, height;
};

// The memory type of a side is what the copy kind says it is.
CUDA_MEMCPY2D PlaneOf(const Plane& plane, cudaMemcpyKind kind);
cudaError_t BoxOf(const cudaMemcpy3DParms* parameters, CUDA_MEMCPY3D* box);
CUDA_MEMCPY3D LineOf(void* target, const void* source, size_t bytes, cudaMemcpyKind kind);

}  // namespace simgpu::runtime
