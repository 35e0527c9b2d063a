// SPDX-License-Identifier: Apache-2.0
// The shapes in which the driver API describes copies of rows and slices.
#pragma once

#include <cuda.h>

#include "tests/simulated_gpu/engine/command.h"

namespace simgpu {

// Arrays are not modelled: CUDA_ERROR_NOT_SUPPORTED.
CUresult ShapeOf(const CUDA_MEMCPY3D& box, CopyRequest* copy);

CUDA_MEMCPY3D AsBox(const CUDA_MEMCPY2D& plane);
CUDA_MEMCPY3D AsBox(const CUDA_MEMCPY3D_PEER& peer);
inline const CUDA_MEMCPY3D& AsBox(const CUDA_MEMCPY3D& box) { return box; }

}  // namespace simgpu
