// SPDX-License-Identifier: Apache-2.0
// Sums by kernel of any run of launches, against one addition each.
#include "analysis/sums/launch_curve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace syncline {
namespace {

using Sums = std::map<uint32_t, LaunchSums>;

Sums SumsOf(KernelTally* tally) {
  Sums sums;
  for (const uint32_t kernel : tally->kernels()) sums[kernel] = tally->Of(kernel);
  tally->Clear();
  return sums;
}

// A call each 10 ns; every seventh is a copy.
std::vector<LaunchCurve::Launch> Launches(size_t count) {
  std::vector<LaunchCurve::Launch> launches;
  for (size_t i = 0; i < count; ++i) {
    const auto kernel = static_cast<uint32_t>(i * i % 11);
    launches.push_back({10 * i, i % 13, i % 5, i % 7 == 0 ? LaunchCurve::kNoKernel : kernel});
  }
  return launches;
}

LaunchCurve CurveOf(std::vector<LaunchCurve::Launch> launches, size_t every = 1) {
  LaunchCurve curve;
  for (const LaunchCurve::Launch& launch : launches) curve.Add(launch);
  curve.Finish(every);
  return curve;
}

Sums Truly(const std::vector<LaunchCurve::Launch>& launches, uint64_t begin_ns, uint64_t end_ns) {
  Sums sums;
  for (const LaunchCurve::Launch& launch : launches) {
    if (launch.kernel != LaunchCurve::kNoKernel && begin_ns <= launch.begin_ns &&
        launch.begin_ns < end_ns)
      sums[launch.kernel].Add({1, launch.device_ns, launch.cpu_ns});
  }
  return sums;
}

TEST(LaunchCurveTest, AnySpanHasTheSumsOfItsLaunches) {
  std::vector<LaunchCurve::Launch> launches = Launches(20'000);
  std::mt19937 random(3);
  std::vector<LaunchCurve::Launch> shuffled = launches;
  std::shuffle(shuffled.begin(), shuffled.end(), random);
  LaunchCurve curve = CurveOf(shuffled);
  KernelTally tally;
  for (int i = 0; i < 300; ++i) {
    const uint64_t begin = random() % 210'000, end = begin + random() % (i < 100 ? 300 : 210'000);
    curve.TallyBetween(begin, end, &tally);
    EXPECT_EQ(SumsOf(&tally), Truly(launches, begin, end)) << begin << " " << end;
  }
}

TEST(LaunchCurveTest, WhatIsTakenIsTakenOnce) {
  const std::vector<LaunchCurve::Launch> launches = Launches(50);
  LaunchCurve curve = CurveOf(launches);
  KernelTally tally;
  curve.TakeBetween(100, 200, &tally);
  EXPECT_EQ(SumsOf(&tally), Truly(launches, 100, 200));
  curve.TakeBetween(150, 160, &tally);
  EXPECT_TRUE(tally.kernels().empty());
  curve.TakeBetween(50, 250, &tally);
  Sums around = Truly(launches, 50, 100);
  for (const auto& [kernel, sums] : Truly(launches, 200, 250)) around[kernel].Add(sums);
  EXPECT_EQ(SumsOf(&tally), around);
  curve.TakeBetween(0, 1000, &tally);
  Sums rest = Truly(launches, 0, 50);
  for (const auto& [kernel, sums] : Truly(launches, 250, 1000)) rest[kernel].Add(sums);
  EXPECT_EQ(SumsOf(&tally), rest);
}

TEST(LaunchCurveTest, WhereNotAllAreKeptKernelsAreNotTold) {
  LaunchCurve curve = CurveOf(Launches(50), 2);
  EXPECT_EQ(curve.size(), 25u);
  KernelTally tally;
  curve.TallyBetween(0, 1000, &tally);
  curve.TakeBetween(0, 1000, &tally);
  EXPECT_TRUE(tally.kernels().empty());
  StageWork work;
  curve.CountBetween(0, 1000, &work);
  EXPECT_EQ(work.launched, 50u);
}

TEST(LaunchCurveTest, NothingWasLaunched) {
  LaunchCurve curve = CurveOf({});
  KernelTally tally;
  curve.TallyBetween(0, 1000, &tally);
  curve.TakeBetween(0, 1000, &tally);
  EXPECT_TRUE(tally.kernels().empty());
}

}  // namespace
}  // namespace syncline
