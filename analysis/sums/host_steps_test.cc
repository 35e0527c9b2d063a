// SPDX-License-Identifier: Apache-2.0
// What lies within a step, and between it and the next one.
#include "analysis/sums/host_steps.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint32_t kStep = 0, kLoad = 1, kForward = 2, kLayer = 3, kEpoch = 4, kEval = 5;

class HostStepsTest : public ::testing::Test {
 protected:
  void Range(uint32_t name, uint32_t depth, uint64_t begin_ns, uint64_t end_ns,
             std::string_view step = "") {
    steps_.Add(1, name, depth, begin_ns, end_ns, step);
  }
  const HostSteps::Kept& At(const std::string& series, uint64_t begin_ns) {
    static const HostSteps::Kept kNone{};
    const HostSteps::Series* const of = steps_.Of(series);
    if (of == nullptr) return kNone;
    for (const HostSteps::Kept& kept : of->longest) {
      if (kept.begin_ns == begin_ns) return kept;
    }
    return kNone;
  }
  HostSteps steps_;
};

TEST_F(HostStepsTest, EachRangeHasItsOwnTime) {
  Range(kLayer, 2, 20, 50);
  Range(kLayer, 2, 50, 60);
  Range(kForward, 1, 10, 70);
  Range(kStep, 0, 0, 100, "step #");
  steps_.Finish();
  const HostSteps::Kept& kept = At("step #", 0);
  EXPECT_EQ(kept.duration_ns, 100u);
  EXPECT_EQ(kept.costs, (HostSteps::Costs{{kLayer, 40}, {kForward, 20}}));
}

// Behind the last step of a loop nothing is a step's.
TEST_F(HostStepsTest, WhatLiesBetweenIsOfTheStepBefore) {
  Range(kLoad, 0, 0, 10);
  Range(kStep, 0, 10, 20, "step #");
  Range(kForward, 1, 22, 28);
  Range(kLoad, 0, 20, 30);
  Range(kStep, 0, 30, 40, "step #");
  Range(kLoad, 0, 40, 90);
  steps_.Finish();
  EXPECT_EQ(At("step #", 10).duration_ns, 20u);
  EXPECT_EQ(At("step #", 10).costs, (HostSteps::Costs{{kLoad, 4}, {kForward, 6}}));
  EXPECT_EQ(At("step #", 30).duration_ns, 10u);
  EXPECT_TRUE(At("step #", 30).costs.empty());
  EXPECT_EQ(steps_.Of("step #")->all, (HostSteps::Costs{{kLoad, 4}, {kForward, 6}}));
  EXPECT_EQ(steps_.Of("step #")->count, 2u);
}

TEST_F(HostStepsTest, AStepOfAnotherSeriesIsARange) {
  Range(kForward, 2, 1, 8);
  Range(kStep, 1, 0, 10, "step #");
  Range(kEval, 1, 10, 15, "eval #");
  Range(kStep, 1, 15, 20, "step #");
  Range(kEpoch, 0, 0, 30, "epoch #");
  steps_.Finish();
  EXPECT_EQ(At("step #", 0).costs, (HostSteps::Costs{{kForward, 7}, {kEval, 5}}));
  EXPECT_TRUE(At("step #", 15).costs.empty()) << "the loop is over";
  EXPECT_EQ(At("epoch #", 0).costs, (HostSteps::Costs{{kStep, 15}, {kEval, 5}}));
}

TEST_F(HostStepsTest, TheLongestAreKept) {
  constexpr uint64_t kCount = 3 * HostSteps::kMostKept;
  uint64_t at_ns = 0;
  for (uint64_t i = 0; i < kCount; ++i) {
    const uint64_t length = 100 + (i * 7) % kCount;  // each length once
    Range(kForward, 1, at_ns, at_ns + length);
    Range(kStep, 0, at_ns, at_ns + length, "step #");
    at_ns += length;
  }
  steps_.Finish();
  const HostSteps::Series* const series = steps_.Of("step #");
  ASSERT_EQ(series->longest.size(), HostSteps::kMostKept);
  for (const HostSteps::Kept& kept : series->longest)
    EXPECT_GE(kept.duration_ns, 100 + kCount - HostSteps::kMostKept);
  EXPECT_EQ(series->count, kCount);
}

TEST_F(HostStepsTest, ThreadsAreApartAndTheDeepestCountAbove) {
  steps_.Add(1, kForward, 1, 0, 10, "");
  steps_.Add(2, kStep, 0, 0, 10, "step #");
  Range(kLayer, HostSteps::kDeepest, 21, 22);
  Range(kForward, HostSteps::kDeepest - 1, 20, 23);
  steps_.Finish();
  EXPECT_TRUE(At("step #", 0).costs.empty());
  EXPECT_EQ(steps_.Of("other"), nullptr);
}

}  // namespace
}  // namespace syncline
