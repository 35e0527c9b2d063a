// SPDX-License-Identifier: Apache-2.0
// Which rank of a pipeline is told to send late, and where it was meanwhile.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/ranked_changes.h"

namespace syncline {
namespace {

constexpr uint64_t kOneMsNs = 1'000'000;

class LateSenderTest : public ::testing::Test {
 protected:
  // Four ranks that work for a second each.
  LateSenderTest() {
    for (int rank = 0; rank < 4; ++rank) {
      RankPart& part = findings_.ranks["rank-" + std::to_string(rank)];
      part.rank = rank;
      part.complete = true;
      part.end_ns = 5000 * kOneMsNs;
      part.replay.whole_ns = 1000 * kOneMsNs;
    }
  }

  void Wait(int rank, int other, bool sends, const char* ranges, uint64_t ms) {
    meetings_.messages[{rank, other, sends, ranges}] = {10, 9, ms * kOneMsNs, kOneMsNs};
  }

  RunFindings findings_;
  RankMeetings meetings_;
};

// Rank 2 hands on what it waits for, and rank 0 cannot hand on what rank 1 does not take.
TEST_F(LateSenderTest, IsTheOneThatWaitsForNobody) {
  Wait(2, 1, false, "round > get", 200);
  Wait(2, 1, false, "", 50);
  Wait(3, 2, false, "round > get", 255);
  Wait(0, 1, true, "round", 240);
  Wait(1, 0, false, "round > get", 5);
  std::vector<ReportFinding> answers = FindAnswers(findings_, meetings_);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].kind, "late_sender");
  EXPECT_EQ(answers[0].rank, "rank 1");
  EXPECT_EQ(answers[0].problem, "rank 2 waited 250 ms for rank 1's sends");
  EXPECT_EQ(answers[0].count, 18u);

  PriceKey work;
  work.source = "cuda";
  work.change = Change::kHostWork;
  work.where = "a.py:9 f()";
  PriceSums& price = findings_.prices[work];
  price.count = 10;
  price.removed_ns = 240 * kOneMsNs;
  price.gain = {240 * kOneMsNs, 240 * kOneMsNs};
  price.of_ranks = {{"rank-1", price.gain}};
  answers = FindAnswers(findings_, meetings_);
  ASSERT_EQ(answers.size(), 1u) << "one cause is one finding";
  EXPECT_EQ(answers[0].kind, "late_sender");
  EXPECT_EQ(answers[0].line, "a.py:9 f()");
  EXPECT_EQ(answers[0].gain_ns, 240 * kOneMsNs);
  EXPECT_EQ(answers[0].assumption, "if that took no time");
}

// It came late to the collective because it waited for what rank 1 sends.
TEST_F(LateSenderTest, IsNotTheRankThatWaitedAndThenWasLateItself) {
  for (const int rank : {0, 2, 3}) {
    meetings_.ranks[rank].met = 10;
    meetings_.ranks[rank].waited_for_ns = {{1, 200 * kOneMsNs}};
    ReplayFacts& replay = findings_.ranks["rank-" + std::to_string(rank)].replay;
    replay.windows = 1;
    replay.waited_ns = 200 * kOneMsNs;
  }
  meetings_.ranks[1].met = 10;
  std::vector<ReportFinding> answers = FindAnswers(findings_, meetings_);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].kind, "late_rank");
  meetings_.bubbles_ns[1] = 200 * kOneMsNs;
  EXPECT_TRUE(FindAnswers(findings_, meetings_).empty());
}

// What messages take is told where ranks do not only wait for each other.
TEST_F(LateSenderTest, WaitingIsNotCommunication) {
  PriceKey key;
  key.source = "cuda";
  key.change = Change::kCommunication;
  key.call = "SendRecv";
  PriceSums& price = findings_.prices[key];
  price.count = 100;
  price.removed_ns = 300 * kOneMsNs;
  price.gain = {240 * kOneMsNs, 240 * kOneMsNs};
  price.of_ranks = {{"rank-2", price.gain}};
  EXPECT_EQ(FindAnswers(findings_, meetings_).size(), 1u);
  meetings_.bubbles_ns = {{2, 200 * kOneMsNs}};
  EXPECT_TRUE(FindAnswers(findings_, meetings_).empty());
}

TEST_F(LateSenderTest, WhoIsWaitedForAsLongAsItWaitsIsNone) {
  Wait(1, 0, false, "", 100);
  Wait(0, 1, false, "", 100);
  EXPECT_TRUE(FindAnswers(findings_, meetings_).empty());
}

// Of collectives that only a framework's operators tell: nobody knows what threads did meanwhile.
TEST_F(LateSenderTest, ALateRankOfOperatorsHasNoPrice) {
  meetings_.ranks[0].waited_for_ns = {{1, 300 * kOneMsNs}};
  meetings_.ranks[1].came_last = 14;
  meetings_.ranks[0].met = meetings_.ranks[1].met = 18;
  EXPECT_TRUE(FindAnswers(findings_, meetings_).at(0).priced);
  meetings_.collectives[{"0", {"allreduce", "Float"}}].waited_ns = 300 * kOneMsNs;
  const std::vector<ReportFinding> answers = FindAnswers(findings_, meetings_);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].kind, "late_rank");
  EXPECT_EQ(answers[0].blocked_ns, 300 * kOneMsNs);
  EXPECT_FALSE(answers[0].priced);
}

}  // namespace
}  // namespace syncline
