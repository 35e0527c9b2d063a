// SPDX-License-Identifier: Apache-2.0
// Our numbers of NCCL's interface are those of its header, where that is installed.
#include "tests/simulated_gpu/libraries/nccl/types.h"

#include <gtest/gtest.h>

#if __has_include(<nccl.h>) && __has_include(<cuda_fp16.h>)
#include <nccl.h>

#include <cstddef>

namespace simgpu::nccl {

static_assert(kSuccess == static_cast<int>(ncclSuccess));
static_assert(kUnhandledCudaError == static_cast<int>(ncclUnhandledCudaError));
static_assert(kSystemError == static_cast<int>(ncclSystemError));
static_assert(kInternalError == static_cast<int>(ncclInternalError));
static_assert(kInvalidArgument == static_cast<int>(ncclInvalidArgument));
static_assert(kInvalidUsage == static_cast<int>(ncclInvalidUsage));
static_assert(kRemoteError == static_cast<int>(ncclRemoteError));
static_assert(kInProgress == static_cast<int>(ncclInProgress));
static_assert(kInt8 == static_cast<int>(ncclInt8) && kUint8 == static_cast<int>(ncclUint8));
static_assert(kInt32 == static_cast<int>(ncclInt32) && kUint32 == static_cast<int>(ncclUint32));
static_assert(kInt64 == static_cast<int>(ncclInt64) && kUint64 == static_cast<int>(ncclUint64));
static_assert(kFloat16 == static_cast<int>(ncclFloat16));
static_assert(kFloat32 == static_cast<int>(ncclFloat32));
static_assert(kFloat64 == static_cast<int>(ncclFloat64));
static_assert(kBfloat16 == static_cast<int>(ncclBfloat16));
static_assert(kSum == static_cast<int>(ncclSum) && kProd == static_cast<int>(ncclProd));
static_assert(kMax == static_cast<int>(ncclMax) && kMin == static_cast<int>(ncclMin));
static_assert(kAverage == static_cast<int>(ncclAvg));
static_assert(kReductions == static_cast<int>(ncclNumOps));
static_assert(sizeof(UniqueId) == sizeof(ncclUniqueId));
static_assert(offsetof(Config, magic) == offsetof(ncclConfig_t, magic));
static_assert(offsetof(Config, blocking) == offsetof(ncclConfig_t, blocking));
static_assert(kNoColor == NCCL_SPLIT_NOCOLOR);

TEST(NcclInterface, ConfigurationsAreRecognized) {
  const ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  EXPECT_EQ(config.magic, kConfigMagic);
}

}  // namespace simgpu::nccl
#else
TEST(NcclInterface, HeaderIsThere) { GTEST_SKIP() << "nccl.h is not installed"; }
#endif
