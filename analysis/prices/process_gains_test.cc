// SPDX-License-Identifier: Apache-2.0
// What a rank of several processes gains.
#include "analysis/prices/process_gains.h"

#include <gtest/gtest.h>

#include <string>

namespace syncline {
namespace {

// Times of a test are milliseconds: each process has one line of its own with a gain.
class ProcessGainsTest : public ::testing::Test {
 protected:
  static PriceKey Line(const std::string& where) {
    PriceKey key;
    key.change = Change::kHostWork;
    key.where = where;
    return key;
  }

  // `joint_ns`: of its changes, by their order.
  void Add(uint64_t begin_ns, uint64_t end_ns,
           const std::vector<std::pair<std::string, uint64_t>>& lines,
           std::vector<uint64_t> joint_ns) {
    std::map<PriceKey, PriceSums> prices;
    for (size_t i = 0; i < lines.size(); ++i) {
      PriceSums& sums = prices[Line(lines[i].first)];
      sums.gain = {lines[i].second, lines[i].second / 2, uint32_t{1} << i};
      if (awaits_) sums.removed_ns = end_ns - begin_ns;
    }
    if (awaits_) {
      const PriceSums sums = prices.begin()->second;
      PriceKey key = prices.begin()->first;
      key.span = HostSpan::kAwaits;
      prices = {{key, sums}};
    }
    for (const auto& [key, sums] : prices) prices_[key].Add(sums);
    gains_.Add(++pid_, {begin_ns, begin_ns + first_ns_, end_ns, 0}, prices, std::move(joint_ns));
  }
  void AddLine(uint64_t begin_ns, uint64_t end_ns, const std::string& where, uint64_t gain_ns) {
    Add(begin_ns, end_ns, {{where, gain_ns}}, {0, gain_ns});
  }
  uint64_t Of(const std::string& where) { return prices_.at(Line(where)).gain.gain_ns; }
  uint64_t Together(const std::string& one, const std::string& other) {
    const uint32_t set = prices_.at(Line(one)).gain.joint | prices_.at(Line(other)).gain.joint;
    return joint_ns_.at(set);
  }
  void Settle() { gains_.Settle(&prices_, &joint_ns_); }

  ProcessGains gains_;
  std::map<PriceKey, PriceSums> prices_;
  std::vector<uint64_t> joint_ns_;
  int32_t pid_ = 0;
  bool awaits_ = false;
  uint64_t first_ns_ = 0;  // before the first step
};

TEST_F(ProcessGainsTest, OfOneProcessAreItsOwn) {
  Add(0, 1000, {{"a", 400}, {"b", 500}}, {0, 400, 500, 700});
  Settle();
  EXPECT_EQ(Of("a"), 400u);
  EXPECT_EQ(Together("a", "b"), 700u);
  EXPECT_EQ(gains_.TogetherNs(), 0u);
}

TEST_F(ProcessGainsTest, OneAfterTheOtherAddUp) {
  AddLine(0, 1000, "a", 900);
  AddLine(1500, 3500, "b", 1800);
  AddLine(4000, 5000, "a", 950);
  Settle();
  EXPECT_EQ(Of("a"), 1850u);
  EXPECT_EQ(Of("b"), 1800u);
  EXPECT_EQ(Together("a", "b"), 3650u);
  EXPECT_EQ(prices_.at(Line("b")).gain.ahead_ns, 900u);
  EXPECT_EQ(gains_.TogetherNs(), 4000u) << "nobody worked between";
}

TEST_F(ProcessGainsTest, AtOnceTheLastOneCountsUntilAnotherOneIsTheLast) {
  AddLine(0, 1000, "a", 980);
  AddLine(10, 2010, "b", 1950);
  Settle();
  EXPECT_EQ(Of("a"), 0u);
  EXPECT_EQ(Of("b"), 1010u);
  EXPECT_EQ(Together("a", "b"), 1950u) << "what is left of b ends last";
  EXPECT_EQ(gains_.TogetherNs(), 2010u);
}

TEST_F(ProcessGainsTest, WorkBeforeTheFirstStepIsAtTheSameTime) {
  AddLine(0, 1000, "a", 980);
  first_ns_ = 1500;
  AddLine(0, 3000, "b", 5000);
  Settle();
  EXPECT_EQ(Of("a"), 0u);
  EXPECT_EQ(Of("b"), 1500u) << "no more than its steps take";
  EXPECT_EQ(gains_.TogetherNs(), 2500u);
}

TEST_F(ProcessGainsTest, AtOnceTheSameLineOfAllCounts) {
  for (int i = 0; i < 3; ++i) AddLine(0, 1000, "a", 900);
  Settle();
  EXPECT_EQ(Of("a"), 900u);
  EXPECT_EQ(joint_ns_, (std::vector<uint64_t>{0, 900}));
}

TEST_F(ProcessGainsTest, OfThoseThatDependOnEachOtherEachGainsItsOwn) {
  AddLine(0, 1000, "a", 980);
  awaits_ = true;
  AddLine(0, 2000, "b", 100);
  Settle();
  EXPECT_EQ(Of("a"), 980u) << "the other one may wait for it";
}

TEST_F(ProcessGainsTest, TwoSourcesOfOneProcessDependOnEachOther) {
  AddLine(0, 1000, "a", 980);
  --pid_;
  AddLine(0, 2000, "b", 1000);
  Settle();
  EXPECT_EQ(Of("a"), 980u);
  EXPECT_EQ(Of("b"), 1000u);
}

TEST_F(ProcessGainsTest, NoMoreThanAProcessTakes) {
  AddLine(0, 1000, "a", 5000);
  AddLine(2000, 2100, "b", 5000);
  Settle();
  EXPECT_EQ(Of("a"), 1000u);
  EXPECT_EQ(Together("a", "b"), 1100u);
}

TEST_F(ProcessGainsTest, ThoseThatBringMostAreTriedTogether) {
  for (uint64_t i = 0; i < kMostJoint + 2; ++i)
    AddLine(1000 * i, 1000 * i + 900, "line " + std::to_string(i), 100 * (i + 1));
  Settle();
  EXPECT_EQ(joint_ns_.size(), size_t{1} << kMostJoint);
  EXPECT_EQ(prices_.at(Line("line 1")).gain.joint, 0u);
  EXPECT_NE(prices_.at(Line("line 2")).gain.joint, 0u);
  EXPECT_EQ(Of("line 1"), 200u) << "by itself it is known all the same";
}

TEST_F(ProcessGainsTest, WhatWasNotRecordedIsNoTimeOfWork) {
  AddLine(0, 1000, "a", 0);
  gains_.Add(++pid_, {2000, 2000, 3000, 1000}, {}, {});
  Settle();
  EXPECT_EQ(gains_.TogetherNs(), 1000u);
}

}  // namespace
}  // namespace syncline
