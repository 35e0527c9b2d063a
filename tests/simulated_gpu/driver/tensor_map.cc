// SPDX-License-Identifier: Apache-2.0
// The driver API: descriptors of tensors for kernels, which are 128 bytes that no kernel reads
// here.
#include <cstring>

#include "tests/simulated_gpu/driver/api.h"

SIMGPU_CALL(kContext, cuTensorMapEncodeTiled,
            (CUtensorMap * tensorMap, CUtensorMapDataType tensorDataType, cuuint32_t tensorRank,
             void* globalAddress, const cuuint64_t* globalDim, const cuuint64_t* globalStrides,
             const cuuint32_t* boxDim, const cuuint32_t* elementStrides,
             CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
             CUtensorMapL2promotion l2Promotion, CUtensorMapFloatOOBfill oobFill),
            tensorMap, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, boxDim,
            elementStrides, interleave, swizzle, l2Promotion, oobFill) {
  (void)tensorDataType, (void)globalDim, (void)globalStrides, (void)boxDim, (void)elementStrides;
  (void)interleave, (void)swizzle, (void)l2Promotion, (void)oobFill;
  if (tensorMap == nullptr || globalAddress == nullptr || tensorRank == 0 || tensorRank > 5)
    return CUDA_ERROR_INVALID_VALUE;
  std::memset(tensorMap, 0, sizeof *tensorMap);
  return CUDA_SUCCESS;
}
