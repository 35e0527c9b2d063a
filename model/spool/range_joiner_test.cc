// SPDX-License-Identifier: Apache-2.0
// Halves of ranges in any order, and floods of them.
#include "model/spool/range_joiner.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

StartedRange<int> Started(uint64_t begin, uint16_t lane) {
  StartedRange<int> range;
  range.begin = begin;
  range.lane = lane;
  return range;
}

TEST(RangeJoiner, EitherOrder) {
  RangeJoiner<int> joiner;
  RangeJoiner<int>::Joined out;
  EXPECT_FALSE(joiner.Start(1, Started(10, 0), &out));
  EXPECT_TRUE(joiner.End(1, 20, &out));
  EXPECT_EQ(out.range.begin, 10u);
  EXPECT_EQ(out.end, 20u);
  EXPECT_FALSE(joiner.End(2, 40, &out));
  EXPECT_EQ(joiner.ends_without_start(), 1u);
  EXPECT_TRUE(joiner.Start(2, Started(30, 0), &out));
  EXPECT_EQ(out.end, 40u);
  EXPECT_EQ(joiner.ends_without_start(), 0u);
}

TEST(RangeJoiner, OpenOnesAreBoundedByTheirLane) {
  RangeJoiner<int> joiner;
  RangeJoiner<int>::Joined out;
  EXPECT_FALSE(joiner.Start(2, Started(50, 0), &out));
  EXPECT_FALSE(joiner.Start(1, Started(10, 0), &out));
  EXPECT_FALSE(joiner.Start(3, Started(20, 1), &out));
  const std::vector<StartedRange<int>> open = joiner.TakeOpen();
  ASSERT_EQ(open.size(), 3u);
  EXPECT_EQ(open[0].limit, 50u);
  EXPECT_EQ(open[1].limit, UINT64_MAX);
  EXPECT_EQ(open[2].limit, UINT64_MAX);
}

TEST(RangeJoiner, FloodsAreBoundedAndCounted) {
  RangeJoiner<int> joiner;
  RangeJoiner<int>::Joined out;
  for (uint64_t id = 0; id < 70000; ++id) joiner.End(id, 1, &out);
  for (uint64_t id = 100000; id < 170000; ++id)
    joiner.Start(id, Started(id, static_cast<uint16_t>(id)), &out);
  EXPECT_EQ(joiner.ends_without_start(), 70000u);
  EXPECT_EQ(joiner.dropped_starts(), 70000u - 65536u);
}

}  // namespace
}  // namespace syncline
