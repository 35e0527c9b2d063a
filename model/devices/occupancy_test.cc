// SPDX-License-Identifier: Apache-2.0
// Occupancy of kernels on devices with known limits.
#include "model/devices/occupancy.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

DeviceFacts H100() {
  DeviceFacts facts{};
  facts.major = 9;
  facts.multiprocessors = 132;
  facts.warp = 32;
  facts.threads_per_block = 1024;
  facts.threads_per_multiprocessor = 2048;
  facts.blocks_per_multiprocessor = 32;
  facts.registers_per_block = facts.registers_per_multiprocessor = 65536;
  facts.shared_per_block = 49152;
  facts.shared_per_multiprocessor = 233472;
  return facts;
}

KernelDetails Kernel(uint32_t blocks, uint32_t threads, uint16_t registers, uint32_t shared) {
  KernelDetails kernel{};
  kernel.grid[0] = blocks;
  kernel.block[0] = threads;
  kernel.grid[1] = kernel.grid[2] = kernel.block[1] = kernel.block[2] = 1;
  kernel.registers = registers;
  kernel.dynamic_shared = shared;
  return kernel;
}

TEST(Occupancy, WhatLimitsAKernel) {
  struct {
    KernelDetails kernel;
    uint32_t percent, full_percent;
    OccupancyLimit limit;
  } const cases[] = {
      {Kernel(1320, 256, 32, 0), 100, 100, OccupancyLimit::kThreads},  // threads: 8 blocks
      {Kernel(132000, 32, 32, 0), 50, 50, OccupancyLimit::kBlocks},    // blocks: 32 of 64 warps
      {Kernel(1320, 256, 64, 0), 50, 50, OccupancyLimit::kRegisters},  // registers: 32 warps
      {Kernel(1320, 256, 65, 0), 38, 38,
       OccupancyLimit::kRegisters},  // 2304 of a warp: 7 in each quarter, 3 blocks of 8 warps
      {Kernel(1320, 256, 255, 0), 13, 13,
       OccupancyLimit::kRegisters},  // 2 warps in each quarter: 1 block
      {Kernel(1320, 128, 32, 40000), 31, 31,
       OccupancyLimit::kSharedMemory},  // shared memory: 5 blocks of 41,088 bytes with their own
      {Kernel(1320, 33, 32, 0), 16, 52, OccupancyLimit::kThreads},    // 10 blocks in all
      {Kernel(66, 256, 32, 0), 6, 100, OccupancyLimit::kThreads},     // half a block for each
      {Kernel(132, 1024, 255, 0), 0, 0, OccupancyLimit::kRegisters},  // does not fit
  };
  for (const auto& test : cases) {
    const auto occupancy = OccupancyOf(test.kernel, H100());
    ASSERT_TRUE(occupancy.has_value());
    EXPECT_EQ(occupancy->full_percent, test.full_percent) << test.percent;
    EXPECT_EQ(occupancy->limit, test.limit) << test.percent;
    EXPECT_EQ(occupancy->percent, test.percent)
        << test.kernel.grid[0] << " x " << test.kernel.block[0] << ", " << test.kernel.registers;
  }
  EXPECT_DOUBLE_EQ(OccupancyOf(Kernel(66, 48, 32, 0), H100())->warps_per_multiprocessor, 0.75);
}

TEST(Occupancy, UnknownOrHostileNumbers) {
  EXPECT_FALSE(OccupancyOf(Kernel(1, 32, 1, 0), DeviceFacts{}).has_value());
  DeviceFacts facts = H100();
  facts.registers_per_multiprocessor = 0;
  EXPECT_FALSE(OccupancyOf(Kernel(1, 32, 1, 0), facts)->percent.has_value());
  EXPECT_FALSE(OccupancyOf(Kernel(1, 0, 1, 0), H100())->percent.has_value());
  KernelDetails kernel = Kernel(UINT32_MAX, UINT32_MAX, UINT16_MAX, UINT32_MAX);
  EXPECT_FALSE(OccupancyOf(kernel, H100())->percent.has_value());
  kernel.block[0] = 32;
  kernel.static_shared = UINT32_MAX;
  EXPECT_EQ(OccupancyOf(kernel, H100())->percent, 0u);
}

}  // namespace
}  // namespace syncline
