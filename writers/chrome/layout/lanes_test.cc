// SPDX-License-Identifier: Apache-2.0
// Lanes: nothing overlaps on one, whatever the order, as long as there are lanes.
#include "writers/chrome/layout/lanes.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace syncline {
namespace {

TEST(Lanes, WhatFollowsStaysOnTheFirst) {
  LaneAssigner lanes;
  EXPECT_EQ(lanes.lanes(), 0u);
  EXPECT_EQ(lanes.Place(0, 10), 0u);
  EXPECT_EQ(lanes.Place(20, 30), 0u);
  EXPECT_EQ(lanes.Place(1000, 1000), 0u);
  EXPECT_EQ(lanes.lanes(), 1u);
}

TEST(Lanes, WhatOverlapsTakesTheLowestFreeOne) {
  LaneAssigner lanes;
  EXPECT_EQ(lanes.Place(100, 200), 0u);
  EXPECT_EQ(lanes.Place(150, 250), 1u);
  EXPECT_EQ(lanes.Place(160, 170), 2u);
  EXPECT_EQ(lanes.Place(180, 190), 2u);
  EXPECT_EQ(lanes.Place(210, 220), 0u);
  EXPECT_EQ(lanes.Place(50, 500), 3u);
  EXPECT_EQ(lanes.lanes(), 4u);
}

TEST(Lanes, WhatComesLateFillsTheGapItStoodIn) {
  LaneAssigner lanes;
  EXPECT_EQ(lanes.Place(300, 400), 0u);
  EXPECT_EQ(lanes.Place(100, 200), 0u);
  EXPECT_EQ(lanes.Place(210, 290), 0u);
  EXPECT_EQ(lanes.Place(10, 20), 0u);
  EXPECT_EQ(lanes.Place(15, 150), 1u);
}

TEST(Lanes, WhatTouchesSharesALane) {
  LaneAssigner lanes;
  lanes.Place(100, 200);
  EXPECT_EQ(lanes.late() + lanes.early(), 0u);
  EXPECT_EQ(lanes.Place(200, 300), 0u);
  EXPECT_EQ(lanes.Place(50, 100), 0u);
  lanes.Place(400, 500);
  EXPECT_EQ(lanes.Place(300, 400), 0u);
  EXPECT_EQ(lanes.late() + lanes.early(), 0u);
  EXPECT_EQ(lanes.Place(310, 320), 1u);  // a lane of its own
  EXPECT_EQ(lanes.late() + lanes.early(), 0u);
}

TEST(Lanes, WhatOverlapsByRoundingOnlyStaysOnTheFirst) {
  LaneAssigner lanes;
  lanes.Place(1000, 2000);
  EXPECT_EQ(lanes.Place(1999, 3000), 0u);
  EXPECT_EQ(lanes.late(), 1u);
  EXPECT_EQ(lanes.early(), 0u);
  EXPECT_EQ(lanes.Place(500, 1064), 0u);
  EXPECT_EQ(lanes.early(), 64u);
  EXPECT_EQ(lanes.Place(2935, 4000), 1u) << "65 ns are more";
  EXPECT_EQ(lanes.Place(2990, 3010), 2u) << "half of a short one";
  EXPECT_EQ(lanes.lanes(), 3u);
}

TEST(Lanes, TheBeginningOfTimeIsTouchedByNothing) {
  LaneAssigner lanes;
  EXPECT_EQ(lanes.Place(0, 5), 0u);
  EXPECT_EQ(lanes.late(), 0u);
}

TEST(Lanes, ZeroLengthFitsBetweenButNotInside) {
  LaneAssigner lanes;
  lanes.Place(100, 200);
  EXPECT_EQ(lanes.Place(150, 150), 1u);
  EXPECT_EQ(lanes.Place(200, 200), 0u);
  EXPECT_EQ(lanes.Place(100, 100), 1u);  // it would stand at the begin of another
  EXPECT_EQ(lanes.Place(200, 300), 0u);
}

TEST(Lanes, BeforeWhatIsRememberedALaneIsTaken) {
  LaneAssigner lanes;
  const uint64_t forgotten = 4096;
  for (uint64_t i = 0; i <= 2 * forgotten; ++i) EXPECT_EQ(lanes.Place(100 * i, 100 * i + 50), 0u);
  EXPECT_EQ(lanes.Place(100 * forgotten - 40, 100 * forgotten - 30),
            0u);                       // behind the last of them
  EXPECT_EQ(lanes.Place(60, 70), 1u);  // before that nobody knows
  EXPECT_EQ(lanes.Place(100 * forgotten + 60, 100 * forgotten + 70), 0u);
}

TEST(Lanes, BeyondSixtyFourTheyOverlap) {
  LaneAssigner lanes;
  for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(lanes.Place(100, 200), i);
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(lanes.Place(100, 200), 63u);
  EXPECT_EQ(lanes.lanes(), 64u);
  EXPECT_EQ(lanes.late() + lanes.early(), 0u);
  EXPECT_EQ(lanes.Place(200, 300), 0u);
}

TEST(Lanes, TheSameOrderGivesTheSameLanesWithoutOverlap) {
  std::mt19937_64 random(3);
  LaneAssigner first, second;
  std::map<uint32_t, std::map<uint64_t, uint64_t>> placed;
  for (int i = 0; i < 20000; ++i) {
    const uint64_t begin = static_cast<uint64_t>(i) * 100 + random() % 3000;
    const uint64_t end = begin + random() % 400;
    const uint32_t lane = first.Place(begin, end);
    ASSERT_EQ(second.Place(begin, end), lane);
    ASSERT_EQ(second.late(), first.late());
    ASSERT_LT(lane, 63u);
    auto& row = placed[lane];
    const uint64_t from = begin + first.late(), to = end - first.early();
    ASSERT_LE(from, to);
    const auto next = row.upper_bound(from);
    ASSERT_TRUE(next == row.end() || next->first >= to);
    ASSERT_TRUE(next == row.begin() || std::prev(next)->second <= from);
    row[from] = std::max(row[from], to);
  }
  EXPECT_EQ(first.lanes(), second.lanes());
}

}  // namespace
}  // namespace syncline
