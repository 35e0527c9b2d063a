// SPDX-License-Identifier: Apache-2.0
// The order in which findings are told, and what of one line is one finding.
#include "report/told_findings.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "report/ranked_changes.h"

namespace syncline {
namespace {

constexpr uint64_t kToldMs = 1'000'000;

ReportFinding Priced(const char* where, uint64_t gain_us) {
  ReportFinding finding;
  finding.kind = "stream_wait";
  finding.where = where;
  finding.priced = true;
  finding.gain_ns = gain_us * 1000;
  finding.gain_percent = static_cast<double>(gain_us) / 1000;
  return finding;
}

std::vector<std::string> PlacesOf(const std::vector<ReportFinding>& findings) {
  std::vector<std::string> places;
  for (const ReportFinding& finding : findings) places.push_back(finding.where);
  return places;
}

TEST(ToldFindingsTest, WhatBringsTheSameStandsAsItsLinesDo) {
  using Places = std::vector<std::string>;
  const auto told = [](std::vector<ReportFinding> found) {
    return PlacesOf(ToldFindings(std::move(found), 100 * kToldMs, 1, false));
  };
  EXPECT_EQ(told({Priced("a.py:7", 8000), Priced("a.py:3", 7900), Priced("a.py:9", 40'000)}),
            (Places{"a.py:9", "a.py:3", "a.py:7"}));
  EXPECT_EQ(told({Priced("a.py:7", 7800), Priced("a.py:3", 7900), Priced("a.py:9", 40'000)}),
            (Places{"a.py:9", "a.py:3", "a.py:7"}));
  EXPECT_EQ(told({Priced("a.py:3", 7000), Priced("a.py:7", 8000)}), (Places{"a.py:7", "a.py:3"}));
  ReportFinding blocks = Priced("a.py:3", 8000), waits = Priced("a.py:3", 7900);
  waits.wait_class = "stream";
  blocks.kind = "copy_blocks";
  const std::vector<ReportFinding> of_line = ToldFindings({blocks, waits}, 100 * kToldMs, 1, false);
  EXPECT_EQ(of_line.at(0).kind, waits.kind);
  EXPECT_TRUE(told({}).empty());
}

TEST(ToldFindingsTest, SlowLaunchesAreToldWhereTheyAreMuch) {
  const auto told = [](uint64_t launches_us, uint64_t wait_us) {
    ReportFinding launches = Priced("a.py:3", launches_us);
    launches.kind = "slow_launch";
    return ToldFindings({launches, Priced("a.py:7", wait_us)}, 100 * kToldMs, 1, false).size();
  };
  EXPECT_EQ(told(9000, 20'000), 1u) << "less than half of the first";
  EXPECT_EQ(told(11'000, 20'000), 2u);
  EXPECT_EQ(told(4000, 5000), 1u) << "less than a twentieth of the time";
  EXPECT_EQ(told(6000, 500), 1u) << "... of which the wait has no hundredth";
}

TEST(ToldFindingsTest, WhatALineSavesIsOneFinding) {
  RunFindings findings;
  RankPart& part = findings.ranks["rank-0"];
  part.rank = 0;
  part.complete = true;
  part.end_ns = 5000 * kToldMs;
  part.replay.whole_ns = 1000 * kToldMs;
  const std::string save = "lib/torch/serialization.py:9 save()";
  const std::string waits_at = "a.py:4 main(), in " + save;
  for (int i = 0; i < 10; ++i)
    findings.waits[{"cuda", WaitClass::kStream, "call", "", waits_at}].blocked.Add(9 * kToldMs);
  PriceKey waits, work;
  waits.source = work.source = "cuda";
  waits.change = Change::kWaitsOfLine;
  waits.where = waits_at;
  work.change = Change::kHostWork;
  work.where = "a.py:4 main()";
  work.below = save;
  PriceKey rest = work;  // until a library's next call
  rest.where = "a.py:9 <module>";
  rest.before = waits_at;
  rest.below = "lib/fit.py:7 move()";
  for (const PriceKey& key : {waits, work, rest}) {
    PriceSums& sums = findings.prices[key];
    sums.count = 10;
    sums.removed_ns = sums.known_ns = 80 * kToldMs;
    sums.gain = {80 * kToldMs, 80 * kToldMs};
    sums.of_ranks = {{"rank-0", sums.gain}};
  }
  const std::vector<ReportFinding> answers = FindAnswers(findings, {});
  ASSERT_EQ(answers.size(), 1u);
  EXPECT_EQ(answers[0].kind, "saving");
  EXPECT_EQ(answers[0].where, waits_at);
  EXPECT_EQ(answers[0].also, (std::vector<PriceKey>{work, rest}));
  EXPECT_EQ(answers[0].gain_ns, 80 * kToldMs) << "were not replayed together";
  EXPECT_DOUBLE_EQ(answers[0].gain_percent, 8);
}

}  // namespace
}  // namespace syncline
