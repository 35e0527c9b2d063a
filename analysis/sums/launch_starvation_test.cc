// SPDX-License-Identifier: Apache-2.0
// How long work was on its way to a device, and what came too late for it.
#include "analysis/sums/launch_starvation.h"

#include <gtest/gtest.h>

#include "analysis/waits/idle.h"
#include "analysis/waits/testing.h"

namespace syncline {
namespace {

TEST(FeedingTest, AKernelIsStarvedIfItsCallBeganWhileTheDeviceWasIdle) {
  testing::Process process;
  process.Kernel(0, 10, 20);
  process.records.ops.back().kernel = 1;
  process.Kernel(15, 25, 40);  // on its way when the device became idle
  process.records.ops.back().kernel = 1;
  process.Kernel(45, 50, 60);
  process.records.ops.back().kernel = 2;
  process.Call("cudaMemcpyAsync", 65, 66);
  process.Copy(70, 80, MemoryKind::kPinned, MemoryKind::kDevice, 5);  // no kernel
  process.Kernel(82, 90, 95);                                         // the copy ended its idleness
  process.records.ops.back().kernel = 2;
  process.Kernel(96, 120, 130);
  process.records.ops.back().kernel = 2;
  OrderByDevice(&process.records);
  process.records.unseen = {{98000, 101000}};
  const std::vector<StarvedSums> starved = FindStarved(process.records, {});
  ASSERT_EQ(starved.size(), 3u);
  EXPECT_EQ(starved[1], (StarvedSums{0, 0}));
  EXPECT_EQ(starved[2], (StarvedSums{2, 10000 + 10000}));
}

TEST(FeedingTest, EachDeviceHasAFirstKernel) {
  testing::Process process;
  process.Kernel(0, 10, 20);
  process.context = testing::kContext + 1;
  process.Kernel(100, 110, 120);
  OrderByDevice(&process.records);
  EXPECT_TRUE(FindStarved(process.records, {}).empty());
}

TEST(FeedingTest, LaunchesTakeAsLongAsTheFirstOperationOfTheCall) {
  testing::Process process;
  process.Kernel(0, 10, 20);
  process.Call("cudaGraphLaunch", 12, 14);
  process.Op(30, 40);
  process.Op(22, 30);
  process.Kernel(50, 49, 60);  // the clocks have an error
  GpuOp without = process.records.ops.back();
  without.correlation = 77;
  process.records.ops.push_back(without);
  std::vector<DeviceUse> devices(1);
  MeasureLaunches(process.records, {}, &devices);
  EXPECT_EQ(devices[0].launch_delay.count, 3u);
  EXPECT_EQ(devices[0].launch_delay.total_ns, 10000u + 10000);
  EXPECT_EQ(devices[0].queued_ns, 10000u + 18000 + 10000);
}

}  // namespace
}  // namespace syncline
