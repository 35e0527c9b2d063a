// SPDX-License-Identifier: Apache-2.0
// A report's sections, and what is said of their numbers.
#include "report/report_builder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "report/lost_records.h"
#include "report/ranked_changes.h"
#include "report/report_endings.h"

namespace syncline {
namespace {

RankPart& AddRank(RunFindings* findings, int rank, uint64_t computing_ns) {
  RankPart& part = findings->ranks["rank-" + std::to_string(rank)];
  part.rank = rank;
  part.complete = true;
  part.host = "n";
  part.begin_ns = 1000;
  part.end_ns = 2000;
  DeviceUse use;
  use.name = "Simulated GPU";
  use.begin_ns = 1000;
  use.end_ns = 2000;
  use.busy_ns = use.computing_ns = computing_ns;
  part.devices.push_back(use);
  return part;
}

Report Build(const RunFindings& findings, const RankMeetings& meetings = {},
             ReportSources sources = {}) {
  return BuildReport(findings, meetings, KernelPatterns(), std::move(sources));
}

bool Says(const Report& report, const std::string& words) {
  return std::any_of(report.health.begin(), report.health.end(), [&](const std::string& sentence) {
    return sentence.find(words) != std::string::npos;
  });
}

TEST(ReportBuilderTest, StagesAreRangesWithTheirWork) {
  RunFindings findings;
  findings.ranges[{"nvtx", "", "a"}].Add(5);
  findings.ranges[{"nvtx", "", "b"}].Add(9);
  findings.stages[{"nvtx", "", "a"}].blocked_ns = 3;
  const Report report = Build(findings);
  ASSERT_EQ(report.stages.size(), 2u);
  EXPECT_EQ(report.stages[0].key.name, "b") << "costliest first";
  EXPECT_EQ(report.stages[0].work, StageWork{});
  EXPECT_EQ(report.stages[1].work.blocked_ns, 3u);
}

TEST(ReportBuilderTest, OutliersTakeLongerThanTwiceTheMedian) {
  RunFindings findings;
  RankPart& part = AddRank(&findings, 0, 0);
  part.steps.push_back({1, "step #", {{30, 21, 2}, {10, 10, 0}, {20, 10, 1}, {40, 20, 3}}});
  part.steps.push_back({1, "none", {}});
  const Report report = Build(findings);
  ASSERT_EQ(report.steps.size(), 1u);
  EXPECT_EQ(report.steps[0].median_ns, 10u);
  EXPECT_EQ(report.steps[0].steps[0].begin_ns, 10u) << "in the order of time";
  EXPECT_EQ(report.steps[0].outliers, std::vector<size_t>{2});
}

TEST(ReportBuilderTest, StepsOfOneNameSayWhoseTheyAre) {
  const auto processes_of = [](const std::vector<std::pair<int32_t, std::string>>& runs) {
    RunFindings findings;
    RankPart& part = AddRank(&findings, 0, 0);
    for (const auto& [pid, program] : runs) {
      StepSeries& series = part.steps.emplace_back(StepSeries{pid, "step #", {{10, 10, 0}}});
      series.program = program;
    }
    std::vector<std::string> texts;
    for (const ReportSteps& steps : Build(findings).steps) texts.push_back(steps.process);
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(processes_of({{1, "train"}}), Texts{""});
  EXPECT_EQ(processes_of({{1, "train"}, {2, "serve"}}), (Texts{" (train)", " (serve)"}));
  EXPECT_EQ(processes_of({{1, "train"}, {2, "train"}}), (Texts{" (process 1)", " (process 2)"}));
  EXPECT_EQ(processes_of({{1, "train"}, {2, "train"}, {3, "serve"}}),
            (Texts{" (train, process 1)", " (train, process 2)", " (serve)"}));
}

TEST(ReportBuilderTest, KernelsBeyondTheMostAreOneRow) {
  RunFindings findings;
  for (int i = 0; i < 60; ++i)
    findings.kernels[{"cuda", "gemm_" + std::to_string(i)}].Add(i < 10 ? 1 : 100);
  findings.starved[{"cuda", "gemm_11"}] = {2, 7};
  const Report report = Build(findings);
  ASSERT_EQ(report.kernels.size(), kMostKernels + 1);
  EXPECT_EQ(report.kernels.back().key.name, "(10 other kernels)");
  EXPECT_EQ(report.kernels.back().sums.count, 10u);
  EXPECT_EQ(report.kernel_class_ns[static_cast<size_t>(KernelClass::kMatmul)], 5010u);
  double share = 0;
  uint64_t starved_ns = 0;
  for (const ReportKernel& kernel : report.kernels) {
    share += kernel.share;
    starved_ns += kernel.starved.idle_ns;
  }
  EXPECT_NEAR(share, 1, 1e-9);
  EXPECT_EQ(starved_ns, 7u);
}

TEST(ReportBuilderTest, RanksMeetAndDiffer) {
  RunFindings findings;
  AddRank(&findings, 10, 300);
  AddRank(&findings, 2, 100);
  findings.ranks["launcher"].host = "n";
  RankMeetings meetings;
  meetings.ranks[2].waited_for_ns = {{10, 50}};
  meetings.ranks[10].waited_for_ns = {{2, 7}};
  const Report report = Build(findings, meetings);
  ASSERT_EQ(report.ranks.size(), 3u);
  EXPECT_EQ(report.ranks[0].rank, 2) << "by number";
  EXPECT_EQ(report.ranks[0].waited_ns, 50u);
  EXPECT_EQ(report.ranks[0].others_paid_ns, 7u);
  EXPECT_EQ(report.ranks[1].others_paid_ns, 50u);
  EXPECT_EQ(report.ranks[2].name, "launcher") << "what has no number comes last";
  EXPECT_NEAR(report.imbalance.value_or(0), 0.5, 1e-9);
  EXPECT_TRUE(report.simulated);
  EXPECT_EQ(report.hosts, 1u);
  EXPECT_EQ(report.length_ns, 1000u);
}

// One rank alone measures no imbalance, and ranks without devices measure none.
TEST(ReportBuilderTest, ImbalanceIsToldWhereItWasMeasured) {
  RunFindings findings;
  AddRank(&findings, 0, 300);
  AddRank(&findings, 1, 0).devices.clear();
  EXPECT_FALSE(Build(findings).imbalance.has_value());
}

TEST(ReportBuilderTest, RankStagesAndSharesAreThoseOfTheRanks) {
  RunFindings findings;
  for (int rank = 0; rank < 3; ++rank) {
    RankPart& part = AddRank(&findings, rank, 0);
    part.stages.push_back({{"nvtx", "", "step"}, 1, 100, 0, 0, 0});
    const uint64_t ns = rank == 1 ? 90 : 30;
    part.stages.push_back({{"nvtx", "", "compute"}, 3, ns, 0, ns, 0});
  }
  findings.ranks["rank-2"].stages.push_back({{"nvtx", "", "save"}, 1, 50, 0, 50, 0});
  const Report report = Build(findings);
  ASSERT_EQ(report.rank_stages.size(), 7u);
  EXPECT_EQ(report.rank_stages[0].time.key.name, "step") << "the costliest stage first";
  EXPECT_EQ(report.rank_stages[4].rank, "rank-1");
  EXPECT_EQ(report.rank_stages[4].beyond_ns, 60u);
  EXPECT_EQ(report.rank_stages[3].beyond_ns, 0u);
  EXPECT_EQ(report.rank_stages[6].beyond_ns, 50u) << "the others were not in it";
  ASSERT_EQ(report.range_shares.size(), 2u);
  EXPECT_EQ(report.range_shares[0], std::pair(std::string("compute"), 0.75));
}

TEST(ReportBuilderTest, EndingsStandInTheOrderOfTime) {
  RunFindings findings;
  ProcessEnding end;
  end.program = "train";
  end.how = "killed by signal 15 (TERM)";
  for (int rank = 0; rank < 6; ++rank) {
    end.pid = 10 + rank;
    end.at_ns = rank == 2 ? 5 : 10 + static_cast<uint64_t>(rank);
    AddRank(&findings, rank, 0).endings = {end};
  }
  findings.ranks["rank-2"].endings[0].how = "exited with status 3";
  findings.ranks["rank-2"].endings[0].silent_ns = 2'000'000'000;
  findings.ranks["rank-0"].endings[0].ranges = "epoch > wait";
  findings.ranks["rank-0"].endings[0].open_ns = 5'000'000;
  findings.ranks["rank-0"].endings[0].other_threads = 2;
  const std::vector<std::string> texts = EndingTexts(Build(findings));
  ASSERT_EQ(texts.size(), 4u);
  EXPECT_EQ(texts[0],
            "rank-2: train (12) exited with status 3; it recorded nothing in its last 2.00 s");
  EXPECT_EQ(texts[1],
            "rank-0: train (10) was killed by signal 15 (TERM), in `epoch > wait` for 5.00 ms (2 "
            "other threads had something open, too)");
  EXPECT_EQ(texts[3], "after these, 3 more processes ended early");
}

TEST(ReportBuilderTest, ThatNothingIsKnownOfMostCollectivesIsSaidFirst) {
  RunFindings findings;
  AddRank(&findings, 0, 0);
  RankMeetings meetings;
  meetings.ranks[0].met = 2;
  LeftOutCounts& left_out = meetings.left_out[0];
  left_out[static_cast<size_t>(LeftOut::kAlone)] = 100;
  left_out[static_cast<size_t>(LeftOut::kInOneProcess)] = 2;
  EXPECT_EQ(Build(findings, meetings).unknown_collectives, 0u);
  left_out[static_cast<size_t>(LeftOut::kInOneProcess)] = 3;
  EXPECT_EQ(Build(findings, meetings).unknown_collectives, 3u);
}

TEST(ReportBuilderTest, EndingsThatNobodyKnowsComeAfterFailures) {
  RunFindings findings;
  ProcessEnding end;
  end.how = kUnknownEnding;
  end.at_ns = 1;
  AddRank(&findings, 0, 0).endings = {end};
  end.how = "killed by signal 9 (KILL)";
  end.at_ns = 2;
  AddRank(&findings, 1, 0).endings = {end};
  EXPECT_EQ(Build(findings).endings[0].rank, "rank-1");
}

TEST(ReportBuilderTest, LostRecordsOfDevicesTakeTheirNumbersAway) {
  RunFindings findings;
  RankPart& lossy = AddRank(&findings, 0, 0);
  RankPart& whole = AddRank(&findings, 1, 0);
  lossy.device_ops = 8;
  lossy.losses = {{"gpu_undelivered", 77}, {"too_deep", 5}};
  whole.device_ops = 1'000'000;
  whole.losses = {{"ring_full", 3}};
  const Report report = Build(findings);
  EXPECT_TRUE(Says(report, "rank-0: 77 of 85 GPU records are lost: how busy its GPUs were"));
  EXPECT_FALSE(Says(report, "rank-1: up to"));
  EXPECT_TRUE(Says(report, "lost by rank-1: 3 because"));
  EXPECT_TRUE(report.lost_matters);
  EXPECT_TRUE(report.ranks[0].lost.Matters());
  EXPECT_FALSE(report.ranks[1].lost.Matters()) << "three of a million make no difference";
  EXPECT_EQ(LostText(report.devices[1].lost), "up to 3 of 1,000,003 GPU records are lost");
  std::vector<ReportFinding> answers(3);
  for (ReportFinding& answer : answers) answer.priced = true;
  answers[0].rank = "rank 0";
  answers[1].rank = "rank 1";
  answers[2].rank = "2 ranks";
  MarkLost(findings, &answers);
  EXPECT_FALSE(answers[0].priced);
  EXPECT_EQ(answers[0].lost.lost, 77u);
  EXPECT_TRUE(answers[1].priced);
  EXPECT_FALSE(answers[2].priced) << "one of them is";
}

TEST(ReportBuilderTest, LossesOfTheHostAloneLeaveDevicesKnown) {
  RunFindings findings;
  RankPart& part = AddRank(&findings, 0, 0);
  part.device_ops = 10;
  part.losses = {{"too_deep", 50}, {"unbalanced_pop", 50}};
  RankPart& no_device = AddRank(&findings, 1, 0);
  no_device.losses = {{"ring_full", 50}};
  const Report report = Build(findings, {}, {"d", {}, {}, false, false, false, {}});
  EXPECT_FALSE(report.lost_matters);
  EXPECT_EQ(report.lost.lost, 0u);
}

TEST(ReportBuilderTest, OptionsThatLimitAreNamedOnce) {
  RunFindings findings;
  AddRank(&findings, 0, 0).limits = {"--steps 5:8"};
  AddRank(&findings, 1, 0).limits = {"--delay 3s", "--steps 5:8"};
  const Report report = Build(findings, {}, {"d", {}, {}, false, false, false, {}});
  EXPECT_EQ(report.limits, (std::vector<std::string>{"--delay 3s", "--steps 5:8"}));
}

TEST(ReportBuilderTest, HealthSaysHowFarNumbersGo) {
  RunFindings findings;
  RankPart& part = AddRank(&findings, 0, 0);
  part.world_size = 4;
  part.losses["ring_full"] = 1234;
  part.coverage.push_back({"cuda", "calls only", "--stages", 0, 5'000'000});
  part.coverage.push_back({"cuda", "CUPTI", "", 0, 5'000'000});
  part.replay = {100, 73, 1, 2};
  part.clock_error_ns = 312;
  AddRank(&findings, 1, 0).complete = false;
  const Report report = Build(findings, {}, {"d", {}, {3}, false, true, false, {}});
  EXPECT_TRUE(Says(report, "of rank 2 of 4 nothing is there"));
  EXPECT_TRUE(Says(report, "--ranks left rank 3 out"));
  EXPECT_TRUE(Says(
      report, "lost by rank-0: 1,234 because the thread's ring was full (raise --memory-ring"));
  EXPECT_TRUE(Says(report, "GPUs: calls only for 5.00 ms of rank-0: --stages"));
  EXPECT_FALSE(Says(report, "CUPTI"));
  EXPECT_TRUE(Says(report, "gains are those of 73 % of the work"));
  EXPECT_TRUE(Says(report, "2 further changes were not tried"));
  EXPECT_TRUE(Says(report, "of rank-1 only a part is there"));
  EXPECT_TRUE(Says(report, "run/spool holds records"));
  EXPECT_TRUE(Says(report, "times are good to 312 ns"));
}

TEST(ReportBuilderTest, FilesOfTwoJobsAreNamed) {
  RunFindings findings;
  AddRank(&findings, 0, 0).job = "slurm 1";
  AddRank(&findings, 1, 0).job = "slurm 1";
  EXPECT_FALSE(Says(Build(findings), "job"));
  findings.ranks["rank-1"].job = "slurm 2";
  EXPECT_TRUE(Says(Build(findings), "of 2 jobs"));
}

TEST(ReportBuilderTest, WhatRecordingCostIsToldOfTheRankInWhichItIsMost) {
  RunFindings findings;
  AddRank(&findings, 0, 0).recording_costs = {{7, 3, 82'000'000, 4, 56'000'000, 3600, true}};
  EXPECT_TRUE(Says(Build(findings),
                   "recording made steps longer: 82.0 ms recorded, 56.0 ms not (1,200 calls each, "
                   "21.7 us a call or more);"));
  AddRank(&findings, 1, 0).recording_costs = {{8, 3, 82'000'000, 4, 20'000'000, 3600, true}};
  const Report report = Build(findings);
  EXPECT_TRUE(Says(report, "51.7 us a call or more; rank-1, the most of all);"));
  EXPECT_EQ(report.recording_costs.size(), 2u);
}

TEST(ReportBuilderTest, TheTimeThatCountsIsThatWithoutTheRecording) {
  RunFindings findings;
  RankPart& part = AddRank(&findings, 0, 0);
  part.replay.whole_ns = 1000;
  part.replay.recording_ns = 600;
  EXPECT_EQ(WorkingTimeNs(findings), 400u);
  part.steps.push_back({1, "step #", {{1000, 400, 0}, {1400, 600, 1}}});
  EXPECT_EQ(WorkingTimeNs(findings), 400u) << "of steps, too";
  part.replay.recording_ns = 2000;
  EXPECT_EQ(WorkingTimeNs(findings), 1000u) << "that of the rank: nothing is left of the steps";
}

TEST(ReportBuilderTest, OfSeveralProcessesTheTimeThatCountsIsThatOfAll) {
  RunFindings findings;
  RankPart& part = AddRank(&findings, 0, 0);
  part.devices.clear();
  part.replay.whole_ns = 900;
  part.steps.push_back({1, "step #", {{1000, 100, 0}, {1100, 100, 1}}});
  part.steps.push_back({2, "step #", {{2000, 300, 0}, {2300, 300, 1}}});
  part.steps[0].shares[TimeKind::kComputing] = 200;
  part.steps[1].shares[TimeKind::kHostBusy] = 600;
  EXPECT_EQ(WorkingTimeNs(findings), 200u) << "the steps of one";
  part.replay.together_ns = 800;
  EXPECT_EQ(WorkingTimeNs(findings), 800u);
  part.devices.resize(2);
  part.devices[0].pid = 1;
  part.devices[1].pid = 2;
  EXPECT_EQ(BusyTime(findings), (std::pair<uint64_t, uint64_t>{200, 800}));
  part.devices[1].end_ns = 900;
  part.devices[1].busy_ns = 300;
  part.devices[1].processes = 2;
  EXPECT_EQ(BusyTime(findings), (std::pair<uint64_t, uint64_t>{300, 900})) << "of a shared one";
}

TEST(ReportBuilderTest, RecordingThatDoesNotShowIsNotTold) {
  RunFindings findings;
  RankPart& part = AddRank(&findings, 0, 0);
  EXPECT_FALSE(Says(Build(findings), "recording made"));
  part.recording_costs = {{7, 3, 82'000'000, 4, 56'000'000, 3600, false}};
  EXPECT_FALSE(Says(Build(findings), "recording made")) << "within their scatter";
  part.recording_costs = {{7, 3, 56'000'000, 4, 82'000'000, 3600, true}};
  EXPECT_FALSE(Says(Build(findings), "recording made")) << "they are shorter";
  part.recording_costs = {{7, 3, 82'000'000, 4, 56'000'000, 0, true}};
  EXPECT_FALSE(Says(Build(findings), "recording made")) << "no calls were recorded";
}

}  // namespace
}  // namespace syncline
