// SPDX-License-Identifier: Apache-2.0
// Sketches and sums: their error, and that the order of merging does not matter.
#include "model/findings/run_findings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace syncline {
namespace {

TEST(SketchTest, EachValueIsInABucketThatIsNarrowEnough) {
  std::mt19937_64 random(1);
  std::vector<uint64_t> values = {0, 1, 127, 128, 129, 255, 256, UINT64_MAX, UINT64_MAX / 2};
  for (int i = 0; i < 100000; ++i) values.push_back(random() >> (random() % 64));
  for (const uint64_t value : values) {
    const uint32_t index = Sketch::IndexOf(value);
    ASSERT_LT(index, Sketch::kBuckets) << value;
    const uint64_t middle = Sketch::MiddleOf(index);
    EXPECT_EQ(Sketch::IndexOf(middle), index) << value;
    const uint64_t off = middle > value ? middle - value : value - middle;
    EXPECT_LE(off, value / 128) << value;
  }
}

TEST(SketchTest, BucketsAreInTheOrderOfTheValues) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100000; ++i) {
    const uint64_t a = random() >> (random() % 64), b = random() >> (random() % 64);
    EXPECT_EQ(a < b && Sketch::IndexOf(a) > Sketch::IndexOf(b), false) << a << " " << b;
  }
}

TEST(SketchTest, QuantilesAreOffByLessThanOnePercent) {
  std::mt19937_64 random(3);
  std::lognormal_distribution<double> durations(10, 2);
  std::vector<uint64_t> values;
  Sketch sketch;
  for (int i = 0; i < 50001; ++i) {
    values.push_back(static_cast<uint64_t>(durations(random)));
    sketch.Add(values.back());
  }
  std::sort(values.begin(), values.end());
  for (const double share : {0.0, 0.01, 0.5, 0.95, 0.999, 1.0}) {
    const size_t at = std::min(values.size() - 1, static_cast<size_t>(share * 50001));
    EXPECT_NEAR(static_cast<double>(sketch.Quantile(share)), static_cast<double>(values[at]),
                static_cast<double>(values[at]) / 128 + 1)
        << share;
  }
  EXPECT_EQ(Sketch().Quantile(0.5), 0u);
}

TEST(DurationSumsTest, NoQuantileIsBeyondTheExtremes) {
  DurationSums sums;
  EXPECT_EQ(sums.Quantile(0.5), 0u);
  sums.Add(206'900'000);
  sums.Add(206'900'001);
  for (const double share : {0.0, 0.5, 1.0}) {
    EXPECT_GE(sums.Quantile(share), 206'900'000u);
    EXPECT_LE(sums.Quantile(share), 206'900'001u);
  }
}

RunFindings OfRank(int rank) {
  std::mt19937_64 random(static_cast<uint64_t>(rank));
  RunFindings findings;
  RankPart& part = findings.ranks["rank-" + std::to_string(rank)];
  part.rank = rank;
  part.ranges = random() % 1000;
  for (int i = 0; i < 300; ++i) {
    // Some ranks have had so many names that theirs are one.
    const std::string name = rank % 7 == 0 ? "name #" : "name " + std::to_string(random() % 20);
    const uint64_t ns = random() % 1000000;
    findings.ranges[{"nvtx", "", name}].Add(ns);
    findings.kernels[{"cuda", name}].Add(ns);
    findings.copies[{"cuda", name}].durations.Add(ns);
    findings.copies[{"cuda", name}].bytes += ns;
    const WaitKey key{"cuda", static_cast<WaitClass>(random() % kWaitClasses), "call", name,
                      random() % 2 == 0 ? "a.py:1 f()" : ""};
    WaitSums& wait = findings.waits[key];
    wait.blocked.Add(ns);
    wait.needless += ns % 2;
    const std::string line = random() % 2 == 0 ? "a.py:1 f()" : "";
    findings.gaps[{"cuda", static_cast<GapCause>(random() % kGapCauses), "", name, {"", line}}].Add(
        ns);
    // Many of the same length: which of them are kept must not depend on the order.
    findings.AddLongWaits(
        {{ns / 400000, "rank-" + std::to_string(rank), random() % 50, 1, 2, key}});
  }
  return findings;
}

void ExpectEqual(const RunFindings& a, const RunFindings& b) {
  EXPECT_EQ(a.ranges, b.ranges);
  EXPECT_EQ(a.kernels, b.kernels);
  EXPECT_EQ(a.copies, b.copies);
  EXPECT_EQ(a.waits, b.waits);
  EXPECT_EQ(a.gaps, b.gaps);
  EXPECT_EQ(a.longest_waits, b.longest_waits);
  EXPECT_EQ(a.ranks.size(), b.ranks.size());
}

TEST(RunFindingsTest, MergingInAnyOrderGivesTheSame) {
  constexpr int kRanks = 64;
  std::vector<int> order(kRanks);
  for (int i = 0; i < kRanks; ++i) order[static_cast<size_t>(i)] = i;
  std::vector<RunFindings> of_ranks;
  for (const int rank : order) of_ranks.push_back(OfRank(rank));
  RunFindings first;
  for (const RunFindings& of_rank : of_ranks) first.Add(of_rank);
  EXPECT_EQ(first.ranks.size(), 64u);
  EXPECT_EQ(first.longest_waits.size(), kLongestWaits);
  RunFindings folded = first;
  folded.FoldNames();
  EXPECT_LT(folded.ranges.size(), first.ranges.size());
  std::mt19937 random(7);
  for (int round = 0; round < 5; ++round) {
    std::shuffle(order.begin(), order.end(), random);
    RunFindings other, half;  // and in groups
    for (size_t i = 0; i < order.size(); ++i) {
      RunFindings& into = i % 3 == 0 ? half : other;
      into.Add(of_ranks[static_cast<size_t>(order[i])]);
    }
    other.Add(half);
    ExpectEqual(first, other);
    other.FoldNames();
    ExpectEqual(folded, other);
  }
}

TEST(RunFindingsTest, NamesJoinTheirFamilyWhereItIsThere) {
  RunFindings findings;
  findings.ranges[{"nvtx", "", "request #"}].Add(5);
  findings.ranges[{"nvtx", "", "request 17"}].Add(7);
  findings.ranges[{"nvtx", "d", "request 17"}].Add(7);  // of another domain
  findings.ranges[{"nvtx", "", "layer 3"}].Add(9);
  findings.waits[{"cuda", WaitClass::kEvent, "c", "step # > layer 12", ""}].blocked.Add(1);
  findings.waits[{"cuda", WaitClass::kEvent, "c", "step # > layer #", ""}].blocked.Add(2);
  findings.FoldNames();
  EXPECT_EQ(findings.ranges.size(), 3u);
  EXPECT_EQ((findings.ranges[{"nvtx", "", "request #"}].total_ns), 12u);
  ASSERT_EQ(findings.waits.size(), 1u);
  EXPECT_EQ(findings.waits.begin()->second.blocked.count, 2u);
}

TEST(RunFindingsTest, ANumberIsOneHoweverItIsWritten) {
  EXPECT_EQ(NumberFamily("a12b3 4"), "a#b# #");
  EXPECT_EQ(NumberFamily("loss 0.3"), "loss #");
  EXPECT_EQ(NumberFamily("loss=-1.5e-05, lr 1e3"), "loss=#, lr #");
  EXPECT_EQ(NumberFamily("layers.1.0.conv2"), "layers.#.#.conv#") << "a path, no fraction";
  EXPECT_EQ(NumberFamily("v1.2"), "v#.#");
  EXPECT_EQ(NumberFamily("3-4"), "#-#");
  EXPECT_EQ(NumberFamily("tensor 0x7f3a00"), "tensor 0x#");
  EXPECT_EQ(NumberFamily("Object at 0x7F>"), "Object at 0x#>");
  EXPECT_EQ(NumberFamily("request 123e4567-e89b-12d3-a456-426614174000"), "request #");
  EXPECT_EQ(NumberFamily("123e4567-e89b-12d3-a456-426614174000"), "#");
  EXPECT_EQ(NumberFamily("blob deadbeefdeadbeef00"), "blob #");
  EXPECT_EQ(NumberFamily("facade decade"), "facade decade");
  EXPECT_EQ(NumberFamily("2e"), "#e");
  EXPECT_EQ(NumberFamily(NumberFamily("loss 0.3 at 0x7f")), "loss # at 0x#");
}

TEST(RunFindingsTest, WhatAProgramDoesOnceIsNoSteadyStep) {
  EXPECT_EQ(FirstSteadyStep({}), nullptr);
  EXPECT_EQ(FirstSteadyStep({{10, 5, 0}}), nullptr);
  const std::vector<Step> steps = {{10, 500, 0}, {600, 90, 1}, {700, 11, 2},
                                   {800, 40, 3}, {900, 10, 4}, {1000, 12, 5}};
  EXPECT_EQ(FirstSteadyStep(steps), &steps[2]) << "the fourth is in their midst";
  const std::vector<Step> uneven = {{10, 500, 0}, {600, 500, 1}, {1200, 1, 2}, {1300, 1, 3}};
  EXPECT_EQ(FirstSteadyStep(uneven), &uneven[0]) << "half of all take as long";
}

TEST(RunFindingsTest, OfStepsThatBeginTogetherTheLongestIsTheLongStep) {
  const std::vector<Step> steps = {{10, 5, 0}, {20, 0, 1}, {20, 0, 2}, {20, 70, 3}, {90, 5, 4}};
  EXPECT_EQ(LongStepAt(steps, 20), &steps[3]);
  EXPECT_EQ(LongStepAt(steps, 90), &steps[4]);
  EXPECT_EQ(LongStepAt(steps, 21), nullptr);
  EXPECT_EQ(LongStepAt(steps, 9), nullptr);
}

TEST(RunFindingsTest, TheRangesOfALibraryOfCollectivesAreNoStagesOfTheProgram) {
  RunFindings findings;
  findings.ranges[{"nvtx", "", "compute"}].Add(10);
  findings.ranges[{"nvtx", "NCCL", "ncclCommInitRankConfig"}].Add(1000);
  const std::vector<StageTime> stages = LongestStages(findings, 2);
  ASSERT_EQ(stages.size(), 1u);
  EXPECT_EQ(stages[0].key.name, "compute");
}

}  // namespace
}  // namespace syncline
