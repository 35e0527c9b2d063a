// SPDX-License-Identifier: Apache-2.0
// Tests of what a job gains.
#include "report/job_gain.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr uint64_t kLength = 1000;

// Ranks that meet, each of which waits so long for the others.
struct Job {
  explicit Job(const std::vector<uint64_t>& waited) {
    for (size_t i = 0; i < waited.size(); ++i) {
      RankPart& part = findings.ranks["rank-" + std::to_string(i)];
      part.rank = static_cast<int>(i);
      part.replay.windows = 1;
      part.replay.waited_ns = waited[i];
      meetings.ranks[part.rank].met = 10;
    }
  }
  uint64_t Gain(const std::vector<uint64_t>& gains) const {
    PriceSums price;
    for (size_t i = 0; i < gains.size(); ++i) {
      if (gains[i] != 0) price.of_ranks["rank-" + std::to_string(i)].gain_ns = gains[i];
      price.gain.gain_ns += gains[i];
    }
    return JobGain(findings, meetings, kLength).Of(price);
  }

  RunFindings findings;
  RankMeetings meetings;
};

TEST(JobGain, RanksThatAreAlikeGainWhatEachGains) {
  EXPECT_EQ(Job({5, 0, 3}).Gain({100, 100, 100}), 100u);
  EXPECT_EQ(Job({0, 0}).Gain({100, 0}), 0u) << "the other one is as long as before";
}

TEST(JobGain, WhatIsTakenFromTheLateRankTheJobGains) {
  const Job job({400, 0, 300});
  EXPECT_EQ(job.Gain({0, 200, 0}), 200u);
  EXPECT_EQ(job.Gain({0, 350, 0}), 300u) << "then rank 2 is the longest";
  EXPECT_EQ(job.Gain({100, 0, 100}), 0u) << "they wait for rank 1";
  EXPECT_EQ(job.Gain({100, 350, 20}), 320u);
}

TEST(JobGain, RanksThatAreLateInTurnEachHoldUpTheJob) {
  Job job({300, 300});
  job.meetings.ranks[0].late_by_ns = job.meetings.ranks[1].late_by_ns = 300;
  EXPECT_EQ(job.Gain({250, 0}), 250u);
  EXPECT_EQ(job.Gain({350, 0}), 300u);
  EXPECT_EQ(job.Gain({250, 250}), 500u);
}

TEST(JobGain, APipelineWithABarrierIsNoLessAPipeline) {
  Job job({0, 0});
  EXPECT_EQ(job.Gain({100, 0}), 0u);
  job.meetings.bubbles_ns = {{1, 300}};
  EXPECT_EQ(job.Gain({100, 0}), 100u);
  job.meetings.ranks[0].waited_for_ns = {{1, 400}};
  EXPECT_EQ(job.Gain({100, 0}), 0u) << "they wait in collectives most of the time";
}

TEST(JobGain, RanksThatNeverMeetGainTheirOwn) {
  Job job({0, 0});
  job.meetings.ranks.clear();
  EXPECT_EQ(job.Gain({100, 0}), 100u);
  EXPECT_EQ(job.Gain({100, 120}), 120u);
  EXPECT_EQ(Job({0}).Gain({70}), 70u);
}

// It evaluates, say, when the others are done.
TEST(JobGain, WhatARankDoesAloneAtTheEndIsItsOwn) {
  Job job({0, 0});
  job.findings.ranks["rank-0"].devices.resize(1);
  job.findings.ranks["rank-0"].devices[0].end_ns = 5000;
  job.findings.ranks["rank-1"].end_ns = 4600;
  EXPECT_EQ(job.Gain({300, 0}), 300u);
  EXPECT_EQ(job.Gain({500, 0}), 400u) << "the other one has as much to do";
}

TEST(JobGain, ALauncherThatEndsLaterIsNoRank) {
  Job job({0, 0});
  job.findings.ranks["launcher"].end_ns = 1'000'000;
  EXPECT_EQ(job.Gain({300, 300}), 300u);
}

TEST(JobGain, NoMoreThanAllTheTime) {
  Job job({0, 0});
  job.meetings.ranks[0].late_by_ns = job.meetings.ranks[1].late_by_ns = kLength;
  EXPECT_EQ(job.Gain({900, 900}), kLength);
}

TEST(JobGain, OfARankThatComesWhenTheOthersDo) {
  const Job job({400, 0, 300});
  const JobGain gain(job.findings, job.meetings, kLength);
  EXPECT_EQ(gain.OfLateRank(1), 300u);
  EXPECT_EQ(gain.OfLateRank(0), 0u);
  EXPECT_EQ(gain.OfLateRank(7), 0u);
}

// Two changes, of 100 and 60, that bring 110 together.
std::vector<PriceSums> TwoChanges(Job* job, int ranks) {
  std::vector<PriceSums> changes(2);
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string name = "rank-" + std::to_string(rank);
    job->findings.ranks[name].joint_ns = {0, 100, 60, 110};
    changes[0].of_ranks[name] = {100, 0, 1};
    changes[1].of_ranks[name] = {60, 0, 2};
  }
  return changes;
}

TEST(JobGain, OfChangesAtOnceTheRanksReplayTells) {
  Job job({0, 0});
  const std::vector<PriceSums> changes = TwoChanges(&job, 2);
  const JobGain gain(job.findings, job.meetings, kLength);
  EXPECT_EQ(gain.OfAll({}), 0u);
  EXPECT_EQ(gain.OfAll({&changes[1]}), 60u);
  EXPECT_EQ(gain.OfAll({&changes[0], &changes[1]}), 110u);
}

TEST(JobGain, WhatWasNotTriedTogetherBringsWhatTheBestOfItDoes) {
  Job job({0, 0});
  std::vector<PriceSums> changes = TwoChanges(&job, 2);
  for (auto& [name, gain] : changes[1].of_ranks) gain.joint = 0;
  const JobGain gain(job.findings, job.meetings, kLength);
  EXPECT_EQ(gain.OfAll({&changes[0], &changes[1]}), 100u);
  // Another process of each rank gains 50 of what the first change brings.
  for (auto& [name, its] : changes[0].of_ranks) its.gain_ns += 50;
  EXPECT_EQ(gain.OfAll({&changes[0], &changes[1]}), 150u);
  job.findings.ranks["rank-0"].joint_ns.clear();
  job.findings.ranks["rank-1"].joint_ns = {0};
  EXPECT_EQ(gain.OfAll({&changes[0], &changes[1]}), 150u) << "of a file that somebody cut";
}

TEST(JobGain, ALateRankAndAChangeAtOnce) {
  Job job({200, 0});
  const std::vector<PriceSums> changes = TwoChanges(&job, 2);
  const JobGain gain(job.findings, job.meetings, kLength);
  EXPECT_EQ(gain.OfAll({}, 1), 200u);
  EXPECT_EQ(gain.OfAll({&changes[0], &changes[1]}), 110u) << "the late one is still the longest";
  EXPECT_EQ(gain.OfAll({&changes[0], &changes[1]}, 1), 310u);
}

TEST(JobGain, OfRanksThatWereNotReplayedTheWaitsCount) {
  Job job({0, 0});
  job.findings.ranks["rank-0"].replay = {};
  job.meetings.ranks[0].waited_for_ns[1] = 500;
  job.meetings.ranks[0].at_first_ns[1] = 100;
  EXPECT_EQ(JobGain(job.findings, job.meetings, kLength).OfLateRank(1), 400u);
}

}  // namespace
}  // namespace syncline
