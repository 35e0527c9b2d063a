// SPDX-License-Identifier: Apache-2.0
// Tests of `syncline recover` on directories as crashes leave them.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "inject/core/sanitizer.h"
#include "launcher/commands/command.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/job.h"
#include "launcher/jobs/node_places.h"
#include "model/testing/spool_builder.h"
#include "model/testing/test_directory.h"
#include "writers/findings/manifest.h"

namespace syncline {
namespace {

struct Outcome {
  int status;
  std::string said;
  uint64_t peak_bytes;
};

class RecoverTest : public ::testing::Test {
 protected:
  RecoverTest() : run_(directory_ / "out"), spools_(run_ + "/run/spool/other-node") {}

  // In a process of its own: the command blocks signals for good.
  Outcome Recover(const Arguments& more = {}) const {
    const std::string file = directory_ / "said";
    const pid_t pid = fork();
    if (pid == 0) {
      const int fd = open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
      dup2(fd, 2);
      Arguments arguments = {run_};
      arguments.insert(arguments.end(), more.begin(), more.end());
      _exit(RunRecover(arguments));
    }
    int status = 0;
    rusage used = {};
    wait4(pid, &status, 0, &used);
    Outcome outcome{WEXITSTATUS(status), "", static_cast<uint64_t>(used.ru_maxrss) << 10};
    EXPECT_EQ(ReadFile(file, &outcome.said), 0);
    return outcome;
  }

  // `later_ns`: by how much the process began later than others, by the clock on the wall.
  std::string SpoolBytes(int pid, int rank, int ranges, uint64_t later_ns = 0) const {
    testing::RecordBatch batch;
    batch.Stream(1, static_cast<uint32_t>(pid), true).Name(1, "step");
    for (int i = 0; i < ranges; ++i)
      batch.Range(1, testing::kStartTicks + 1000 * i, testing::kStartTicks + 1000 * i + 500);
    testing::SpoolBuilder builder;
    SpoolProcess process = testing::PlausibleProcess(pid, rank, 2);
    process.start.realtime_ns += later_ns;
    process.consumer_start.realtime_ns += later_ns;
    builder.Process(process).Records(0, batch);
    return builder.bytes();
  }

  std::string Leave(int pid, const std::string& bytes) const {
    EXPECT_EQ(MakeDirectories(spools_, 0700), 0);
    const std::string path = Text(spools_, "/", pid, "-1-0.spool");
    EXPECT_EQ(WriteFile(path, bytes), 0);
    return path;
  }
  std::string Leave(int pid, int rank, int ranges) const {
    return Leave(pid, SpoolBytes(pid, rank, ranges));
  }

  RankManifest Manifest(const std::string& name) const {
    RankManifest manifest;
    EXPECT_TRUE(ReadManifest(run_ + "/run/" + name + ".json", &manifest).ok()) << name;
    return manifest;
  }

  TestDirectory directory_;
  std::string run_;
  std::string spools_;
};

TEST_F(RecoverTest, WritesWhatACrashLeftAndThenHasNothingToDo) {
  JobRequest job;
  job.output = run_;
  ASSERT_EQ(EnterJob(job).error, "");
  Leave(400, 0, 3);
  Leave(401, 1, 4);
  const Outcome first = Recover();
  EXPECT_EQ(first.status, 0) << first.said;
  EXPECT_NE(first.said.find("wrote 2 traces"), std::string::npos) << first.said;
  EXPECT_EQ(Manifest("rank-0").ranges, 3u);
  EXPECT_EQ(Manifest("rank-1").ranges, 4u);
  EXPECT_FALSE(Exists(run_ + "/run/spool"));
  const Outcome second = Recover();
  EXPECT_EQ(second.status, 0);
  EXPECT_NE(second.said.find("nothing is left to recover"), std::string::npos) << second.said;
}

TEST_F(RecoverTest, ATruncatedSpoolGivesWhatIsWhole) {
  const std::string bytes = SpoolBytes(400, 0, 3);
  Leave(400, bytes + bytes.substr(0, 30));
  const Outcome outcome = Recover();
  EXPECT_EQ(outcome.status, 0) << outcome.said;
  EXPECT_EQ(Manifest("rank-0").ranges, 3u);
  EXPECT_NE(outcome.said.find("train (400): 30 bytes at the end of the spool"), std::string::npos)
      << "the damage must be told: " << outcome.said;
}

// Of a launcher that was killed while it was stopped: the programs may have recorded much.
TEST_F(RecoverTest, WhatNobodyTookMayHaveBeenThere) {
  JobRequest job;
  job.output = run_;
  ASSERT_EQ(EnterJob(job).error, "");
  const Outcome nothing = Recover();
  EXPECT_NE(nothing.status, 0);
  EXPECT_NE(nothing.said.find("the launcher was killed before it took"), std::string::npos)
      << nothing.said;
}

TEST_F(RecoverTest, AForeignFileIsNamedAndDoesNotStopTheOthers) {
  Leave(400, 0, 3);
  Leave(401, std::string("this is no spool at all, but long enough to have a head"));
  const Outcome outcome = Recover();
  EXPECT_EQ(outcome.status, 0) << outcome.said;
  EXPECT_EQ(Manifest("rank-0").ranges, 3u);
  EXPECT_NE(outcome.said.find("401-1-0.spool"), std::string::npos) << outcome.said;
}

TEST_F(RecoverTest, AnEmptySpoolAloneIsAFailureThatIsTold) {
  const std::string spool = Leave(400, std::string());
  const Outcome outcome = Recover();
  EXPECT_EQ(outcome.status, 125);
  EXPECT_NE(outcome.said.find("400-1-0.spool"), std::string::npos) << outcome.said;
  EXPECT_NE(outcome.said.find("what its process recorded may be lost"), std::string::npos)
      << outcome.said;
  EXPECT_NE(outcome.said.find("nothing could be recovered"), std::string::npos) << outcome.said;
  EXPECT_TRUE(Exists(spool));
}

TEST_F(RecoverTest, SpoolsKeptOnRequestGiveTheSameTraceOnlyOnce) {
  const std::string spool = Leave(400, 0, 3);
  EXPECT_EQ(Recover({"--keep-spool"}).status, 0);
  EXPECT_TRUE(Exists(spool));
  const Outcome again = Recover();  // as after a launcher that died between writing and removing
  EXPECT_EQ(again.status, 0) << again.said;
  EXPECT_FALSE(Exists(spool));
  EXPECT_FALSE(Exists(run_ + "/run/rank-0-late-1.json"));
}

TEST_F(RecoverTest, LaterRecordsOfACompleteRankComeBesideIt) {
  Leave(400, 0, 3);
  ASSERT_EQ(Recover().status, 0);
  Leave(555, 0, 7);
  EXPECT_EQ(Recover().status, 0);
  EXPECT_EQ(Manifest("rank-0").ranges, 3u);
  EXPECT_EQ(Manifest("rank-0-late-1").ranges, 7u);
  EXPECT_TRUE(Exists(run_ + "/run/rank-0-late-1.trace.json.gz"));
}

// Ranks that no launcher brings together, one on each side of a grid point.
TEST_F(RecoverTest, RanksWithoutALauncherAgreeOnTheBaseOfTheFirst) {
  constexpr uint64_t kGridNs = (uint64_t{1} << 20) * 1000000000;
  Leave(400, 0, 3);
  ASSERT_EQ(Recover().status, 0);
  Leave(401, SpoolBytes(401, 1, 4, kGridNs));
  ASSERT_EQ(Recover().status, 0);
  EXPECT_EQ(Manifest("rank-0").base_time.from, BaseFrom::kGrid);
  EXPECT_EQ(Manifest("rank-0").base_time.ns,
            BaseTimeOf(BaseFrom::kGrid, testing::kStartRealtime).ns);
  EXPECT_EQ(Manifest("rank-1").base_time.ns, Manifest("rank-0").base_time.ns);
  // Weeks later in the same directory: a job of its own.
  Leave(402, SpoolBytes(402, 2, 5, 4 * kGridNs));
  ASSERT_EQ(Recover().status, 0);
  EXPECT_EQ(Manifest("rank-2").base_time.ns, Manifest("rank-0").base_time.ns + 4 * kGridNs);
}

TEST_F(RecoverTest, ADamagedNoteOfTheBaseIsNotBelieved) {
  Leave(400, 0, 3);
  for (const char* note : {"", "12", "x grid\n", "99999999999999999999 grid\n", "-5 job\n"}) {
    ASSERT_EQ(WriteFile(run_ + "/run/base-time", note), 0);
    Leave(400, 0, 3);
    ASSERT_EQ(Recover().status, 0) << note;
    EXPECT_EQ(Manifest("rank-0").base_time.ns,
              BaseTimeOf(BaseFrom::kGrid, testing::kStartRealtime).ns)
        << note;
    unlink((run_ + "/run/rank-0.json").c_str());
  }
}

TEST_F(RecoverTest, ALauncherAtWorkIsNotDisturbed) {
  char node[64] = {};
  gethostname(node, sizeof(node) - 1);
  LauncherMark mark;
  mark.Make(run_, node, "/tmp/none/s");
  const std::string spool = Leave(400, 0, 3);
  const Outcome outcome = Recover();
  EXPECT_EQ(outcome.status, 125);
  EXPECT_NE(outcome.said.find(Text("pid ", getpid())), std::string::npos) << outcome.said;
  EXPECT_TRUE(Exists(spool));
}

TEST_F(RecoverTest, OtherDirectoriesAreToldApart) {
  const Outcome missing = Recover();
  EXPECT_EQ(missing.status, 125);
  EXPECT_NE(missing.said.find("is not the directory of a run"), std::string::npos) << missing.said;
  ASSERT_EQ(MakeDirectories(run_ + "/run", 0700), 0);
  const Outcome empty = Recover();
  EXPECT_EQ(empty.status, 125);
  EXPECT_NE(empty.said.find("there are no records"), std::string::npos) << empty.said;
  EXPECT_TRUE(Exists(run_ + "/run")) << "nothing of the user's may be removed";
  EXPECT_EQ(Recover({"--bogus"}).status, 125);
}

// A sanitizer takes memory of its own.
#if !defined(SYNCLINE_ASAN) && !defined(SYNCLINE_TSAN)
// Each correlation is a page of its own, of each source that the layout has room for.
TEST_F(RecoverTest, ASpoolCostsNoMoreHoweverManySourcesItNames) {
  testing::SpoolBuilder builder;
  builder.Process(testing::PlausibleProcess(100, 0, 1));
  for (uint32_t source = 1; source < kMaxSources; ++source) {
    testing::RecordBatch batch;
    batch.Stream(source, 100, source == 1).Name(1, "call");
    for (uint32_t i = 0; i < 4096; ++i) {
      const uint64_t begin = testing::kStartTicks + 1000 * i;
      const uint32_t correlation = i << 16 | 1;
      CallRecord call =
          testing::PlausibleCall(CallRole::kLaunch, 1, begin, begin + 500, correlation);
      call.source = static_cast<Source>(source);
      DeviceOpRecord op =
          testing::PlausibleOp(DeviceOpType::kKernel, 7, correlation, begin, begin + 500);
      op.source = static_cast<Source>(source);
      batch.Call(call).DeviceOp(op);
    }
    builder.Records(source, batch);
  }
  Leave(100, builder.bytes());
  const Outcome outcome = Recover();
  EXPECT_EQ(outcome.status, 0) << outcome.said;
  EXPECT_LT(outcome.peak_bytes, uint64_t{400} << 20) << outcome.said;
}
#endif

}  // namespace
}  // namespace syncline
