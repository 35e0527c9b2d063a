// SPDX-License-Identifier: Apache-2.0
// FLOPs of times, in any order, and of more points than there is room for.
#include "analysis/sums/flop_curve.h"

#include <gtest/gtest.h>

#include "analysis/sums/step_work.h"

namespace syncline {
namespace {

constexpr size_t kFp16 = static_cast<size_t>(NumberFormat::kFp16);

StepWork Between(const FlopCurve& curve, uint64_t begin_ns, uint64_t end_ns) {
  StepWork work;
  curve.AddBetween(begin_ns, end_ns, &work);
  return work;
}

TEST(FlopCurveTest, WhatBeganBetween) {
  FlopCurve curve;
  EXPECT_TRUE(curve.empty());
  curve.Add(30, 4, NumberFormat::kFp16, true);
  curve.Add(10, 1, NumberFormat::kFp16, true);
  curve.Add(20, 2, NumberFormat::kFp32, false);
  curve.Finish();
  EXPECT_EQ(Between(curve, 10, 30).all_flops, 3);
  EXPECT_EQ(Between(curve, 10, 31).flops[kFp16], 5);
  EXPECT_EQ(Between(curve, 11, 20).all_flops, 0);
  EXPECT_EQ(curve.all()[kFp16], 5);
  EXPECT_EQ(SumOf(curve.all()), 5) << "on devices";
}

TEST(FlopCurveTest, NothingIsLostWhereThereIsNoRoom) {
  FlopCurve curve(64);
  for (uint64_t i = 0; i < 10000; ++i) {
    curve.Add(i, 1, i % 2 == 0 ? NumberFormat::kFp16 : NumberFormat::kFp64, i % 3 == 0);
  }
  curve.Finish();
  EXPECT_EQ(Between(curve, 0, 10000).all_flops, 10000);
  for (const uint64_t end : {1000, 5000, 9000})
    EXPECT_NEAR(Between(curve, 0, end).all_flops, static_cast<double>(end), 2000);
  EXPECT_EQ(SumOf(Between(curve, 0, 10000).flops), 3334);
}

TEST(FlopCurveTest, StepsFromTheFirstSteadyOneOn) {
  FlopCurve curve;
  for (const uint64_t ns : {5, 105, 115, 125, 135}) curve.Add(ns, 7, NumberFormat::kFp16, true);
  curve.Finish();
  TimedSeries timed;
  StepSeries series;
  uint64_t begin_ns = 0;
  for (const uint64_t length_ns : {100, 10, 10, 10}) {
    timed.steps.push_back({{begin_ns, length_ns, 0}, {begin_ns, begin_ns + length_ns}, 1});
    series.steps.push_back(timed.steps.back().step);
    begin_ns += length_ns;
  }
  timed.others[1] = {};
  WorkOfSteps(curve, timed, &series);
  EXPECT_EQ(series.work.steps, 3u);
  EXPECT_EQ(series.work.total_ns, 30u);
  EXPECT_EQ(series.work.flops[kFp16], 21);
  timed.others[1].threads = {2};
  series.work = {};
  WorkOfSteps(curve, timed, &series);
  EXPECT_EQ(series.work, StepWork()) << "another thread has steps, too";
}

}  // namespace
}  // namespace syncline
