// SPDX-License-Identifier: Apache-2.0
// The measures of a run, and why one is not known.
#include "report/measures.h"

#include <gtest/gtest.h>

#include <string>

#include "report/report_builder.h"

namespace syncline {
namespace {

constexpr uint64_t kMeasuredMs = 1'000'000;

RankPart& AddMeasuredRank(RunFindings* findings, int rank, size_t steps) {
  RankPart& part = findings->ranks["rank-" + std::to_string(rank)];
  part.rank = rank;
  part.complete = true;
  part.begin_ns = 1;
  part.end_ns = 1 + (steps + 1) * 10 * kMeasuredMs;
  part.device_ops = 1000;
  DeviceUse use;
  use.name = "H100";
  use.begin_ns = part.begin_ns;
  use.end_ns = part.end_ns;
  use.busy_ns = use.computing_ns = 1;
  use.memory_peak_bytes = 4096;
  part.devices.push_back(use);
  StepSeries& series = part.steps.emplace_back();
  series.name = "step #";
  for (size_t i = 0; i < steps; ++i)
    series.steps.push_back(
        {1 + i * 10 * kMeasuredMs, (10 + static_cast<uint64_t>(rank)) * kMeasuredMs, i});
  series.ops = {steps, 7 * steps, 2, 1000, 500};
  series.shares[TimeKind::kComputing] = 6 * kMeasuredMs * steps;
  series.shares[TimeKind::kCopying] = 1 * kMeasuredMs * steps;
  series.shares[TimeKind::kHostBusy] = 2 * kMeasuredMs * steps;
  series.shares[TimeKind::kWaiting] = 1 * kMeasuredMs * steps;
  return part;
}

std::vector<Measure> MeasuresOf(const RunFindings& findings, const RankMeetings& meetings = {}) {
  return MeasuresOf(findings, BuildReport(findings, meetings, KernelPatterns(), {}));
}

const Measure& Find(const std::vector<Measure>& measures, const std::string& name,
                    const std::string& where = "") {
  static const Measure none;
  for (const Measure& measure : measures) {
    if (measure.facts->name == name && measure.where == where) return measure;
  }
  ADD_FAILURE() << "no measure " << name << " " << where;
  return none;
}

void AddWaits(RunFindings* findings, const char* where, const char* ranges, uint64_t count,
              WaitClass wait_class = WaitClass::kStream) {
  WaitSums& sums = findings->waits[{"cuda", wait_class, "wait", ranges, where}];
  for (uint64_t i = 0; i < count + 4; ++i) sums.blocked.Add(kMeasuredMs);  // 4 before the steps
  sums.blocked.in_steps["step #"] = {count, count * kMeasuredMs};
  sums.statement = *where == '\0' ? "" : "loss.item()";
}

TEST(MeasuresTest, AStepIsThatOfTheSlowestRank) {
  RunFindings findings;
  AddMeasuredRank(&findings, 0, 10);
  AddMeasuredRank(&findings, 1, 10);
  const std::vector<Measure> measures = MeasuresOf(findings);
  EXPECT_EQ(Find(measures, "step").value, 11e6);
  EXPECT_EQ(Find(measures, "steps").value, 10);
  EXPECT_NEAR(Find(measures, "gpu_busy").value, 0.7, 1e-9);
  EXPECT_NEAR(Find(measures, "computing").value, 0.6, 1e-9);
  EXPECT_NEAR(Find(measures, "copying").value, 0.1, 1e-9);
  EXPECT_EQ(Find(measures, "communicating").value, 0);
  EXPECT_EQ(Find(measures, "outliers").value, 0);
  EXPECT_NE(Find(measures, "flops_per_step").unknown, "");
  EXPECT_NEAR(Find(measures, "idle").value, 3e6, 1);
  EXPECT_NEAR(Find(measures, "idle", "host busy").value, 2e6, 1);
  EXPECT_EQ(Find(measures, "peak_memory").value, 4096);
}

TEST(MeasuresTest, WaitsAreCountedByLineAndStage) {
  RunFindings findings;
  AddMeasuredRank(&findings, 0, 10);
  AddWaits(&findings, "train.py:38 main()", "step # > log", 20);
  AddWaits(&findings, "train.py:9 load()", "step #", 5);
  AddWaits(&findings, "", "", 5);
  for (const WaitClass other : {WaitClass::kPeer, WaitClass::kModuleLoad, WaitClass::kQueueFull})
    AddWaits(&findings, "train.py:50 main()", "step #", 90, other);
  const std::vector<Measure> measures = MeasuresOf(findings);
  EXPECT_NEAR(Find(measures, "waits_per_step").value, 3, 1e-9) << "those for a GPU";
  EXPECT_NEAR(Find(measures, "waits_per_step", "train.py:38 main()").value, 2, 1e-9);
  EXPECT_EQ(Find(measures, "waits_per_step", "train.py:38 main()").statement, "loss.item()");
  EXPECT_NEAR(Find(measures, "waits_per_step", "step #").value, 2.5, 1e-9);
  EXPECT_NEAR(Find(measures, "wait_time_per_step", "log").value, 2e6, 1);
}

TEST(MeasuresTest, NoKindOfStepsHidesBehindAnother) {
  RunFindings findings;
  RankPart& part = AddMeasuredRank(&findings, 0, 10);
  StepSeries& batches = part.steps.emplace_back(part.steps[0]);
  batches.name = "batch #";
  batches.ops = {40, 40, 0, 0, 0};
  for (uint64_t i = 0; i < 30; ++i) batches.steps.push_back({i, kMeasuredMs, i});
  AddWaits(&findings, "train.py:38 main()", "step #", 20);
  findings.waits.begin()->second.blocked.in_steps["batch #"] = {20, 20 * kMeasuredMs};
  const std::vector<Measure> measures = MeasuresOf(findings);
  EXPECT_EQ(Find(measures, "steps").value, 40);
  EXPECT_NEAR(Find(measures, "waits_per_step").value, 2, 1e-9);
  EXPECT_NEAR(Find(measures, "waits_per_step", "train.py:38 main()").value, 2, 1e-9);
  EXPECT_NEAR(Find(measures, "kernels_per_step").value, 7, 1e-9);
  EXPECT_EQ(Find(measures, "step").value, 10e6);
}

TEST(MeasuresTest, WhatIsNotKnownHasAReason) {
  RunFindings findings;
  AddMeasuredRank(&findings, 0, 2);
  std::vector<Measure> measures = MeasuresOf(findings);
  EXPECT_EQ(Find(measures, "step").unknown, "the run has only 2 steps: at least 3 are needed");
  EXPECT_EQ(Find(measures, "steps").unknown, "") << "how many is known";
  EXPECT_NE(Find(measures, "waits_per_step").unknown, "");
  EXPECT_EQ(Find(measures, "late_rank_cost").unknown, "the run has one rank");
  EXPECT_NE(Find(measures, "reserved_memory").unknown, "");
  findings.ranks.begin()->second.steps.clear();
  measures = MeasuresOf(findings);
  EXPECT_NE(Find(measures, "steps").unknown.find("no steps"), std::string::npos);
  findings = {};
  RankPart& part = AddMeasuredRank(&findings, 0, 10);
  part.losses["gpu_undelivered"] = 500;
  measures = MeasuresOf(findings);
  for (const char* name : {"gpu_busy", "idle", "kernels_per_step", "waits_per_step"})
    EXPECT_NE(Find(measures, name).unknown.find("lost"), std::string::npos) << name;
  EXPECT_EQ(Find(measures, "lost_records").value, 500);
  part.losses = {{"ring_full", 500}};
  EXPECT_NE(Find(MeasuresOf(findings), "step").unknown.find("threads are lost"), std::string::npos);
  EXPECT_NE(Find(MeasuresOf(findings), "waits_per_step").unknown, "");
  part.losses = {{"ring_full", 5}};
  part.calls = 100'000;
  EXPECT_EQ(Find(MeasuresOf(findings), "waits_per_step").unknown, "") << "a few";
  part.losses.clear();
  part.steps[0].ops.steps = 2;
  EXPECT_NE(Find(MeasuresOf(findings), "waits_per_step").unknown.find("only 2 steps"),
            std::string::npos);
  part.steps[0].ops.steps = 0;
  EXPECT_NE(Find(MeasuresOf(findings), "kernels_per_step").unknown, "");
  part.devices.clear();
  EXPECT_EQ(Find(MeasuresOf(findings), "kernels_per_step").unknown, "no GPU work was recorded");
}

TEST(MeasuresTest, OperationsAreCountedByStep) {
  RunFindings findings;
  AddMeasuredRank(&findings, 0, 10);
  const std::vector<Measure> measures = MeasuresOf(findings);
  EXPECT_NEAR(Find(measures, "kernels_per_step").value, 7, 1e-9);
  EXPECT_NEAR(Find(measures, "copies_per_step").value, 0.2, 1e-9);
  EXPECT_NEAR(Find(measures, "bytes_from_host_per_step").value, 100, 1e-9);
  EXPECT_NEAR(Find(measures, "bytes_to_host_per_step").value, 50, 1e-9);
}

TEST(MeasuresTest, StagesHaveTheirSums) {
  RunFindings findings;
  AddMeasuredRank(&findings, 0, 10);
  for (int i = 0; i < 10; ++i) findings.ranges[{"nvtx", "", "forward"}].Add(100);
  findings.stages[{"nvtx", "", "forward"}].launched = 40;
  findings.stages[{"nvtx", "", "forward"}].blocked_ns = 70;
  const std::vector<Measure> measures = MeasuresOf(findings);
  EXPECT_EQ(Find(measures, "stage_time", "forward").value, 100);
  EXPECT_EQ(Find(measures, "stage_launches", "forward").value, 4);
  EXPECT_EQ(Find(measures, "stage_blocked", "forward").value, 7);
  EXPECT_EQ(Find(measures, "stage_total", "forward").value, 1000);
  EXPECT_NE(Find(measures, "stage_time").unknown, "");
}

TEST(MeasuresTest, ValuesReadAsTheirUnit) {
  EXPECT_EQ(MeasureText(*FindMeasure("waits_per_step"), 2.5), "2.5");
  EXPECT_EQ(MeasureText(*FindMeasure("waits_per_step"), 2), "2");
  EXPECT_EQ(MeasureText(*FindMeasure("step"), 3.2e6), "3.20 ms");
  EXPECT_EQ(MeasureText(*FindMeasure("gpu_busy"), 0.81), "81 %");
  EXPECT_EQ(MeasureText(*FindMeasure("peak_memory"), 1.5 * (1 << 30)), "1.5 GiB");
  EXPECT_EQ(FindMeasure("wait"), nullptr);
}

}  // namespace
}  // namespace syncline
