// SPDX-License-Identifier: Apache-2.0
// Tests of leaving a run that recorded nothing.
#include "launcher/jobs/undo_job_entry.h"

#include <gtest/gtest.h>

#include "launcher/host/files.h"
#include "model/testing/test_directory.h"

namespace syncline {
namespace {

namespace fs = std::filesystem;

class LeaveJobTest : public ::testing::Test {
 protected:
  LeaveJobTest() : home_(fs::current_path()) { fs::current_path(directory_.path()); }
  ~LeaveJobTest() override { fs::current_path(home_); }

  static Job Enter(const std::string& output, const std::string& key = "", int rank = -1,
                   bool force = false) {
    JobRequest request;
    request.output = output;
    request.key = key;
    request.rank = rank;
    request.force = force;
    request.name = "solver";
    request.node = "node";
    request.allocation = "SLURM_JOB_ID+7";
    const JobOutcome outcome = EnterJob(request);
    EXPECT_EQ(outcome.error, "");
    return outcome.job;
  }
  static std::vector<std::string> Here() { return ListDirectory("."); }
  using Names = std::vector<std::string>;

  TestDirectory directory_;
  fs::path home_;
};

TEST_F(LeaveJobTest, NothingStaysOfADirectoryThatWasMade) {
  EXPECT_EQ(LeaveJob(Enter("out"), -1), "");
  EXPECT_EQ(LeaveJob(Enter("some/new/folders/"), -1), "");
  EXPECT_EQ(LeaveJob(Enter(""), -1), "");
  EXPECT_EQ(LeaveJob(Enter("", "key"), -1), "");
  EXPECT_EQ(Here(), Names());
}

TEST_F(LeaveJobTest, WhatWasThereStays) {
  fs::create_directories("mine/sub");
  fs::create_directories("syncline-out");
  EXPECT_EQ(LeaveJob(Enter("mine/sub"), -1), "");
  EXPECT_EQ(LeaveJob(Enter("mine/other/deep"), -1), "");
  EXPECT_EQ(LeaveJob(Enter(""), -1), "");
  EXPECT_EQ(Here(), (Names{"mine", "syncline-out"}));
  EXPECT_EQ(ListDirectory("mine"), Names{"sub"});
  EXPECT_TRUE(fs::is_empty("mine/sub"));
  EXPECT_TRUE(fs::is_empty("syncline-out"));
  directory_.Write("mine/sub/notes", "");
  EXPECT_EQ(LeaveJob(Enter("mine/sub"), -1), "") << "notes were there before";
  EXPECT_EQ(ListDirectory("mine/sub"), Names{"notes"});
}

TEST_F(LeaveJobTest, OtherRunsAndTheirLinkStay) {
  const std::string first = fs::path(Enter("").directory).filename();
  const Job second = Enter("");
  EXPECT_EQ(LeaveJob(second, -1), "");
  EXPECT_EQ(ListDirectory("syncline-out"), (Names{"latest", first}));
  EXPECT_EQ(fs::read_symlink("syncline-out/latest"), first);
}

TEST_F(LeaveJobTest, AFileThatSomebodyPutThereStays) {
  const Job job = Enter("out");
  directory_.Write("out/notes", "");
  EXPECT_EQ(LeaveJob(job, -1), "notes is in it");
  EXPECT_EQ(ListDirectory("out"), Names{"notes"});
  const Job again = Enter("out");
  directory_.Write("out/run/rank-0.json", "");
  EXPECT_EQ(LeaveJob(again, -1), "run/rank-0.json is in it");
  Job read;
  std::string error;
  EXPECT_TRUE(ReadJob("out", &read, &error)) << "the run can still be recovered: " << error;
  EXPECT_EQ(read.key, again.key);
}

TEST_F(LeaveJobTest, OtherLaunchersOfTheJobKeepIt) {
  const Job job = Enter("out", "key");
  const Job rank = Enter("out", "key", 3);
  EXPECT_EQ(LeaveJob(job, -1), "other launchers of the job are in it");
  EXPECT_EQ(ListDirectory("out/run/joined"), Names{"rank-3"});
  const Job joined = Enter("out", "key");
  EXPECT_EQ(LeaveJob(joined, -1), "other launchers of the job are in it");
  EXPECT_NE(LeaveJob(rank, 3), "");
  EXPECT_TRUE(fs::exists("out/run/job.json")) << "ranks may still come";
}

TEST_F(LeaveJobTest, TheLastOneOutRemovesIt) {
  const Job made = Enter("", "key", 3);
  const Job joined = Enter("", "key");
  EXPECT_EQ(joined.directory, made.directory);
  EXPECT_EQ(LeaveJob(joined, -1), "other launchers of the job are in it");
  EXPECT_NE(LeaveJob(made, 3), "");
  EXPECT_EQ(LeaveJob(Enter("", "key"), -1), "");
  EXPECT_EQ(ListDirectory("syncline-out"), Names()) << "which was there when the last one came";
}

TEST_F(LeaveJobTest, ASecondJobBelowTheFirst) {
  Enter("out", "one");
  EXPECT_EQ(LeaveJob(Enter("out", "two"), -1), "");
  EXPECT_FALSE(fs::exists("out/job-2"));
  EXPECT_TRUE(fs::exists("out/run/job.json"));
}

TEST_F(LeaveJobTest, TheNewRunThatTookTheOldOnesPlace) {
  JobRequest old;
  old.output = "out";
  EnterJob(old);
  EXPECT_EQ(LeaveJob(Enter("out", "", -1, true), -1), "");
  EXPECT_EQ(Here(), Names{"out.old-1"});
}

TEST_F(LeaveJobTest, AFileCalledLatestIsNoLinkOfOurs) {
  fs::create_directories("syncline-out");
  directory_.Write("syncline-out/latest", "notes");
  EXPECT_EQ(LeaveJob(Enter(""), -1), "");
  EXPECT_EQ(ListDirectory("syncline-out"), Names{"latest"});
}

}  // namespace
}  // namespace syncline
