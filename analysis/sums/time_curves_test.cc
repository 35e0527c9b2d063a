// SPDX-License-Identifier: Apache-2.0
// What the time of made-up devices goes by with.
#include "analysis/sums/time_curves.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

namespace syncline {
namespace {

GpuOp Op(DeviceOpType type, uint64_t begin_ns, uint64_t end_ns, uint32_t kernel = 0,
         uint16_t device = 0) {
  GpuOp op;
  op.type = type;
  op.begin_ns = begin_ns;
  op.end_ns = end_ns;
  op.kernel = kernel;
  op.device = device;
  return op;
}

TimeCurves CurvesOf(const std::vector<GpuOp>& ops, const std::vector<Gap>& gaps,
                    const std::vector<CoverageGap>& closed = {}) {
  GpuRecords records;
  records.ops = ops;
  for (uint32_t i = 0; i < ops.size(); ++i) records.ops_by_device.push_back(i);
  std::vector<OpLabel> labels(2);
  labels[0].kernel = "gemm";
  labels[1].kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)";
  TimeCurves curves(closed, 1000);
  curves.AddDevices(0, records, labels, TimeLimits());
  curves.AddGaps(0, gaps, {}, TimeLimits());
  return curves;
}

Gap GapOf(uint64_t begin_ns, uint64_t end_ns, std::vector<std::pair<GapCause, uint64_t>> parts,
          bool made_data = false) {
  Gap gap;
  gap.begin_ns = begin_ns;
  gap.end_ns = end_ns;
  gap.made_data = made_data;
  for (const auto& [cause, ns] : parts) gap.parts_ns[static_cast<size_t>(cause)] = ns;
  return gap;
}

TEST(TimeCurvesTest, EachMomentCountsOnceAndComputingFirst) {
  TimeCurves curves =
      CurvesOf({Op(DeviceOpType::kKernel, 100, 200), Op(DeviceOpType::kKernel, 150, 300, 1),
                Op(DeviceOpType::kCopy, 180, 350), Op(DeviceOpType::kKernel, 900, 1000)},
               {GapOf(350, 900,
                      {{GapCause::kHostWaited, 50},
                       {GapCause::kHostBusy, 400},
                       {GapCause::kLaunchLatency, 60},
                       {GapCause::kFirstUse, 40}},
                      true)});
  const TimeShares all = curves.Between(100, 1000);
  EXPECT_EQ(all[TimeKind::kComputing], 200u);
  EXPECT_EQ(all[TimeKind::kCommunicating], 100u);
  EXPECT_EQ(all[TimeKind::kCopying], 50u);
  EXPECT_EQ(all[TimeKind::kWaiting], 50u);
  EXPECT_EQ(all[TimeKind::kMakingData], 400u);
  EXPECT_EQ(all[TimeKind::kHostBusy], 0u);
  EXPECT_EQ(all[TimeKind::kLaunching], 60u);
  EXPECT_EQ(all[TimeKind::kLoadingCode], 40u);
  EXPECT_EQ(all.Sum(), 900u);
  EXPECT_EQ(curves.Between(350, 400)[TimeKind::kWaiting], 50u);
  EXPECT_EQ(curves.Between(500, 600)[TimeKind::kMakingData], 100u);
}

TEST(TimeCurvesTest, DevicesAddUpAndWhatIsNotRecordedIsNoTime) {
  TimeCurves curves =
      CurvesOf({Op(DeviceOpType::kKernel, 100, 200), Op(DeviceOpType::kKernel, 100, 150, 0, 1)},
               {GapOf(200, 300, {{GapCause::kHostBusy, 100}})}, {{250, 300}});
  const TimeShares all = curves.Between(100, 300);
  EXPECT_EQ(all[TimeKind::kComputing], 150u);
  EXPECT_EQ(all[TimeKind::kHostBusy], 50u);
  EXPECT_EQ(all[TimeKind::kOther], 100u) << "of the second device nothing is known there";
  EXPECT_EQ(all.Sum(), 300u);
  EXPECT_DOUBLE_EQ(all.Share(TimeKind::kComputing), 0.5);
  EXPECT_EQ(curves.Between(100, 300, {{0, 1}})[TimeKind::kComputing], 100u) << "without the second";
}

TEST(TimeCurvesTest, TheLinesOfAGapTellWhetherItMadeData) {
  TimeCurves curves =
      CurvesOf({Op(DeviceOpType::kKernel, 0, 100), Op(DeviceOpType::kKernel, 300, 400)}, {});
  const Gap gap = GapOf(100, 300, {{GapCause::kHostBusy, 200}}, true);
  LinesBetween lines;
  lines.span = HostSpan::kAwaits;
  curves.AddGaps(0, {gap}, {lines}, TimeLimits());
  EXPECT_EQ(curves.All()[TimeKind::kAwaitingOthers], 200u);
  EXPECT_EQ(curves.All()[TimeKind::kHostBusy], 0u);
  EXPECT_EQ(curves.All()[TimeKind::kMakingData], 0u);
}

TEST(TimeCurvesTest, BeforeTheFirstKernelTheProgramSetsUp) {
  TimeCurves curves = CurvesOf({Op(DeviceOpType::kCopy, 0, 20), Op(DeviceOpType::kCopy, 500, 530),
                                Op(DeviceOpType::kKernel, 900, 1000)},
                               {}, {{100, 200}});
  const TimeShares all = curves.All();
  EXPECT_EQ(all[TimeKind::kCopying], 50u);
  EXPECT_EQ(all[TimeKind::kSettingUp], 900u - 50 - 100);
  EXPECT_EQ(all[TimeKind::kOther], 0u);
  EXPECT_EQ(all.Sum(), 900u);
  EXPECT_EQ(curves.Between(850, 1000)[TimeKind::kSettingUp], 50u);
}

}  // namespace
}  // namespace syncline
