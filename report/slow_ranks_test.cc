// SPDX-License-Identifier: Apache-2.0
// A rank that takes longer is told; chance, lost records and an early end are not.
#include "report/slow_ranks.h"

#include <gtest/gtest.h>

#include "report/ranked_changes.h"

namespace syncline {
namespace {

constexpr uint64_t kMillisecond = 1'000'000;

RankPart& AddRank(RunFindings* findings, int rank) {
  RankPart& part = findings->ranks["rank-" + std::to_string(rank)];
  part.rank = rank;
  part.complete = true;
  part.end_ns = 1000 * kMillisecond;
  part.ranges = 1000;
  return part;
}

// Of `count` times `each_us`.
void AddStage(RankPart* part, const char* name, uint64_t count, uint64_t each_us,
              uint64_t deviation_us, uint64_t own_us = UINT64_MAX) {
  StageTime stage;
  stage.key = {"nvtx", "", name};
  stage.count = count;
  stage.total_ns = count * each_us * 1000;
  stage.own_ns = own_us == UINT64_MAX ? stage.total_ns : count * own_us * 1000;
  stage.own_deviation_ns = deviation_us * 1000;
  part->stages.push_back(stage);
}

// Twenty steps, in which rank 2 computes 30 ms and the others 5 ms; `step` has nothing else.
RunFindings OneSlow(int ranks) {
  RunFindings findings;
  for (int rank = 0; rank < ranks; ++rank) {
    const uint64_t us = rank == 2 ? 30'000 : 5000 + static_cast<uint64_t>(rank) * 20;
    AddStage(&AddRank(&findings, rank), "compute", 20, us, 300);
    AddStage(&findings.ranks["rank-" + std::to_string(rank)], "step #", 20, us + 10, 2, 10);
  }
  return findings;
}

std::vector<ReportFinding> SlowRanks(const RunFindings& findings,
                                     const RankMeetings& meetings = {}) {
  return FindAnswers(findings, meetings);
}

TEST(SlowRanksTest, ARankThatTakesLongerIsToldWithItsStage) {
  const std::vector<ReportFinding> found = SlowRanks(OneSlow(4));
  ASSERT_EQ(found.size(), 1u) << "that its step is longer, too, is the same";
  EXPECT_EQ(found[0].kind, "slow_rank");
  EXPECT_EQ(found[0].rank, "rank 2");
  EXPECT_EQ(found[0].stage, "compute");
  EXPECT_EQ(found[0].count, 20u);
  EXPECT_EQ(found[0].blocked_ns, 20 * (30'000 - 5020) * 1000u);
  EXPECT_NEAR(found[0].share, 0.4996, 1e-6);
  EXPECT_FALSE(found[0].priced);
  EXPECT_EQ(found[0].problem, "rank 2 takes 30.0 ms in `compute` each time, the others 5.02 ms");
  EXPECT_EQ(found[0].trace, "rank-2") << "there it is seen";
}

TEST(SlowRanksTest, OfTwoRanksEachIsTheOther) {
  RunFindings findings = OneSlow(3);
  findings.ranks.erase("rank-1");
  const std::vector<ReportFinding> found = SlowRanks(findings);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].problem, "rank 2 takes 30.0 ms in `compute` each time, the other 5.00 ms");
}

TEST(SlowRanksTest, SeveralRanks) {
  RunFindings findings;
  for (int rank = 0; rank < 8; ++rank)
    AddStage(&AddRank(&findings, rank), "compute", 20, rank == 2 || rank == 5 ? 30'000 : 5000, 300);
  const std::vector<ReportFinding> found = SlowRanks(findings);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rank, "ranks 2 and 5");
}

TEST(SlowRanksTest, ADifferenceByChanceIsNone) {
  RunFindings findings = OneSlow(4);
  for (auto& [name, part] : findings.ranks) part.stages[0].own_deviation_ns = 20'000'000;
  EXPECT_TRUE(SlowRanks(findings).empty()) << "each rank is now fast, now slow";
  findings = OneSlow(4);
  for (auto& [name, part] : findings.ranks) part.end_ns = 1'000'000 * kMillisecond;
  EXPECT_TRUE(SlowRanks(findings).empty()) << "of the run it is nothing";
}

// What happens once has no spread of its own.
TEST(SlowRanksTest, OnceCountsOnlyFarFromOthersThatAreAlike) {
  const auto once = [](std::vector<uint64_t> each_us) {
    RunFindings findings;
    for (size_t rank = 0; rank < each_us.size(); ++rank)
      AddStage(&AddRank(&findings, static_cast<int>(rank)), "load", 1, each_us[rank], 0);
    return SlowRanks(findings).size();
  };
  EXPECT_EQ(once({100'000, 101'000, 99'000, 400'000}), 1u);
  EXPECT_EQ(once({100'000, 180'000, 70'000, 400'000}), 0u) << "the others differ as well";
  EXPECT_EQ(once({100'000, 400'000}), 0u) << "which one is usual?";
  EXPECT_EQ(once({100'000, 101'000, 99'000, 150'000}), 0u) << "not far enough";
}

TEST(SlowRanksTest, WhereTheOthersAreMeanwhile) {
  RunFindings findings = OneSlow(4);
  for (auto& [name, part] : findings.ranks)
    AddStage(&part, "MPI_Barrier", 20, part.rank == 2 ? 10 : 25'000, 500);
  std::vector<ReportFinding> found = SlowRanks(findings);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].problem.ends_with("; the others are in `MPI_Barrier` meanwhile"))
      << found[0].problem;
  ASSERT_EQ(UnseenMeetings(findings, {}).size(), 1u);
  EXPECT_TRUE(UnseenMeetings(findings, {})[0].starts_with(
      "ranks seem to wait for each other in `MPI_Barrier`, and no collective was seen there"));

  findings = OneSlow(4);
  EXPECT_TRUE(UnseenMeetings(findings, {}).empty());
  for (auto& [name, part] : findings.ranks)
    part.between_ranges_ns = part.rank == 2 ? 0 : 500 * kMillisecond;
  found = SlowRanks(findings);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_TRUE(found[0].problem.ends_with("; the others are in no range meanwhile"));
  EXPECT_TRUE(UnseenMeetings(findings, {})
                  .at(0)
                  .starts_with("ranks seem to wait for each other outside of all ranges, and"));
}

// Twenty steps of 30 ms on rank 2; the others wait for it.
RunFindings OthersWait(const char* wait) {
  RunFindings findings = OneSlow(4);
  for (auto& [name, part] : findings.ranks)
    AddStage(&part, wait, 20, part.rank == 2 ? 1000 : part.rank == 1 ? 21'000 : 25'000, 500);
  return findings;
}

TEST(SlowRanksTest, WhatItBringsIsNoMoreThanEachOfTheOthersWaits) {
  const ReportFinding found = SlowRanks(OthersWait("MPI_Barrier")).at(0);
  EXPECT_TRUE(found.priced);
  EXPECT_EQ(found.gain_ns, 20 * 20 * kMillisecond) << "rank 1 comes last then";
  EXPECT_DOUBLE_EQ(found.gain_percent, 40);
  EXPECT_EQ(found.blocked_ns, 20 * (30'000 - 5020) * 1000u);
  EXPECT_EQ(found.assumption, "if it takes no longer there than the others");
}

TEST(SlowRanksTest, WhereNobodyKnowsWhatItBringsNothingIsSaid) {
  EXPECT_FALSE(SlowRanks(OthersWait("phase two")).at(0).priced) << "do they wait there?";
  RunFindings findings = OthersWait("MPI_Barrier");
  findings.ranks["rank-0"].devices.emplace_back();
  EXPECT_FALSE(SlowRanks(findings).at(0).priced) << "a device may be at work meanwhile";
  findings = OthersWait("MPI_Barrier");
  for (auto& [name, part] : findings.ranks) part.end_ns = 600 * kMillisecond;
  EXPECT_FALSE(SlowRanks(findings).at(0).priced) << "more than one thread has these times";
}

// Of two ranks each stage makes up for the other one.
TEST(SlowRanksTest, ThatARankWaitsIsNoFinding) {
  for (const char* wait : {"MPI_Allreduce", "phase two"}) {
    RunFindings findings;
    for (int rank = 0; rank < 2; ++rank) {
      AddStage(&AddRank(&findings, rank), "compute", 20, rank == 0 ? 30'000 : 5000, 300);
      AddStage(&findings.ranks["rank-" + std::to_string(rank)], wait, 20, rank == 0 ? 20 : 25'000,
               300);
    }
    const std::vector<ReportFinding> found = SlowRanks(findings);
    ASSERT_EQ(found.size(), 1u) << wait;
    EXPECT_EQ(found[0].stage, "compute") << wait;
    EXPECT_EQ(found[0].rank, "rank 0") << wait;
  }
}

// Nobody saw in which stage the others are slow; that is no reason to name the one that waits.
TEST(SlowRanksTest, ARankThatWaitsForWhatNoRangeShowsIsNotSlow) {
  for (const int ranks : {2, 4}) {
    RunFindings findings;
    for (int rank = 0; rank < ranks; ++rank) {
      const bool slow = rank < ranks / 2;
      AddStage(&AddRank(&findings, rank), "MPI_Barrier", 20, slow ? 20 : 25'000, 300);
      findings.ranks["rank-" + std::to_string(rank)].between_ranges_ns =
          slow ? 500 * kMillisecond : 0;
    }
    EXPECT_TRUE(SlowRanks(findings).empty()) << ranks;
    EXPECT_TRUE(UnseenMeetings(findings, {}).empty()) << ranks;
  }
}

TEST(SlowRanksTest, WhatOneRankDoesAloneCountsIfOthersWait) {
  RunFindings findings;
  for (int rank = 0; rank < 4; ++rank) {
    AddStage(&AddRank(&findings, rank), "barrier", 20, rank == 0 ? 20 : 10'000, 300);
    if (rank == 0) AddStage(&findings.ranks["rank-0"], "evaluate", 20, 10'000, 300);
  }
  std::vector<ReportFinding> found = SlowRanks(findings);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].problem,
            "rank 0 alone is in `evaluate`, 10.0 ms each time; the others are in `barrier` "
            "meanwhile");
  for (auto& [name, part] : findings.ranks) {
    if (part.rank != 0) part.stages.clear();
  }
  EXPECT_TRUE(SlowRanks(findings).empty());
}

TEST(SlowRanksTest, WhoLostRecordsOrEndedEarlyDidNotLess) {
  RunFindings findings = OneSlow(2);
  AddStage(&AddRank(&findings, 2), "compute", 20, 5000, 300);
  AddStage(&AddRank(&findings, 3), "compute", 2, 5000, 300);
  const auto count = [&findings] { return SlowRanks(findings).size(); };
  for (const int rank : {0, 1, 2})
    findings.ranks["rank-" + std::to_string(rank)].stages[0].count = 20;
  findings.ranks["rank-0"].stages[0].own_ns = findings.ranks["rank-2"].stages[0].own_ns =
      10 * kMillisecond;
  EXPECT_EQ(count(), 1u) << "rank 1 is longer than the two that have little";
  findings.ranks["rank-0"].losses["ring_full"] = 500;
  findings.ranks["rank-2"].losses["ring_full"] = 500;
  findings.ranks["rank-3"].losses["consumer_gone"] = 1;
  EXPECT_EQ(count(), 0u);
}

TEST(SlowRanksTest, WhoWasKilledFirstDidNotLess) {
  RunFindings findings = OneSlow(4);
  for (auto& [name, part] : findings.ranks) part.losses["consumer_gone"] = 1;
  EXPECT_EQ(SlowRanks(findings).size(), 1u) << "all were ended together";
  for (const int rank : {0, 1, 3})
    findings.ranks["rank-" + std::to_string(rank)].end_ns = 900 * kMillisecond;
  EXPECT_TRUE(SlowRanks(findings).empty()) << "these had no time for as much";
}

TEST(SlowRanksTest, RanksOfOtherProgramsDoSomethingElse) {
  RunFindings findings = OneSlow(4);
  for (auto& [name, part] : findings.ranks) part.programs = {"solve"};
  EXPECT_EQ(SlowRanks(findings).size(), 1u);
  findings.ranks["rank-2"].programs = {"render"};
  findings.ranks["rank-0"].between_ranges_ns = 500 * kMillisecond;
  EXPECT_TRUE(SlowRanks(findings).empty());
  EXPECT_TRUE(UnseenMeetings(findings, {}).empty());
  findings.ranks["rank-2"].programs = {"render", "solve"};
  EXPECT_EQ(SlowRanks(findings).size(), 1u) << "it has one in common";
}

// Four equal ranks with a device, of which rank 2 reads a value back in each step.
RunFindings OneReadsBack(uint64_t idle_ms) {
  RunFindings findings = OneSlow(4);
  for (auto& [name, part] : findings.ranks) {
    DeviceUse use;
    use.end_ns = 1000 * kMillisecond;
    use.computing_ns = use.busy_ns = (1000 - idle_ms) * kMillisecond;
    part.devices.push_back(use);
    if (part.rank != 2) continue;
    for (StageTime& stage : part.stages) stage.blocked_ns = 20 * 25 * kMillisecond;
  }
  return findings;
}

TEST(SlowRanksTest, ARankThatWaitsForItsOwnDeviceIsNotSlow) {
  EXPECT_TRUE(SlowRanks(OneReadsBack(100)).empty()) << "the others run ahead of theirs";
  EXPECT_TRUE(SlowRanks(OneReadsBack(500)).empty());
  RunFindings findings = OneReadsBack(500);
  for (StageTime& stage : findings.ranks["rank-2"].stages) stage.blocked_ns = 0;
  ASSERT_EQ(SlowRanks(findings).size(), 1u) << "it works, and its device has nothing to do";
  findings.ranks["rank-2"].devices[0].busy_ns = 900 * kMillisecond;
  EXPECT_TRUE(SlowRanks(findings).empty()) << "its device works meanwhile";
}

TEST(SlowRanksTest, WhereTheOthersWaitOnTheirHostsItsWaitsCount) {
  RunFindings findings = OneReadsBack(100);
  for (auto& [name, part] : findings.ranks)
    AddStage(&part, "MPI_Barrier", 20, part.rank == 2 ? 10 : 25'000, 500);
  EXPECT_EQ(SlowRanks(findings).size(), 1u);
}

TEST(SlowRanksTest, RanksWhoseMessagesWereSeenAreToldByThese) {
  RankMeetings meetings;
  meetings.messages[{2, 1, false, ""}].met = 20;
  EXPECT_TRUE(SlowRanks(OneSlow(4), meetings).empty());
}

// Half of what the rank is longer goes by in waits of one line.
TEST(SlowRanksTest, TheLineAtWhichTheRankWaitsInThatStage) {
  RunFindings findings = OneSlow(4);
  const auto add = [&findings](const char* trace, const char* ranges, const char* where,
                               uint64_t ms) {
    const WaitKey what{"cuda", WaitClass::kDevice, "wait", ranges, where};
    findings.longest_waits.push_back({ms * kMillisecond, trace, 1, 1, 1, what});
  };
  add("rank-2", "step # > compute", "train.py:7 main()", 300);
  add("rank-2", "step # > load", "train.py:8 main()", 900);
  add("rank-1", "step # > compute", "train.py:9 main()", 900);
  EXPECT_EQ(SlowRanks(findings).at(0).line, "train.py:7 main()");
  EXPECT_EQ(SlowRanks(findings).at(0).where, "train.py:7 main()");
  findings.longest_waits[0].blocked_ns = 100 * kMillisecond;
  EXPECT_EQ(SlowRanks(findings).at(0).where, "compute");
}

TEST(SlowRanksTest, ARankWhoseDeviceHasMoreToDoIsToldByThat) {
  RunFindings findings = OneSlow(4);
  for (auto& [name, part] : findings.ranks) {
    DeviceUse use;
    use.end_ns = 1000 * kMillisecond;
    use.computing_ns = use.busy_ns = (part.rank == 2 ? 600 : 100) * kMillisecond;
    part.devices.push_back(use);
  }
  std::vector<ReportFinding> found = SlowRanks(findings);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].kind, "imbalance");
  for (auto& [name, part] : findings.ranks) part.devices[0].computing_ns /= 5;
  EXPECT_EQ(SlowRanks(findings).size(), 2u) << "75 ms of 500";
}

TEST(SlowRanksTest, RanksWhoseCollectivesWereSeenAreToldByThese) {
  RankMeetings meetings;
  for (int rank = 0; rank < 4; ++rank) meetings.ranks[rank].met = 20;
  EXPECT_TRUE(SlowRanks(OneSlow(4), meetings).empty());
}

}  // namespace
}  // namespace syncline
