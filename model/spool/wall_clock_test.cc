// SPDX-License-Identifier: Apache-2.0
// A clock that is set, one that is slewed, and none at all.
#include "model/spool/wall_clock.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint64_t kSecondOfClock = 1'000'000'000;
constexpr uint64_t kClockBegin = 1'700'000'000 * kSecondOfClock;

TEST(WallClockTest, WithoutPointsTheTwoAreOne) {
  EXPECT_EQ(WallClock({}).ToLine(kClockBegin), kClockBegin);
  EXPECT_EQ(WallClock({{0, 7}}).ToLine(kClockBegin), kClockBegin) << "no reading of the clock";
}

TEST(WallClockTest, IsOffByTheDistanceOfItsPoints) {
  const WallClock clock({{kClockBegin + 10 * kSecondOfClock, 30 * kSecondOfClock},
                         {kClockBegin, 20 * kSecondOfClock}});
  EXPECT_EQ(clock.ToLine(kClockBegin + kSecondOfClock), 21 * kSecondOfClock);
  EXPECT_EQ(clock.ToLine(kClockBegin - kSecondOfClock), 19 * kSecondOfClock)
      << "before the first point";
  EXPECT_EQ(clock.ToLine(kClockBegin + 11 * kSecondOfClock), 31 * kSecondOfClock)
      << "behind the last one";
  EXPECT_EQ(clock.ErrorNs(kClockBegin, kClockBegin + kSecondOfClock), 0u);
}

// 10 s of the clock are 8 s of the line.
TEST(WallClockTest, InterpolatesWhereTheClockGoesFaster) {
  const WallClock clock({{kClockBegin, 20 * kSecondOfClock},
                         {kClockBegin + 10 * kSecondOfClock, 28 * kSecondOfClock}});
  EXPECT_EQ(clock.ToLine(kClockBegin + 5 * kSecondOfClock), 24 * kSecondOfClock);
  EXPECT_EQ(clock.ErrorNs(kClockBegin + kSecondOfClock, kClockBegin + 2 * kSecondOfClock),
            2 * kSecondOfClock);
}

TEST(WallClockTest, TellsThatTheClockWasSetBack) {
  const WallClock clock({{kClockBegin, 20 * kSecondOfClock},
                         {kClockBegin + kSecondOfClock, 21 * kSecondOfClock},
                         {kClockBegin - 3600 * kSecondOfClock, 22 * kSecondOfClock},
                         {kClockBegin - 3599 * kSecondOfClock, 23 * kSecondOfClock}});
  EXPECT_EQ(clock.ErrorNs(kClockBegin, kClockBegin + kSecondOfClock), 3602 * kSecondOfClock);
  EXPECT_EQ(clock.ToLine(kClockBegin + kSecondOfClock / 2),
            20 * kSecondOfClock + kSecondOfClock / 2);
}

}  // namespace
}  // namespace syncline
