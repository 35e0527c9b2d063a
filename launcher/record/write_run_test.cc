// SPDX-License-Identifier: Apache-2.0
// Tests of what is written, and of what becomes of the spools.
#include "launcher/record/write_run.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "model/testing/spool_builder.h"
#include "model/testing/test_directory.h"
#include "offline/rank_paths.h"

namespace syncline {
namespace {

using testing::PlausibleProcess;
using testing::RecordBatch;
using testing::SpoolBuilder;

// A run's directory with the spools of some processes.
class WriteRunTest : public ::testing::Test {
 protected:
  WriteRunTest() {
    EXPECT_EQ(MakeDirectories(directory_ / "run/spool/n", 0700), 0);
    request_.job.directory = directory_.path();
  }

  FoundSpool Save(int pid, int rank, int ranges) {
    RecordBatch batch;
    batch.Stream(1, static_cast<uint32_t>(pid), true).Name(1, "step");
    for (int i = 0; i < ranges; ++i)
      batch.Range(1, testing::kStartTicks + 1000 * i, testing::kStartTicks + 1000 * i + 500);
    FoundSpool spool;
    spool.facts.pid = pid;
    spool.facts.rank = rank;
    spool.facts.launcher = static_cast<uint32_t>(LauncherKind::kOpenMpi);
    spool.path = directory_ / Text("run/spool/n/", pid, ".spool");
    SpoolBuilder()
        .Process(PlausibleProcess(pid, rank, 2))
        .Records(0, batch)
        .Counters({})
        .End(testing::kStartTicks + 1000000)
        .Save(spool.path);
    return spool;
  }

  RunSummary Format() {
    WorkProgress progress;
    return WriteRun(request_, GroupByRank(request_), &progress);
  }

  TestDirectory directory_;
  RecordedRun request_;
};

TEST_F(WriteRunTest, WritesTracesAndRemovesTheirSpools) {
  request_.spools = {Save(400, 0, 3), Save(401, 1, 4), Save(402, 1, 5)};
  const RunSummary summary = Format();
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

TEST_F(WriteRunTest, SpoolsAreKeptOnRequestAndAfterAFailure) {
  request_.spools = {Save(400, 0, 3), Save(401, 1, 4)};
  request_.keep_spools = true;
  EXPECT_FALSE(Format().failed);
  EXPECT_EQ(ListDirectory(directory_ / "run/spool/n").size(), 2u);
  request_.keep_spools = false;
  unlink((directory_ / "rank-1.trace.json.gz").c_str());
  ASSERT_EQ(MakeDirectories(directory_ / "rank-1.trace.json.gz/in-the-way", 0700), 0);
  const RunSummary summary = Format();
  EXPECT_TRUE(summary.failed);
  ASSERT_EQ(summary.written.size(), 1u);
  ASSERT_FALSE(summary.problems.empty());
  const std::string& problem = summary.problems.back();
  EXPECT_NE(problem.find("rank-1.trace.json.gz"), std::string::npos);
  for (const char* once : {"cannot ", "rank-1.trace.json.gz"})
    EXPECT_EQ(problem.find(once), problem.rfind(once)) << problem;
  EXPECT_EQ(ListDirectory(directory_ / "run/spool/n"), std::vector<std::string>{"401.spool"});
}

TEST_F(WriteRunTest, CancellingLeavesEverythingForRecovery) {
  request_.spools = {Save(400, 0, 3)};
  WorkProgress progress;
  progress.cancelled.store(true);
  const RunSummary summary = WriteRun(request_, GroupByRank(request_), &progress);
  EXPECT_TRUE(summary.written.empty());
  EXPECT_FALSE(Exists(directory_ / "rank-0.trace.json.gz"));
  EXPECT_TRUE(Exists(request_.spools[0].path));
}

}  // namespace
}  // namespace syncline
