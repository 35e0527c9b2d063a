// SPDX-License-Identifier: Apache-2.0
// Which moments lie in steps that count, and what was submitted in these.
#include "analysis/sums/steady_steps.h"

#include <gtest/gtest.h>

#include "analysis/waits/testing.h"

namespace syncline {
namespace {

// One that is long, and three behind it, of which the last follows later. In microseconds.
TimedSeries SomeSteps() {
  TimedSeries timed;
  for (const auto& [begin, end] : {std::pair{0, 100}, {100, 110}, {110, 120}, {150, 160}}) {
    const auto begin_ns = static_cast<uint64_t>(begin) * 1000,
               end_ns = static_cast<uint64_t>(end) * 1000;
    timed.steps.push_back({{begin_ns, end_ns - begin_ns, 0}, {begin_ns, end_ns}, 100, {}});
  }
  timed.others[100] = {};
  return timed;
}

TEST(SteadyStepsTest, MomentsFromTheFirstSteadyStepOn) {
  TimedSeries timed = SomeSteps();
  const SteadySteps steps("step #", timed);
  for (const uint64_t us : {100, 109, 110, 119, 150, 159})
    EXPECT_TRUE(steps.Has(100, us * 1000)) << us;
  for (const uint64_t us : {0, 99, 120, 149, 160}) EXPECT_FALSE(steps.Has(100, us * 1000)) << us;
  EXPECT_TRUE(steps.Has(101, 105000)) << "a helper";
  timed.others[100].threads = {101};
  EXPECT_FALSE(SteadySteps("", timed).Has(101, 105000)) << "it has steps of its own";
  EXPECT_EQ(steps.count(), 3u);
}

TEST(SteadyStepsTest, OperationsAreThoseSubmittedInThem) {
  testing::Process process;
  for (const uint64_t us : {50, 101, 112, 130, 155}) process.Kernel(us, us + 300, us + 310);
  for (const uint64_t us : {60, 105, 140}) {
    process.Call("cudaMemcpyAsync", us, us + 1);
    process.Copy(us + 1, us + 2, MemoryKind::kPageable, MemoryKind::kDevice, 100);
  }
  OrderByDevice(&process.records);
  WorkCurves curves({});
  curves.AddDevices(process.records, {});
  curves.AddLaunches(2, process.records, {}, {});
  curves.Finish();
  const SteadySteps steps("", SomeSteps());
  EXPECT_EQ(steps.OpsIn(&curves), (StepOps{3, 3, 1, 100, 0}));
  const CopyParts copies = steps.CopiesIn(curves);
  ASSERT_EQ(copies.size(), 1u);
  EXPECT_EQ(copies.begin()->second, (StepPart{1, 1000, 0, 100}));
}

TEST(SteadyStepsTest, KernelsAreThoseLaunchedInThem) {
  testing::Process process;
  for (const uint64_t us : {50, 101, 112, 130, 155}) {
    process.Kernel(us, us + 300, us + 310);
    process.records.ops.back().kernel = us == 112 ? 0 : 1;
  }
  OrderByDevice(&process.records);
  std::vector<OpLabel> labels(2);
  labels[0].kernel = "rare";
  labels[1].kernel = "common";
  WorkCurves curves({});
  curves.AddDevices(process.records, {});
  curves.AddLaunches(2, process.records, labels, {});
  curves.Finish();
  const KernelTally tally = SteadySteps("", SomeSteps()).KernelsIn(&curves);
  ASSERT_EQ(tally.kernels().size(), 2u);
  for (const uint32_t kernel : tally.kernels()) {
    const bool is_rare = curves.kernels()[kernel].label.kernel == "rare";
    EXPECT_EQ(tally.Of(kernel).launches, is_rare ? 1u : 2u);
    EXPECT_EQ(tally.Of(kernel).device_ns, is_rare ? 10'000u : 20'000u);
  }
}

}  // namespace
}  // namespace syncline
