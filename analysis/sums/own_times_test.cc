// SPDX-License-Identifier: Apache-2.0
// What is within a range is not its own.
#include "analysis/sums/own_times.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint32_t kStep = 0, kLoad = 1, kCompute = 2;

TEST(OwnTimesTest, WhatIsWithinIsTakenOff) {
  OwnTimes times;
  for (uint64_t step = 0; step < 2; ++step) {
    const uint64_t at = step * 200;
    times.Add(1, 7, kLoad, 1, at, at + 10);
    times.Add(1, 7, kLoad, 2, at + 20, at + 30);
    times.Add(1, 7, kCompute, 1, at + 10, at + 90);
    times.Add(1, 7, kStep, 0, at, at + 100);
  }
  times.Add(2, 8, kStep, 0, 0, 50);  // another thread's
  ASSERT_EQ(times.sums().size(), 3u);
  EXPECT_EQ(times.sums()[kStep].sum_ns, 10 + 10 + 50);
  EXPECT_EQ(times.sums()[kStep].count, 3u);
  EXPECT_EQ(times.sums()[kLoad].sum_ns, 40);
  EXPECT_EQ(times.sums()[kCompute].sum_ns, 140);
  EXPECT_EQ(times.sums()[kCompute].DeviationNs(), 0u);
  EXPECT_EQ(times.BetweenNs(), 100u) << "between the two steps of the thread with most";
}

TEST(OwnTimesTest, TheDeviationIsThatOfOne) {
  OwnTime time;
  EXPECT_EQ(time.DeviationNs(), 0u);
  for (const uint64_t ns : {100u, 300u}) time.Add(ns);
  EXPECT_EQ(time.DeviationNs(), 141u);
  OwnTime both = time;
  both.Add(time);
  EXPECT_EQ(both.count, 4u);
  EXPECT_EQ(both.DeviationNs(), 115u);
}

TEST(OwnTimesTest, MoreWithinThanAroundIsNotNegative) {
  OwnTimes times;
  times.Add(1, 7, kLoad, 5, 0, 100);
  times.Add(1, 7, kStep, 4, 0, 10);
  EXPECT_EQ(times.sums()[kStep].sum_ns, 0);
  EXPECT_EQ(OwnTimes().BetweenNs(), 0u);
}

}  // namespace
}  // namespace syncline
