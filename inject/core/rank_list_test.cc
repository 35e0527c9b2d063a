// SPDX-License-Identifier: Apache-2.0
// Tests of lists of ranks.
#include "inject/core/rank_list.h"

#include <gtest/gtest.h>

#include <set>

namespace syncline {
namespace {

constexpr int kRanks = 16;
constexpr int kPerNode = 8;

// Of 16 ranks on two nodes.
std::set<int> Recorded(const char* list) {
  std::set<int> ranks;
  for (int rank = 0; rank < kRanks; ++rank) {
    const RankFacts facts = {rank, kRanks, rank % kPerNode, kPerNode, rank / kPerNode, 0, -1, -1,
                             0,    0};
    if (ChooseRank(list, facts) == RankChoice::kRecorded) ranks.insert(rank);
  }
  return ranks;
}

RankChoice ChooseByNumber(const char* list, int rank) {
  return ChooseRank(list, {rank, -1, -1, -1, -1, 0, -1, -1, 0, 0});
}

TEST(RankList, EachFormNamesItsRanks) {
  EXPECT_EQ(Recorded("0"), (std::set<int>{0}));
  EXPECT_EQ(Recorded("0,8-10"), (std::set<int>{0, 8, 9, 10}));
  EXPECT_EQ(Recorded("every:8"), (std::set<int>{0, 8}));
  EXPECT_EQ(Recorded("node-first"), (std::set<int>{0, 8}));
  EXPECT_EQ(Recorded("local:0"), (std::set<int>{0, 8}));
  EXPECT_EQ(Recorded("local:6-7"), (std::set<int>{6, 7, 14, 15}));
  EXPECT_EQ(Recorded(" 3 , local:1,"), (std::set<int>{1, 3, 9}));
  EXPECT_EQ(Recorded("14-99"), (std::set<int>{14, 15}));
  EXPECT_EQ(Recorded("99"), std::set<int>());
}

TEST(RankList, WhatIsNoRankCountsForNothing) {
  for (const char* bad : {"x", "-1", "3-", "-", "7-3", "every:0", "every:", "every:-8",
                          "local:", "node", "1e3", "123456789"})
    EXPECT_EQ(ParseRankWord(bad).kind, RankWord::Kind::kBad) << bad;
  EXPECT_EQ(Recorded("x").size(), kRanks);
  EXPECT_EQ(Recorded("").size(), kRanks);
  EXPECT_EQ(Recorded("x,3"), (std::set<int>{3}));
}

TEST(RankList, OfAnUnknownNumberOnTheNodeOnlyOthersDecide) {
  EXPECT_EQ(ChooseByNumber("local:0", 3), RankChoice::kUnknown);
  EXPECT_EQ(ChooseByNumber("node-first,3", 3), RankChoice::kRecorded);
  EXPECT_EQ(ChooseByNumber("4", 3), RankChoice::kLeftOut);
}

TEST(RankList, WithoutARankThereIsNothingToLeaveOut) {
  EXPECT_EQ(ChooseByNumber("0", -1), RankChoice::kRecorded);
  EXPECT_EQ(ChooseByNumber("every:1", -1), RankChoice::kRecorded);
}

}  // namespace
}  // namespace syncline
