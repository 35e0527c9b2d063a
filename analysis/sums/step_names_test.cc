// SPDX-License-Identifier: Apache-2.0
// A pattern says which ranges are steps; the process's own count numbers those without a number.
#include "analysis/sums/step_names.h"

#include <gtest/gtest.h>

#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

TEST(StepNames, WithoutAPatternNamesSayIt) {
  const StepNames names("");
  EXPECT_EQ(names.Of("train_step 7")->number, 7U);
  EXPECT_FALSE(names.Of("request"));
}

TEST(StepNames, APatternFitsAnyName) {
  const StepNames names("request*");
  EXPECT_EQ(names.Of("request")->name, "request");
  EXPECT_FALSE(names.Of("request")->number);
  EXPECT_EQ(names.Of("request 12 of a")->name, "request # of a");
  EXPECT_EQ(names.Of("request 12 of a")->number, 12U);
  EXPECT_EQ(names.Of("request 99999999999999999999")->number, std::nullopt);
  EXPECT_FALSE(names.Of("step 3")) << "steps are what the pattern says, and nothing else";
}

TEST(StepNames, AStepIsOneWithoutAnotherIfThePatternSaysSo) {
  EXPECT_TRUE(StepNames("").Of("step 1: load")->needs_another);
  EXPECT_FALSE(StepNames("step*").Of("step 1: load")->needs_another);
  EXPECT_EQ(StepNames("step*").Of("step 1: load")->name, "step #: load");
}

// The steps of a training are known by them, but from one's end to the next one's.
TEST(StepNames, RangesOfOptimizersAreNoSteps) {
  EXPECT_FALSE(StepNames("*").Of("Optimizer.step#SGD.step"));
  EXPECT_TRUE(StepNames("Optimizer.step#*").Of("step 3")) << "as without a pattern";
}

GateRecord Begins(uint32_t tid, uint64_t ticks, uint32_t step) {
  GateRecord change = {};
  change.head.id = tid;
  change.ticks = ticks;
  change.step = step;
  change.event = GateEvent::kStepBegins;
  return change;
}

TEST(StepNames, TheProcessCountsAlsoWhatIsNotRecorded) {
  StepNames names("");
  const SpoolProcess process = testing::PlausibleProcess();
  Timeline timeline;
  timeline.Build(process, {}, process.consumer_start);
  names.OnGate(Begins(1, testing::kStartTicks + 100, 3), &timeline);
  names.OnGate(Begins(1, testing::kStartTicks + 200, 4), &timeline);
  names.OnGate(Begins(1, testing::kStartTicks + 900, 12), &timeline);
  GateRecord other = Begins(1, testing::kStartTicks + 300, 7);
  other.event = GateEvent::kClosed;
  names.OnGate(other, &timeline);
  const uint64_t at = timeline.Convert(testing::kStartTicks + 100);
  EXPECT_EQ(names.CountedAt(1, at - 1), std::nullopt);
  EXPECT_EQ(names.CountedAt(1, at), 3U);
  EXPECT_EQ(names.CountedAt(1, timeline.Convert(testing::kStartTicks + 899)), 4U);
  EXPECT_EQ(names.CountedAt(1, timeline.Convert(testing::kStartTicks + 5000)), 12U);
  EXPECT_EQ(names.CountedAt(2, timeline.Convert(testing::kStartTicks + 5000)), std::nullopt);
}

}  // namespace
}  // namespace syncline
