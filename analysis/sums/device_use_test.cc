// SPDX-License-Identifier: Apache-2.0
// How long a device was busy with what.
#include "analysis/sums/device_use.h"

#include <gtest/gtest.h>

#include "analysis/waits/idle.h"

namespace syncline {
namespace {

GpuOp Op(uint64_t begin_ns, uint64_t end_ns, uint32_t kernel,
         DeviceOpType type = DeviceOpType::kKernel, uint16_t device = 0) {
  GpuOp op;
  op.begin_ns = begin_ns;
  op.end_ns = end_ns;
  op.kernel = kernel;
  op.type = type;
  op.device = device;
  return op;
}

TEST(DeviceUseTest, OverlapsCountOnce) {
  std::vector<OpLabel> labels(3);
  labels[1].kernel = "_Z3addPfi";
  labels[2].kernel = "_Z36ncclDevKernel_AllReduce_Sum_f32_RING4args";
  GpuRecords records;
  records.ops = {
      Op(100, 200, 1),
      Op(150, 300, 1),                        // computing 100..300
      Op(250, 400, 2),                        // communicating, 300..400 alone
      Op(380, 450, 0, DeviceOpType::kCopy),   // copying 380..450, 400..450 alone
      Op(500, 510, 0, DeviceOpType::kSet),    // computing
      Op(0, 7, 1, DeviceOpType::kKernel, 3),  // another device
  };
  OrderByDevice(&records);
  const std::vector<DeviceUse> uses = MeasureDeviceUse(records, labels);
  ASSERT_EQ(uses.size(), 2u);
  const DeviceUse& use = uses[0];
  EXPECT_EQ(use.begin_ns, 100u);
  EXPECT_EQ(use.end_ns, 510u);
  EXPECT_EQ(use.operations, 5u);
  EXPECT_EQ(use.busy_ns, 350u + 10u);
  EXPECT_EQ(use.IdleNs(), 50u);
  EXPECT_EQ(use.computing_ns, 210u);
  EXPECT_EQ(use.kernels_ns, 200u);
  EXPECT_EQ(use.communicating_ns, 150u);
  EXPECT_EQ(use.communicating_alone_ns, 100u);
  EXPECT_EQ(use.copying_ns, 70u);
  EXPECT_EQ(use.copying_alone_ns, 50u);
  EXPECT_EQ(uses[1].device, 3u);
  EXPECT_EQ(uses[1].busy_ns, 7u);
}

// Two kernels of 100 ns with 300 ns between them, on device 0; device 3 works in the middle.
GpuRecords TwoKernels() {
  GpuRecords records;
  records.ops = {Op(1000, 1100, 1), Op(1400, 1500, 1), Op(1150, 1250, 1, DeviceOpType::kKernel, 3)};
  OrderByDevice(&records);
  return records;
}

std::vector<DeviceUse> UsesWhileClosed(const std::vector<CoverageGap>& closed) {
  return MeasureDeviceUse(TwoKernels(), std::vector<OpLabel>(2), {}, closed);
}

TEST(DeviceUseTest, WhileNothingWasRecordedADeviceIsNotKnownToBeIdle) {
  const DeviceUse use = UsesWhileClosed({{1150, 1350}})[0];
  EXPECT_EQ(use.unseen_ns, 200u);
  EXPECT_EQ(use.busy_ns, 200u);
  EXPECT_EQ(use.SeenNs(), 300u);
  EXPECT_EQ(use.IdleNs(), 100u);
}

TEST(DeviceUseTest, AllThatIsClosedBetweenWorkIsUnseen) {
  const DeviceUse use =
      UsesWhileClosed({{1110, 1120}, {1130, 1130}, {1200, 1250}, {1399, 1400}})[0];
  EXPECT_EQ(use.unseen_ns, 10u + 50 + 1);
}

TEST(DeviceUseTest, WorkThatWasSeenIsNotUnseen) {
  const DeviceUse use = UsesWhileClosed({{1050, 1450}})[0];
  EXPECT_EQ(use.unseen_ns, 300u);
  EXPECT_EQ(use.busy_ns, 200u);
  EXPECT_EQ(use.IdleNs(), 0u);
}

TEST(DeviceUseTest, BeforeTheFirstAndAfterTheLastWorkNothingIsMeasured) {
  const std::vector<DeviceUse> uses = UsesWhileClosed({{0, 1100}, {1500, UINT64_MAX}});
  EXPECT_EQ(uses[0].unseen_ns, 0u);
  EXPECT_EQ(uses[0].IdleNs(), 300u);
  EXPECT_EQ(UsesWhileClosed({})[0].unseen_ns, 0u);
}

TEST(DeviceUseTest, EachDeviceHasItsOwn) {
  const std::vector<DeviceUse> uses = UsesWhileClosed({{0, UINT64_MAX}});
  EXPECT_EQ(uses[0].unseen_ns, 300u);
  EXPECT_EQ(uses[1].device, 3u);
  EXPECT_EQ(uses[1].unseen_ns, 0u);
  EXPECT_EQ(uses[1].busy_ns, 100u);
}

TEST(DeviceUseTest, KernelsOfNcclCommunicate) {
  const auto of = [](const char* name) {
    OpLabel label;
    label.kernel = name;
    return Communicates(label);
  };
  EXPECT_TRUE(of("_Z36ncclDevKernel_AllReduce_Sum_f32_RING4args"));
  EXPECT_TRUE(of("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)"));
  EXPECT_FALSE(of("_Z3addPfi"));
  EXPECT_FALSE(of(""));
}

TEST(DeviceUseTest, MemoryHasAPeak) {
  DeviceSurvey survey(2);
  survey.memory = {{30, -50, 0}, {10, 100, 0}, {20, 50, 0}, {15, 400, 1}, {40, 20, 0}};
  std::vector<DeviceUse> uses(2);
  uses[1].device = 1;
  MeasureMemory(survey, DeviceClocks(), &uses);
  EXPECT_EQ(uses[0].memory_peak_bytes, 150u);
  EXPECT_EQ(uses[1].memory_peak_bytes, 400u);
}

}  // namespace
}  // namespace syncline
