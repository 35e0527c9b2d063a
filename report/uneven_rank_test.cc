// SPDX-License-Identifier: Apache-2.0
// Which rank is told to have more to compute, and that the others wait for it is told once.
#include "report/uneven_rank.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/ranked_changes.h"

namespace syncline {
namespace {

constexpr uint64_t kOfMs = 1'000'000;

class UnevenRankTest : public ::testing::Test {
 protected:
  // Two ranks that work for a second each, and compute 200 ms and 440 ms of that.
  UnevenRankTest() {
    for (const auto& [rank, ms] : {std::pair<int, uint64_t>{0, 200}, {1, 440}}) {
      RankPart& part = findings_.ranks["rank-" + std::to_string(rank)];
      part.rank = rank;
      part.complete = true;
      part.replay.whole_ns = 1000 * kOfMs;
      DeviceUse use;
      use.computing_ns = ms * kOfMs;
      use.end_ns = 1000 * kOfMs;
      part.devices.push_back(use);
    }
  }

  RankPart& Rank(const char* name) { return findings_.ranks.at(name); }

  RunFindings findings_;
  RankMeetings meetings_;
};

TEST_F(UnevenRankTest, IsTheOneThatComputesMore) {
  RankPart& without_device = findings_.ranks["rank-2"];
  without_device.rank = 2;
  const std::optional<UnevenRank> uneven = FindUnevenRank(findings_, meetings_);
  ASSERT_TRUE(uneven.has_value());
  EXPECT_EQ(uneven->name, "rank-1");
  EXPECT_EQ(uneven->beyond_mean_ns, 120 * kOfMs);
  EXPECT_EQ(uneven->beyond_others_ns, 240 * kOfMs);
  const std::vector<ReportFinding> answers = FindAnswers(findings_, meetings_);
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].kind, "imbalance");
  EXPECT_EQ(answers[0].rank, "rank 1");
  EXPECT_EQ(answers[0].gain_ns, 120 * kOfMs);
}

TEST_F(UnevenRankTest, IsNoneOfThoseThatAreAlike) {
  Rank("rank-1").devices[0].computing_ns = 240 * kOfMs;
  EXPECT_FALSE(FindUnevenRank(findings_, meetings_)) << "a tenth more than the mean at least";
}

TEST_F(UnevenRankTest, IsNotKnownWhereOneIsCut) {
  Rank("rank-0").device_ops = 100;
  Rank("rank-0").losses["at_kill"] = 50;
  EXPECT_FALSE(FindUnevenRank(findings_, meetings_)) << "nobody knows how much rank 0 computed";
  Rank("rank-0").losses.clear();
  EXPECT_TRUE(FindUnevenRank(findings_, meetings_));
  Rank("rank-0").endings.resize(1);
  EXPECT_FALSE(FindUnevenRank(findings_, meetings_)) << "rank 0 would have computed more";
}

TEST_F(UnevenRankTest, DoesNotComputeWhereItsGraphsWait) {
  meetings_.ranks[1].waited_in_graphs_ns = 210 * kOfMs;
  EXPECT_FALSE(FindUnevenRank(findings_, meetings_));
}

TEST_F(UnevenRankTest, IsToldWithThePlaceAtWhichItIsLate) {
  meetings_.ranks[0].waited_for_ns[1] = 220 * kOfMs;
  meetings_.ranks[1].came_last = 14;
  meetings_.ranks[0].met = meetings_.ranks[1].met = 18;
  PriceKey work;
  work.source = "cuda";
  work.change = Change::kHostWork;
  work.where = "a.py:9 f()";
  PriceSums& price = findings_.prices[work];
  price.count = 10;
  price.removed_ns = 200 * kOfMs;
  price.gain = {200 * kOfMs, 200 * kOfMs};
  price.of_ranks = {{"rank-1", price.gain}};
  std::vector<ReportFinding> answers = FindAnswers(findings_, meetings_);
  ASSERT_EQ(answers.size(), 1u) << "one cause is one finding";
  EXPECT_EQ(answers[0].kind, "imbalance");
  EXPECT_EQ(answers[0].line, "a.py:9 f()");
  EXPECT_EQ(answers[0].rank, "rank 1");
  EXPECT_EQ(answers[0].count, 14u);
  EXPECT_EQ(answers[0].gain_ns, 120 * kOfMs) << "the others have more to do then";

  meetings_.ranks[0].waited_for_ns[1] = 700 * kOfMs;
  price.removed_ns = 400 * kOfMs;
  answers = FindAnswers(findings_, meetings_);
  ASSERT_EQ(answers.size(), 2u) << "it is late for another reason, too";
  EXPECT_EQ(answers[0].kind, "late_rank");
  EXPECT_EQ(answers[1].kind, "imbalance");
}

}  // namespace
}  // namespace syncline
