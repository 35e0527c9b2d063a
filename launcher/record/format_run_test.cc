// SPDX-License-Identifier: Apache-2.0
// Tests of which process belongs to which rank, of what is written, and of what becomes of the
// spools.
#include "launcher/record/format_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "model/testing/spool_builder.h"
#include "model/testing/test_directory.h"
#include "offline/rank_files.h"

namespace syncline {
namespace {

using testing::PlausibleProcess;
using testing::RecordBatch;
using testing::SpoolBuilder;

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
  process.note = std::move(note);
  return process;
}

FoundSpool Spool(int pid, int rank, LauncherKind kind = LauncherKind::kOpenMpi) {
  FoundSpool spool;
  spool.path = Text("/spool/", pid);
  spool.facts.pid = pid;
  spool.facts.rank = rank;
  spool.facts.launcher = static_cast<uint32_t>(rank < 0 ? LauncherKind::kNone : kind);
  return spool;
}

// "rank-0: 10 11 | launcher: 12"
std::string Grouping(const FormatRequest& request) {
  std::string text;
  for (const RankGroup& group : GroupByRank(request)) {
    text += Text(text.empty() ? "" : " | ", group.name, ":");
    for (const ProcessInput& input : group.inputs) text += Text(" ", input.outer_pid);
  }
  return text;
}

TEST(GroupByRankTest, ProcessesGoToTheirRanks) {
  FormatRequest request;
  request.processes = {Noted(10, 0), Noted(20, 1), Noted(11, 0)};
  EXPECT_EQ(Grouping(request), "rank-0: 10 11 | rank-1: 20");
}

TEST(GroupByRankTest, WithoutRanksAllIsRankZeroOfOne) {
  FormatRequest request;
  request.spools = {Spool(10, -1), Spool(11, -1)};
  EXPECT_EQ(Grouping(request), "rank-0: 10 11");
  EXPECT_EQ(GroupByRank(request)[0].world_size, 1);
}

TEST(GroupByRankTest, HelpersBesideRanksOnlyShowIfTheyRecorded) {
  FormatRequest request;
  request.processes = {Noted(10, 0), Noted(5, -1)};
  EXPECT_EQ(Grouping(request), "rank-0: 10");
  request.spools = {Spool(6, -1)};
  EXPECT_EQ(Grouping(request), "launcher: 5 6 | rank-0: 10");
  EXPECT_EQ(TracePath("/d", "launcher", -1), "/d/run/launcher.trace.json.gz");
  EXPECT_EQ(TracePath("/d", "rank-0", 0), "/d/rank-0.trace.json.gz");
}

TEST(GroupByRankTest, WhatARanksLauncherStartsIsOfThatRank) {
  FormatRequest request;
  request.own_rank.rank = 3;
  request.own_rank.launcher = static_cast<uint32_t>(LauncherKind::kOpenMpi);
  request.processes = {Noted(30, 3), Noted(31, -1)};
  request.spools = {Spool(32, -1)};
  EXPECT_EQ(Grouping(request), "rank-3: 30 31 32");
}

TEST(GroupByRankTest, TheInnerLaunchersRankCounts) {
  FormatRequest request;
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
  FormatRequest request;  // of `syncline recover`
  request.spools = {Spool(10, 0, LauncherKind::kOpenMpi), Spool(11, 1, LauncherKind::kOpenMpi),
                    Spool(20, 0, LauncherKind::kTorchrun), Spool(21, 1, LauncherKind::kTorchrun)};
  EXPECT_EQ(Grouping(request), "launcher: 10 11 | rank-0: 20 | rank-1: 21");
}

TEST(GroupByRankTest, OnlyOfTheLaunchersChildTheEndIsKnown) {
  FormatRequest request;
  request.spools = {Spool(0, 0)};  // damaged: no process has this pid
  EXPECT_FALSE(GroupByRank(request)[0].inputs[0].status_known);
  request.spools = {Spool(10, 0)};
  request.child_pid = 10;
  request.child_status = 256;
  EXPECT_TRUE(GroupByRank(request)[0].inputs[0].status_known);
  EXPECT_EQ(GroupByRank(request)[0].inputs[0].wait_status, 256);
}

TEST(GroupByRankTest, RunningAndUnreadableSpoolsAreLeftAlone) {
  FormatRequest request;
  request.spools = {Spool(10, 0), Spool(11, 0), Spool(12, 0)};
  request.spools[1].running = true;
  request.spools[2].problem = "damaged";
  EXPECT_EQ(Grouping(request), "rank-0: 10");
}

// A run's directory with the spools of some processes.
class FormatRunTest : public ::testing::Test {
 protected:
  FormatRunTest() {
    EXPECT_EQ(MakeDirectories(directory_ / "run/spool/n", 0700), 0);
    request_.job.directory = directory_.path();
  }

  FoundSpool Save(int pid, int rank, int ranges) {
    RecordBatch batch;
    batch.Stream(1, static_cast<uint32_t>(pid), true).Name(1, "step");
    for (int i = 0; i < ranges; ++i)
      batch.Range(1, testing::kStartTicks + 1000 * i, testing::kStartTicks + 1000 * i + 500);
    FoundSpool spool = Spool(pid, rank);
    spool.path = directory_ / Text("run/spool/n/", pid, ".spool");
    SpoolBuilder()
        .Process(PlausibleProcess(pid, rank, 2))
        .Records(0, batch)
        .Counters({})
        .End(testing::kStartTicks + 1000000)
        .Save(spool.path);
    return spool;
  }

  FormatSummary Format() {
    WorkProgress progress;
    return FormatRun(request_, GroupByRank(request_), &progress);
  }

  TestDirectory directory_;
  FormatRequest request_;
};

TEST_F(FormatRunTest, WritesTracesAndRemovesTheirSpools) {
  request_.spools = {Save(400, 0, 3), Save(401, 1, 4), Save(402, 1, 5)};
  const FormatSummary summary = Format();
  EXPECT_FALSE(summary.failed);
  ASSERT_EQ(summary.written.size(), 2u);
  EXPECT_EQ(summary.written[0].rank, 0);
  EXPECT_EQ(summary.written[0].ranges, 3u);
  EXPECT_EQ(summary.written[1].ranges, 9u);
  for (const char* name :
       {"rank-0.trace.json.gz", "rank-1.trace.json.gz", "run/rank-0.json", "run/rank-1.json"}) {
    EXPECT_TRUE(Exists(directory_ / name)) << name;
  }
  EXPECT_TRUE(ListDirectory(directory_ / "run/spool/n").empty());
}

TEST_F(FormatRunTest, SpoolsAreKeptOnRequestAndAfterAFailure) {
  request_.spools = {Save(400, 0, 3), Save(401, 1, 4)};
  request_.keep_spools = true;
  EXPECT_FALSE(Format().failed);
  EXPECT_EQ(ListDirectory(directory_ / "run/spool/n").size(), 2u);
  request_.keep_spools = false;
  unlink((directory_ / "rank-1.trace.json.gz").c_str());
  ASSERT_EQ(MakeDirectories(directory_ / "rank-1.trace.json.gz/in-the-way", 0700), 0);
  const FormatSummary summary = Format();
  EXPECT_TRUE(summary.failed);
  ASSERT_EQ(summary.written.size(), 1u);
  ASSERT_FALSE(summary.problems.empty());
  const std::string& problem = summary.problems.back();
  EXPECT_NE(problem.find("rank-1.trace.json.gz"), std::string::npos);
  for (const char* once : {"cannot ", "rank-1.trace.json.gz"})
    EXPECT_EQ(problem.find(once), problem.rfind(once)) << problem;
  EXPECT_EQ(ListDirectory(directory_ / "run/spool/n"), std::vector<std::string>{"401.spool"});
}

TEST_F(FormatRunTest, CancellingLeavesEverythingForRecovery) {
  request_.spools = {Save(400, 0, 3)};
  WorkProgress progress;
  progress.cancelled.store(true);
  const FormatSummary summary = FormatRun(request_, GroupByRank(request_), &progress);
  EXPECT_TRUE(summary.written.empty());
  EXPECT_FALSE(Exists(directory_ / "rank-0.trace.json.gz"));
  EXPECT_TRUE(Exists(request_.spools[0].path));
}

}  // namespace
}  // namespace syncline
