// SPDX-License-Identifier: Apache-2.0
// What is taken away of a name, and what nobody knows.
#include "analysis/sums/first_ones.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(FirstOnesTest, TakesAwayWhatBeganBefore) {
  FirstOnes first;
  for (uint64_t at = 10; at <= 50; at += 10) first.Add(3, at, at, 1);
  EXPECT_EQ(first.Without(3, 30, {5, 150, 5}), (StepPart{3, 120, 3}));
  EXPECT_EQ(first.Without(3, 0, {5, 150, 5}), (StepPart{5, 150, 5}));
  EXPECT_EQ(first.Without(3, 51, {5, 150, 5}), StepPart());
  EXPECT_EQ(first.Without(7, 51, {5, 150, 5}), (StepPart{5, 150, 5})) << "of a name without any";
}

TEST(FirstOnesTest, TakesNothingAwayWhereMoreCameBeforeThanAreKept) {
  constexpr uint64_t kCame = FirstOnes::kMostOfName + 10;
  FirstOnes first;
  for (uint64_t at = 0; at < kCame; ++at) first.Add(0, at, 1);
  EXPECT_EQ(first.Without(0, 100, {kCame, kCame}).count, kCame - 100);
  EXPECT_EQ(first.Without(0, FirstOnes::kMostOfName, {kCame, kCame}).count, kCame);
}

TEST(FirstOnesTest, KeepsSoManyOfAllNames) {
  FirstOnes first;
  const auto names = static_cast<uint32_t>(FirstOnes::kMostInAll / FirstOnes::kMostOfName);
  for (uint32_t name = 0; name < names; ++name) {
    for (uint64_t at = 0; at < FirstOnes::kMostOfName; ++at) first.Add(name, at, 1);
  }
  first.Add(names, 1, 1);
  EXPECT_EQ(first.Without(names, 9, {1, 1}).count, 1u);
}

}  // namespace
}  // namespace syncline
