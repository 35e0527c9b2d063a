// SPDX-License-Identifier: Apache-2.0
// Tests of the order in which changes are to be made.
#include "report/mending_order.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint64_t kMs = 1'000'000, kWholeNs = 1000 * kMs;

// One rank, and findings each of which brings so many ms; `joint`: of their sets.
class MendingOrderTest : public ::testing::Test {
 protected:
  void Make(const std::vector<uint64_t>& gains_ms, const std::vector<uint64_t>& joint_ms) {
    RankPart& part = findings_.ranks["rank-0"];
    part.replay.whole_ns = kWholeNs;
    for (const uint64_t ms : joint_ms) part.joint_ns.push_back(ms * kMs);
    for (size_t i = 0; i < gains_ms.size(); ++i) {
      PriceKey key;
      key.where = "a.py:" + std::to_string(i + 1);
      findings_.prices[key].of_ranks["rank-0"] = {gains_ms[i] * kMs, 0, uint32_t{1} << i};
      ReportFinding finding;
      finding.change = key;
      finding.priced = true;
      finding.gain_ns = gains_ms[i] * kMs;
      finding.gain_percent = static_cast<double>(gains_ms[i]) / 10;
      finding.number = i + 1;
      answers_.push_back(finding);
    }
  }
  void Find() {
    const RankMeetings meetings;
    FindMendingOrder(findings_, JobGain(findings_, meetings, kWholeNs), kWholeNs, &answers_);
  }
  // "step: ms more" of each.
  std::vector<std::pair<size_t, uint64_t>> Steps() const {
    std::vector<std::pair<size_t, uint64_t>> steps;
    for (const ReportFinding& finding : answers_)
      steps.emplace_back(finding.step, finding.more_ns / kMs);
    return steps;
  }

  RunFindings findings_;
  std::vector<ReportFinding> answers_;
};

using Expected = std::vector<std::pair<size_t, uint64_t>>;

TEST_F(MendingOrderTest, WhatTheFirstOneLeavesComesNext) {
  // With 1 made, 2 brings nothing more, and 3 all of its own.
  Make({400, 300, 100}, {0, 400, 300, 400, 100, 500, 400, 505});
  Find();
  EXPECT_EQ(Steps(), (Expected{{1, 400}, {0, 0}, {2, 100}}));
  EXPECT_EQ(OrderText(findings_, kWholeNs, answers_),
            "One after another: 1 brings 400 ms (40 %), 3 then 100 ms more (10 %), no other 1 % "
            "more.");
}

TEST_F(MendingOrderTest, TheReportsOrderStandsWhereTwoBringNearlyTheSame) {
  Make({400, 90, 100}, {0, 400, 90, 490, 100, 500, 190, 590});
  Find();
  EXPECT_EQ(Steps(), (Expected{{1, 400}, {2, 90}, {3, 100}}));
}

TEST_F(MendingOrderTest, TogetherTheyMayBringMore) {
  Make({100, 100}, {0, 100, 100, 700});
  DeviceUse use;
  use.begin_ns = 0;
  use.end_ns = kWholeNs;
  use.busy_ns = use.computing_ns = kWholeNs / 4;
  findings_.ranks["rank-0"].devices = {use};
  Find();
  EXPECT_EQ(OrderText(findings_, kWholeNs, answers_),
            "One after another: 1 brings 100 ms (10 %), 2 then 600 ms more (60 %). The GPU works "
            "83 % of the 300 ms that are left.");
}

TEST_F(MendingOrderTest, OneFindingHasNoOrder) {
  Make({100}, {0, 100});
  Find();
  EXPECT_EQ(Steps(), (Expected{{1, 100}}));
  EXPECT_EQ(OrderText(findings_, kWholeNs, answers_), "");
  EXPECT_EQ(OrderText(findings_, 0, {}), "");
}

TEST_F(MendingOrderTest, WhatHasNoPriceIsNoStep) {
  Make({400, 300}, {0, 400, 300, 700});
  answers_[0].priced = false;
  answers_[1].worth = false;
  Find();
  EXPECT_EQ(Steps(), (Expected{{0, 0}, {0, 0}}));
}

}  // namespace
}  // namespace syncline
