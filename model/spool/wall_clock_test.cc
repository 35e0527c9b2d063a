// SPDX-License-Identifier: Apache-2.0
// A clock that is set, one that is slewed, and none at all.
#include "model/spool/wall_clock.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint64_t kSecond = 1'000'000'000;
constexpr uint64_t kWall = 1'700'000'000 * kSecond;

TEST(WallClockTest, WithoutPointsTheTwoAreOne) {
  EXPECT_EQ(WallClock({}).ToLine(kWall), kWall);
  EXPECT_EQ(WallClock({{0, 7}}).ToLine(kWall), kWall) << "no reading of the clock";
}

TEST(WallClockTest, IsOffByTheDistanceOfItsPoints) {
  const WallClock clock({{kWall + 10 * kSecond, 30 * kSecond}, {kWall, 20 * kSecond}});
  EXPECT_EQ(clock.ToLine(kWall + kSecond), 21 * kSecond);
  EXPECT_EQ(clock.ToLine(kWall - kSecond), 19 * kSecond) << "before the first point";
  EXPECT_EQ(clock.ToLine(kWall + 11 * kSecond), 31 * kSecond) << "behind the last one";
  EXPECT_EQ(clock.ErrorNs(kWall, kWall + kSecond), 0u);
}

// 10 s of the clock are 8 s of the line.
TEST(WallClockTest, InterpolatesWhereTheClockGoesFaster) {
  const WallClock clock({{kWall, 20 * kSecond}, {kWall + 10 * kSecond, 28 * kSecond}});
  EXPECT_EQ(clock.ToLine(kWall + 5 * kSecond), 24 * kSecond);
  EXPECT_EQ(clock.ErrorNs(kWall + kSecond, kWall + 2 * kSecond), 2 * kSecond);
}

TEST(WallClockTest, TellsThatTheClockWasSetBack) {
  const WallClock clock({{kWall, 20 * kSecond},
                         {kWall + kSecond, 21 * kSecond},
                         {kWall - 3600 * kSecond, 22 * kSecond},
                         {kWall - 3599 * kSecond, 23 * kSecond}});
  EXPECT_EQ(clock.ErrorNs(kWall, kWall + kSecond), 3602 * kSecond);
  EXPECT_EQ(clock.ToLine(kWall + kSecond / 2), 20 * kSecond + kSecond / 2);
}

}  // namespace
}  // namespace syncline
