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

TEST(OwnTimesTest, StartedRangesHaveTheirTimeWhereNoPushedOneHasIt) {
  OwnTimes times;
  for (uint64_t step = 0; step < 2; ++step) {  // a step that has the others, one of them pushed
    const uint64_t at = step * 200;
    times.Start(1, 7, 10, kStep, at);
    times.Start(1, 7, 11, kLoad, at + 10);
    times.End(1, 7, 11, at + 30);
    times.Add(1, 7, kCompute, 0, at + 40, at + 90);
    times.End(1, 7, 10, at + 100);
  }
  times.Start(2, 8, 12, kLoad, 0);  // in a pushed range, which has its time
  times.End(2, 8, 12, 50);
  times.Add(2, 8, kStep, 0, 0, 60);
  times.Start(1, 7, 13, kLoad, 1000);  // never ends
  times.Finish();
  EXPECT_EQ(times.sums()[kStep].sum_ns, 30 + 30 + 60);
  EXPECT_EQ(times.sums()[kStep].count, 3u);
  EXPECT_EQ(times.sums()[kLoad].sum_ns, 20 + 20);
  EXPECT_EQ(times.sums()[kLoad].count, 2u);
  EXPECT_EQ(times.sums()[kCompute].sum_ns, 100);
  EXPECT_EQ(times.BetweenNs(), 100u) << "between the two steps";
}

TEST(OwnTimesTest, StartedRangesThatOverlapHaveTheirTimeBoth) {
  OwnTimes times;
  times.Start(1, 7, 1, kLoad, 0);
  times.Start(1, 7, 2, kCompute, 50);
  times.End(1, 7, 1, 100);
  times.End(1, 7, 2, 170);
  times.End(1, 7, 2, 180);  // it has ended
  times.Finish();
  EXPECT_EQ(times.sums()[kLoad].sum_ns, 100);
  EXPECT_EQ(times.sums()[kCompute].sum_ns, 120);
}

TEST(OwnTimesTest, ManyStartedRangesAreAllCounted) {
  OwnTimes times;
  for (uint64_t i = 0; i < 200'000; ++i) {
    times.Start(1, 7, i, kLoad, 10 * i);
    times.End(1, 7, i, 10 * i + 3);
  }
  times.Finish();
  EXPECT_EQ(times.sums()[kLoad].count, 200'000u);
  EXPECT_EQ(times.sums()[kLoad].sum_ns, 600'000);
}

}  // namespace
}  // namespace syncline
