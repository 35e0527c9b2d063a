// SPDX-License-Identifier: Apache-2.0
// Ranges of tasks that end each other's, and of functions that call each other.
#include "analysis/sums/swapped_ranges.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint32_t kA = 0, kB = 1, kServe = 2, kForward = 3, kBackward = 4;

class SwappedRangesTest : public ::testing::Test {
 protected:
  // `inner` in `outer`, in what stands behind them.
  void Nest(const std::vector<uint32_t>& names, uint64_t stream = 1) {
    uint32_t depth = static_cast<uint32_t>(names.size());
    for (const uint32_t name : names) ranges_.Add(stream, name, --depth);
  }
  SwappedRanges ranges_;
};

TEST_F(SwappedRangesTest, NowTheOneNowTheOther) {
  for (int i = 0; i < 5; ++i) Nest({kA, kB});
  for (int i = 0; i < 3; ++i) Nest({kB, kA});
  const auto most = ranges_.Most();
  ASSERT_TRUE(most.has_value());
  EXPECT_EQ(most->outer, kB);
  EXPECT_EQ(most->inner, kA);
  EXPECT_EQ(most->times, 5u);
  EXPECT_EQ(most->other_way, 3u);
}

TEST_F(SwappedRangesTest, WithinARangeAroundAll) {
  for (int i = 0; i < 4; ++i) {
    ranges_.Add(1, kA, 2);
    ranges_.Add(1, kB, 1);
    ranges_.Add(1, kB, 2);
    ranges_.Add(1, kA, 1);
  }
  ranges_.Add(1, kServe, 0);
  ASSERT_TRUE(ranges_.Most().has_value());
  EXPECT_EQ(ranges_.Most()->times, 4u);
}

TEST_F(SwappedRangesTest, RecursionBeginsWithTheSame) {
  for (int i = 0; i < 9; ++i) Nest({kA, kB, kA});
  for (int i = 0; i < 9; ++i) Nest({kB, kA, kB, kA});
  EXPECT_FALSE(ranges_.Most().has_value());
}

// Layers that are computed once more on the way back.
TEST_F(SwappedRangesTest, InOtherPlacesTheyMayStandTheOtherWay) {
  for (int i = 0; i < 9; ++i) Nest({kA, kB, kForward, kServe});
  for (int i = 0; i < 9; ++i) Nest({kB, kA, kBackward, kServe});
  EXPECT_FALSE(ranges_.Most().has_value());
}

TEST_F(SwappedRangesTest, SeldomOrOnAnotherThreadSaysNothing) {
  for (int i = 0; i < 9; ++i) Nest({kA, kB});
  for (int i = 0; i < 2; ++i) Nest({kB, kA});
  for (int i = 0; i < 9; ++i) Nest({kB, kA}, 2);
  EXPECT_FALSE(ranges_.Most().has_value());
}

TEST_F(SwappedRangesTest, MemoryIsBounded) {
  for (uint32_t i = 0; i < 100000; ++i) Nest({3 * i, 3 * i + 1, 3 * i + 2});
  for (uint32_t i = 0; i < 1000; ++i) ranges_.Add(1, i, 1);
  ranges_.Add(1, kA, 0);
  EXPECT_FALSE(ranges_.Most().has_value());
}

}  // namespace
}  // namespace syncline
