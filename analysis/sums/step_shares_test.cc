// SPDX-License-Identifier: Apache-2.0
// What the time of made-up devices goes by with in steps.
#include "analysis/sums/step_shares.h"

#include <gtest/gtest.h>

#include <vector>

namespace syncline {
namespace {

GpuOp Kernel(uint64_t begin_ns, uint64_t end_ns, uint16_t device = 0) {
  GpuOp op;
  op.type = DeviceOpType::kKernel;
  op.begin_ns = begin_ns;
  op.end_ns = end_ns;
  op.device = device;
  return op;
}

TimeCurves CurvesOf(const std::vector<GpuOp>& ops) {
  GpuRecords records;
  records.ops = ops;
  for (uint32_t i = 0; i < ops.size(); ++i) records.ops_by_device.push_back(i);
  TimeCurves curves({}, 1000);
  curves.AddDevices(0, records, {{}}, TimeLimits());
  return curves;
}

TimedSeries TimedOf(const std::vector<Step>& steps) {
  TimedSeries timed;
  for (const Step& step : steps)
    timed.steps.push_back(
        {step, {step.begin_ns, step.begin_ns + step.duration_ns}, 1, "batch 2/5"});
  return timed;
}

TEST(StepSharesTest, AllFromTheFirstSteadyOneAndTheLongestByThemselves) {
  TimeCurves curves =
      CurvesOf({Kernel(0, 1000), Kernel(1000, 1040), Kernel(1100, 1140), Kernel(1500, 1600)});
  Gap waited, busy;
  waited.begin_ns = 1040;
  waited.end_ns = 1100;
  waited.parts_ns[static_cast<size_t>(GapCause::kHostWaited)] = 60;
  busy.begin_ns = 1140;
  busy.end_ns = 1500;
  busy.parts_ns[static_cast<size_t>(GapCause::kHostBusy)] = 360;
  curves.AddGaps(0, {waited, busy}, {}, TimeLimits());
  StepSeries series;
  series.steps = {{0, 1000, 0}, {1000, 100, 1}, {1100, 400, 2}, {1500, 100, 3}, {1600, 100, 4}};
  ShareSteps(&curves, TimedOf(series.steps), &series);
  EXPECT_EQ(series.shares.Sum(), 700u) << "behind the first one, which takes longer";
  EXPECT_EQ(series.shares[TimeKind::kComputing], 180u);
  EXPECT_EQ(series.shares[TimeKind::kWaiting], 60u);
  EXPECT_EQ(series.shares[TimeKind::kHostBusy], 360u);
  ASSERT_EQ(series.longest.size(), 2u);
  EXPECT_EQ(series.longest[0].begin_ns, 0u);
  EXPECT_EQ(series.longest[1].begin_ns, 1100u);
  EXPECT_EQ(series.longest[1].shares[TimeKind::kHostBusy], 360u);
  EXPECT_EQ(series.longest[1].name, "batch 2/5");
}

TEST(StepSharesTest, ADeviceOfOtherStepsDoesNotCount) {
  TimeCurves curves = CurvesOf({Kernel(0, 300), Kernel(0, 900, 1)});
  StepSeries series;
  series.steps = {{0, 100, 0}, {100, 100, 1}, {200, 600, 2}, {800, 100, 3}};
  TimedSeries timed = TimedOf(series.steps);
  timed.others[1].devices = {{0, 1}};
  ShareSteps(&curves, timed, &series);
  EXPECT_EQ(series.shares.Sum(), 900u);
  EXPECT_EQ(series.shares[TimeKind::kComputing], 300u);
  ASSERT_EQ(series.longest.size(), 1u);
  EXPECT_EQ(series.longest[0].shares[TimeKind::kComputing], 100u);
  EXPECT_EQ(series.longest[0].shares.Sum(), 600u);
}

TEST(StepSharesTest, WithoutDevicesThereAreNone) {
  TimeCurves curves({}, 10);
  StepSeries series;
  series.steps = {{0, 10, 0}};
  ShareSteps(&curves, TimedOf(series.steps), &series);
  EXPECT_EQ(series.shares.Sum(), 0u);
  EXPECT_TRUE(series.longest.empty());
}

}  // namespace
}  // namespace syncline
