// SPDX-License-Identifier: Apache-2.0
// Times and shapes of the simulated libraries' kernels.
#include "tests/simulated_gpu/libraries/costs.h"

#include <gtest/gtest.h>

namespace simgpu::libraries {
namespace {

TEST(Costs, ComputingOrMovingWhicheverIsLonger) {
  const double nothing = Microseconds(0, 0, Precision::kF32);
  EXPECT_GT(nothing, 0);
  const double computing = Microseconds(1e12, 0, Precision::kF32) - nothing;
  const double moving = Microseconds(0, 1e9, Precision::kF32) - nothing;
  EXPECT_DOUBLE_EQ(Microseconds(1e12, 1e9, Precision::kF32) - nothing, std::max(computing, moving));
}

TEST(Costs, HalvesAreFasterThanFloatsAndTheseNotSlowerThanDoubles) {
  const auto time = [](Precision precision) { return Gemm{4096, 4096, 4096, 1, precision}.Us(); };
  EXPECT_LT(time(Precision::kF8), time(Precision::kF16));
  EXPECT_LT(time(Precision::kF16), time(Precision::kF32));
  EXPECT_LE(time(Precision::kF32), time(Precision::kF64));
}

TEST(Costs, AProductTakesTimeByItsShapeAndItsBatch) {
  const double least = Microseconds(0, 0, Precision::kF32);
  const double once = Gemm{2048, 2048, 2048}.Us() - least;
  EXPECT_NEAR((Gemm{2048, 2048, 4096}.Us() - least) / once, 2, 1e-6);
  EXPECT_NEAR((Gemm{2048, 2048, 2048, 8}.Us() - least) / once, 8, 1e-6);
}

TEST(Costs, BlocksAreTiles) {
  EXPECT_EQ((Gemm{128, 128, 9}.Grid().blocks), 1u);
  EXPECT_EQ((Gemm{129, 128, 9}.Grid().blocks), 2u);
  EXPECT_EQ((Gemm{256, 256, 9, 3}.Grid().blocks), 12u);
  EXPECT_EQ((Gemm{0, 0, 0}.Grid().blocks), 1u);
  EXPECT_LE((Gemm{1e9, 1e9, 1}.Grid().blocks), 1u << 20);
}

TEST(Costs, NamesSayTypeAndTransposition) {
  EXPECT_EQ((Gemm{1, 1, 1, 1, Precision::kBf16}.KernelName(0, 1)), "simulated_gemm_bf16_nt");
  EXPECT_EQ((Gemm{1, 1, 1, 1, PrecisionOf(CUDA_C_64F)}.KernelName(2, 0)), "simulated_gemm_c64_tn");
}

}  // namespace
}  // namespace simgpu::libraries
