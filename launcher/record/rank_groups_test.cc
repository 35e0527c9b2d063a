// SPDX-License-Identifier: Apache-2.0
// Tests of which process belongs to which rank.
#include "launcher/record/rank_groups.h"

#include <gtest/gtest.h>

#include <memory>

#include "base/text.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"
#include "offline/rank_paths.h"

namespace syncline {
namespace {

using testing::PlausibleProcess;

// A process that sent a note and recorded nothing.
RecordedProcess Noted(int pid, int rank, LauncherKind kind = LauncherKind::kOpenMpi) {
  RecordedProcess process{};
  process.pid = pid;
  process.gone = true;
  auto note = std::make_shared<StartNote>();
  note->clock = static_cast<uint32_t>(ClockId::kMonotonic);
  note->start = testing::PlausibleAnchor(testing::kStartTicks);
  note->facts = PlausibleProcess(pid, rank, 4).facts;
  note->facts.rank.launcher = static_cast<uint32_t>(rank < 0 ? LauncherKind::kNone : kind);
  note->facts.rank.starter = kind == LauncherKind::kTorchrun ? 1 : 0;
  process.note = std::move(note);
  return process;
}

FoundSpool Spool(int pid, int rank, LauncherKind kind = LauncherKind::kOpenMpi, int attempt = -1) {
  FoundSpool spool;
  spool.path = Text("/spool/", pid);
  spool.facts.pid = pid;
  spool.facts.rank = rank;
  spool.facts.attempt = attempt;
  spool.facts.launcher = static_cast<uint32_t>(rank < 0 ? LauncherKind::kNone : kind);
  spool.facts.starter = kind == LauncherKind::kTorchrun ? 1 : 0;
  spool.facts.own_pid = pid;
  return spool;
}

// "rank-0: 10 11 | launcher: 12"
std::string Grouping(const RecordedRun& request) {
  std::string text;
  for (const RankGroup& group : GroupByRank(request)) {
    text += Text(text.empty() ? "" : " | ", group.name, ":");
    for (const ProcessInput& input : group.inputs) text += Text(" ", input.outer_pid);
  }
  return text;
}

TEST(GroupByRankTest, ProcessesGoToTheirRanks) {
  RecordedRun request;
  request.processes = {Noted(10, 0), Noted(20, 1), Noted(11, 0)};
  EXPECT_EQ(Grouping(request), "rank-0: 10 11 | rank-1: 20");
}

TEST(GroupByRankTest, WithoutRanksAllIsRankZeroOfOne) {
  RecordedRun request;
  request.spools = {Spool(10, -1), Spool(11, -1)};
  EXPECT_EQ(Grouping(request), "rank-0: 10 11");
  EXPECT_EQ(GroupByRank(request)[0].world_size, 1);
}

TEST(GroupByRankTest, HelpersBesideRanksOnlyShowIfTheyRecorded) {
  RecordedRun request;
  request.processes = {Noted(10, 0), Noted(5, -1)};
  EXPECT_EQ(Grouping(request), "rank-0: 10");
  request.spools = {Spool(6, -1)};
  EXPECT_EQ(Grouping(request), "launcher: 5 6 | rank-0: 10");
  EXPECT_EQ(TracePath("/d", "launcher", -1), "/d/run/launcher.trace.json.gz");
  EXPECT_EQ(TracePath("/d", "rank-0", 0), "/d/rank-0.trace.json.gz");
}

TEST(GroupByRankTest, WhatARanksLauncherStartsIsOfThatRank) {
  RecordedRun request;
  request.own_rank.rank = 3;
  request.own_rank.launcher = static_cast<uint32_t>(LauncherKind::kOpenMpi);
  request.processes = {Noted(30, 3), Noted(31, -1)};
  request.spools = {Spool(32, -1)};
  EXPECT_EQ(Grouping(request), "rank-3: 30 31 32");
}

TEST(GroupByRankTest, TheInnerLaunchersRankCounts) {
  RecordedRun request;
  request.own_rank.rank = 1;
  request.own_rank.launcher = static_cast<uint32_t>(LauncherKind::kOpenMpi);
  // mpirun starts one torchrun agent per node: the second agent is no rank 1.
  request.processes = {Noted(10, 1, LauncherKind::kOpenMpi), Noted(11, 2, LauncherKind::kTorchrun),
                       Noted(12, 3, LauncherKind::kTorchrun)};
  EXPECT_EQ(Grouping(request), "rank-2: 11 | rank-3: 12");
  request.spools = {Spool(10, 1)};
  EXPECT_EQ(Grouping(request), "launcher-1: 10 10 | rank-2: 11 | rank-3: 12");
}

TEST(GroupByRankTest, SpoolsAloneTellWhichLauncherGaveTheRank) {
  RecordedRun request;  // of `syncline recover`
  request.spools = {Spool(10, 0, LauncherKind::kOpenMpi), Spool(11, 1, LauncherKind::kOpenMpi),
                    Spool(20, 0, LauncherKind::kTorchrun), Spool(21, 1, LauncherKind::kTorchrun)};
  EXPECT_EQ(Grouping(request), "launcher: 10 11 | rank-0: 20 | rank-1: 21");
}

// The spool of a process with an argument that tells its rank.
FoundSpool Telling(const testing::Scratch& scratch, int pid, int ppid, std::string_view argument) {
  SpoolProcess process = PlausibleProcess(pid, -1, -1);
  process.facts.ppid = ppid;
  process.facts.command_line_bytes = static_cast<uint32_t>(argument.size());
  argument.copy(process.facts.command_line, argument.size());
  testing::SpoolBuilder builder;
  builder.Process(process).End(testing::kStartTicks, true, 0);
  FoundSpool spool = Spool(pid, -1);
  spool.path = builder.Save(scratch / Text(pid));
  return spool;
}

TEST(GroupByRankTest, RanksThatNoLauncherNumberedSayTheirNumbers) {
  const testing::Scratch scratch;
  RecordedRun request;
  request.spools = {Telling(scratch, 10, 1, "a"), Telling(scratch, 11, 10, "--rank=0"),
                    Telling(scratch, 12, 10, "--rank=1"), Telling(scratch, 13, 12, "worker")};
  EXPECT_EQ(Grouping(request), "launcher: 10 | rank-0: 11 | rank-1: 12 13");
  EXPECT_EQ(GroupByRank(request)[1].world_size, -1) << "nobody said how many there are";
  RecordedRun two = request;
  for (FoundSpool& spool : two.spools) spool.facts.rank = 0;
  two.spools.push_back(Spool(20, 1));
  EXPECT_EQ(Grouping(two), "rank-0: 10 11 12 13 | rank-1: 20") << "which says nothing";
  request.own_rank.rank = 0;
  request.own_rank.launcher = static_cast<uint32_t>(LauncherKind::kSlurm);
  EXPECT_EQ(Grouping(request), "launcher: 10 | rank-0: 11 | rank-1: 12 13") << "a task of a node";
  request.spools.pop_back();
  request.spools.pop_back();
  EXPECT_EQ(Grouping(request), "rank-0: 10 11") << "only one says so";
}

TEST(GroupByRankTest, OfRanksThatWereStartedAnewTheLastAttemptCounts) {
  constexpr LauncherKind kKind = LauncherKind::kTorchrun;
  RecordedRun request;
  request.spools = {Spool(10, 0, kKind, 0), Spool(11, 1, kKind, 0), Spool(20, 0, kKind, 1),
                    Spool(30, 0, kKind, 2), Spool(31, 1, kKind, 2), Spool(5, -1)};
  EXPECT_EQ(Grouping(request),
            "launcher: 5 | rank-0: 30 | rank-1: 31 | rank-0-attempt-0: 10 | rank-0-attempt-1: 20 | "
            "rank-1-attempt-0: 11");
  const std::vector<RankGroup> groups = GroupByRank(request);
  EXPECT_TRUE(groups[1].counts);
  EXPECT_EQ(groups[1].notes.size(), 2u);
  EXPECT_EQ(groups[2].notes.size(), 1u);
  EXPECT_FALSE(groups[3].counts);
  EXPECT_EQ(groups[3].rank, -1) << "it met none of those that count";
}

TEST(GroupByRankTest, RanksThatMpiCommSpawnStartedAreOfAnotherWorld) {
  RecordedRun request;
  request.spools = {Spool(10, 0), Spool(11, 1), Spool(20, 0), Spool(21, 1), Spool(30, 0)};
  request.spools[2].facts.spawned = request.spools[3].facts.spawned = 1;
  request.spools[4].facts.spawned = 2;
  EXPECT_EQ(Grouping(request),
            "rank-0: 10 | rank-1: 11 | rank-0-spawn-1: 20 | rank-1-spawn-1: 21 | rank-0-spawn-2: "
            "30");
  const std::vector<RankGroup> groups = GroupByRank(request);
  EXPECT_TRUE(groups[2].counts);
  EXPECT_EQ(groups[2].rank, -1) << "rank 0 of the job is another one";
  EXPECT_TRUE(groups[0].notes.empty());
  EXPECT_TRUE(IsSpawnedRank(groups[2].name));
}

TEST(GroupByRankTest, RanksOfAnotherJobHaveNamesOfTheirOwn) {
  constexpr LauncherKind kKind = LauncherKind::kTorchrun;
  RecordedRun request;
  request.spools = {Spool(10, 0, kKind, 0), Spool(11, 1, kKind, 0), Spool(20, 0, kKind, 0),
                    Spool(21, 1, kKind, 0), Spool(22, 0, kKind, 1), Spool(23, 1, kKind, 1)};
  for (size_t i = 2; i < request.spools.size(); ++i) request.spools[i].facts.starter = 2;
  EXPECT_EQ(Grouping(request),
            "rank-0: 10 | rank-1: 11 | rank-0-job-2: 22 | rank-0-job-2-attempt-0: 20 | "
            "rank-1-job-2: 23 | rank-1-job-2-attempt-0: 21");
  const std::vector<RankGroup> groups = GroupByRank(request);
  EXPECT_EQ(groups[0].notes.size(), 1u);
  EXPECT_TRUE(groups[1].notes.empty());
  EXPECT_TRUE(groups[2].counts);
  EXPECT_FALSE(groups[3].counts);
  EXPECT_TRUE(IsRankOfOtherJob(groups[2].name));
  EXPECT_FALSE(IsRankOfOtherJob(groups[0].name));
}

// RANK=1 for a child of each rank of mpirun.
TEST(GroupByRankTest, NumbersThatAProgramGaveItsChildAreNotTheRanks) {
  RecordedRun request;
  request.spools = {Spool(10, 0), Spool(11, 0), Spool(20, 1), Spool(21, 1)};
  for (const size_t child : {size_t{1}, size_t{3}}) {
    SpoolFacts& facts = request.spools[child].facts;
    facts.rank = 1;
    facts.launcher = static_cast<uint32_t>(LauncherKind::kTorchrun);
    facts.parent_pid = request.spools[child - 1].facts.pid;
  }
  EXPECT_EQ(Grouping(request), "rank-0: 10 11 | rank-1: 20 21");
  RecordedRun shells = request;  // that started the first program, and became the second
  for (const size_t child : {size_t{1}, size_t{3}}) {
    shells.spools[child - 1].facts.parent_pid = shells.spools[child].facts.pid;
    shells.spools[child].facts.parent_pid = 5;
  }
  EXPECT_EQ(Grouping(shells), "rank-0: 10 11 | rank-1: 20 21");
  request.spools.resize(2);
  EXPECT_EQ(Grouping(request), "launcher: 10 | rank-1: 11") << "an agent and what it started";
  request.spools.push_back(Spool(12, 0));
  EXPECT_EQ(Grouping(request), "rank-0: 10 11 12") << "which no agent has";
}

TEST(GroupByRankTest, OnlyOfTheLaunchersChildTheEndIsKnown) {
  RecordedRun request;
  request.spools = {Spool(0, 0)};  // damaged: no process has this pid
  EXPECT_FALSE(GroupByRank(request)[0].inputs[0].status_known);
  request.spools = {Spool(10, 0)};
  request.child_pid = 10;
  request.child_status = 256;
  EXPECT_TRUE(GroupByRank(request)[0].inputs[0].status_known);
  EXPECT_EQ(GroupByRank(request)[0].inputs[0].wait_status, 256);
}

TEST(GroupByRankTest, RunningAndUnreadableSpoolsAreLeftAlone) {
  RecordedRun request;
  request.spools = {Spool(10, 0), Spool(11, 0), Spool(12, 0)};
  request.spools[1].running = true;
  request.spools[2].problem = "damaged";
  EXPECT_EQ(Grouping(request), "rank-0: 10");
}

}  // namespace
}  // namespace syncline
