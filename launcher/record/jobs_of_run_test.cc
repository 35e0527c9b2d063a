// SPDX-License-Identifier: Apache-2.0
// Tests of which job a rank is of.
#include "launcher/record/jobs_of_run.h"

#include <gtest/gtest.h>

#include <string>

#include "base/text.h"

namespace syncline {
namespace {

// Began in the order of their pids.
JobMember Rank(int pid, int rank, int world, uint32_t job, uint32_t starter = 0) {
  return {
      {rank, world, -1, -1, -1, 0, -1, -1, job, starter}, pid, 1, static_cast<uint64_t>(pid), true};
}

// "1 1 2; 1": of each its job, and the one that counts.
std::string Jobs(const std::vector<JobMember>& members) {
  const JobsOfRun jobs = FindJobs(members);
  std::string text;
  for (const int job : jobs.of) text += Text(text.empty() ? "" : " ", job);
  return Text(text, "; ", jobs.counts);
}

TEST(JobsOfRunTest, JobsHaveNamesOfTheirOwn) {
  EXPECT_EQ(Jobs({Rank(10, 0, 2, 7), Rank(11, 1, 2, 7), Rank(20, 0, 2, 8), Rank(21, 1, 2, 8)}),
            "1 1 2 2; 1");
  EXPECT_EQ(Jobs({Rank(20, 0, 3, 8), Rank(10, 0, 2, 7), Rank(21, 1, 3, 8), Rank(22, 2, 3, 8)}),
            "2 1 2 2; 2")
      << "the larger one counts";
  EXPECT_EQ(Jobs({}), "; 0");
}

TEST(JobsOfRunTest, OfOneJobAreTheProgramsOfARank) {
  EXPECT_EQ(Jobs({Rank(10, 0, 2, 7), Rank(11, 1, 2, 7), Rank(12, 0, 2, 7)}), "1 1 1; 1");
  JobMember child = Rank(12, 0, 2, 9);  // it was given another port
  child.parent_pid = 10;
  EXPECT_EQ(Jobs({Rank(10, 0, 2, 7), Rank(11, 1, 2, 7), child}), "1 1 1; 1");
  EXPECT_EQ(Jobs({Rank(10, 0, 2, 0), Rank(11, 0, 3, 0)}), "0 0; 0") << "nothing tells them apart";
}

TEST(JobsOfRunTest, WhoStartedThemTellsJobsOfOneNameApart) {
  EXPECT_EQ(Jobs({Rank(10, 0, 2, 7, 1), Rank(11, 1, 2, 7, 1), Rank(20, 0, 2, 7, 2),
                  Rank(21, 1, 2, 7, 2)}),
            "1 1 2 2; 1");
  EXPECT_EQ(Jobs({Rank(10, 0, 4, 7, 1), Rank(11, 1, 4, 7, 1), Rank(12, 2, 4, 7, 2),
                  Rank(13, 3, 4, 7, 2), Rank(20, 0, 4, 7, 3), Rank(21, 2, 4, 7, 4)}),
            "1 1 1 1 2 2; 1")
      << "two nodes, twice";
}

TEST(JobsOfRunTest, AttemptsAndSpawnedWorldsAreOfOneJob) {
  std::vector<JobMember> attempts = {Rank(10, 0, 2, 7, 1), Rank(11, 1, 2, 7, 1),
                                     Rank(20, 0, 1, 8, 1)};
  for (JobMember& member : attempts) member.rank.attempt = member.own_pid / 20;
  EXPECT_EQ(Jobs(attempts), "1 1 1; 1") << "with another port and a smaller world";
  std::vector<JobMember> worlds = {Rank(10, 0, 1, 7), Rank(20, 0, 2, 8), Rank(30, 0, 1, 8),
                                   Rank(31, 0, 1, 9)};
  worlds[2].rank.spawned = worlds[3].rank.spawned = 1;
  EXPECT_EQ(Jobs(worlds), "1 2 2 1; 1");
}

TEST(JobsOfRunTest, AJobThatRecordedNothingHasNoNumber) {
  std::vector<JobMember> members = {Rank(10, 0, 1, 7), Rank(20, 0, 1, 8)};
  members[0].recorded = false;
  EXPECT_EQ(Jobs(members), "0 1; 1");
  members[1].recorded = false;
  EXPECT_EQ(Jobs(members), "0 0; 0");
}

}  // namespace
}  // namespace syncline
