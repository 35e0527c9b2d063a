// SPDX-License-Identifier: Apache-2.0
// What a run did in its steady steps, and what stands beside them.
#include "compare/run_facts.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr char kSteps[] = "step #";
constexpr uint64_t kMs = 1'000'000;

// Each takes a millisecond.
DurationSums Of(uint64_t count, uint64_t in_steps) {
  DurationSums sums;
  for (uint64_t i = 0; i < count; ++i) sums.Add(kMs);
  if (in_steps != 0) sums.in_steps[kSteps] = {in_steps, in_steps * kMs};
  return sums;
}

// Of a rank with ten steps, of which the first one compiles.
struct MadeRun {
  RunFindings findings;
  Report report;

  MadeRun() {
    for (uint64_t i = 0; i < 10; ++i) steps.push_back({i * kMs, i == 0 ? 9 * kMs : kMs, i});
    StepSeries& series = findings.ranks["rank 0"].steps.emplace_back();
    series.name = kSteps;
    series.steps = steps;
    series.counted = series.ops.steps = 9;
    series.shares.ns[0] = 1;
    ReportSteps& told = report.steps.emplace_back();
    told.rank = "rank 0";
    told.name = kSteps;
    told.steps = steps;
    told.median_ns = kMs;
  }

  std::vector<Step> steps;
};

const FactKey kMatrix{FactKind::kKernel, "gemm", ""}, kOutside{FactKind::kKernel, "gemm", "", true};

TEST(RunFacts, KeepsWhatTheFirstStepDidApart) {
  MadeRun run;
  run.findings.kernels[{"cuda", "gemm"}] = Of(23, 18);
  run.findings.kernels[{"cuda", "tuned"}] = Of(5, 0);
  const RunFacts facts = FactsOf(run.findings, run.report);
  ASSERT_EQ(facts.facts.size(), 3u);
  EXPECT_DOUBLE_EQ(facts.facts.at(kMatrix).count, 2);
  EXPECT_DOUBLE_EQ(facts.facts.at(kMatrix).amount, 2 * kMs);
  EXPECT_DOUBLE_EQ(facts.facts.at(kOutside).count, 5) << "of the rank";
  EXPECT_DOUBLE_EQ(facts.facts.at(kOutside).whole_count, 23);
  EXPECT_FALSE(facts.facts.contains({FactKind::kKernel, "tuned", ""}));
}

TEST(RunFacts, KeepsWaitsWorkCopiesStagesAndOperatorsApart) {
  MadeRun run;
  run.findings.waits[{"cuda", WaitClass::kDevice, "sync", "", "a.py:1 f()", ""}].blocked = Of(9, 9);
  GapKey gap;
  gap.lines.next = "a.py:2 f()";
  run.findings.gaps[gap] = Of(10, 9);
  CopySums& copies = run.findings.copies[{"cuda", "copy"}];
  copies = {Of(12, 9), 1500};
  copies.durations.in_steps[kSteps].bytes = 900;
  run.findings.ranges[{"nvtx", "", "forward", ""}] = Of(10, 9);
  OperatorSums& sums = run.findings.operators[{"torch", "", "aten::mm", ""}];
  sums.count = 40;
  sums.own.host_ns = 40 * kMs;
  sums.in_steps[kSteps] = {18, 18 * kMs};
  const RunFacts facts = FactsOf(run.findings, run.report);
  EXPECT_EQ(facts.facts.count({FactKind::kWait, "device: sync", "a.py:1 f()", true}), 0u);
  EXPECT_DOUBLE_EQ(
      facts.facts.at({FactKind::kHostWork, GapCauseName(GapCause::kHostBusy), "a.py:2 f()"}).count,
      1);
  EXPECT_DOUBLE_EQ(facts.facts.at({FactKind::kCopy, "copy", ""}).bytes, 100);
  EXPECT_DOUBLE_EQ(facts.facts.at({FactKind::kCopy, "copy", "", true}).bytes, 600);
  EXPECT_DOUBLE_EQ(facts.facts.at({FactKind::kStage, "forward", "", true}).count, 1);
  EXPECT_DOUBLE_EQ(facts.facts.at({FactKind::kOperator, "aten::mm", ""}).count, 2);
  EXPECT_DOUBLE_EQ(facts.facts.at({FactKind::kOperator, "aten::mm", "", true}).count, 22);
}

TEST(RunFacts, KnowsTheOperatorsOfACompiledKernel) {
  MadeRun run;
  run.findings.kernels[{"cuda", "triton_0"}] = Of(18, 18);
  run.findings.compiled[{"torch", CompiledKind::kKernel, "triton_0", "aten.gelu", ""}];
  const RunFacts facts = FactsOf(run.findings, run.report);
  EXPECT_EQ(facts.facts.at({FactKind::kKernel, "triton_0", ""}).operators, "aten.gelu");
}

TEST(RunFacts, TakesTheWholeRunWhereStepsAreNotKnown) {
  MadeRun run;
  run.findings.kernels[{"cuda", "gemm"}] = Of(20, 18);
  run.findings.ranks["rank 0"].steps[0].ops.steps = 0;
  const RunFacts facts = FactsOf(run.findings, run.report);
  EXPECT_FALSE(facts.parts_known);
  EXPECT_DOUBLE_EQ(facts.facts.at(kMatrix).count, 2);
  EXPECT_EQ(facts.facts.size(), 1u);
}

TEST(RunFacts, TakesEachRanksOwnSteps) {
  MadeRun run;
  RankPart& other = run.findings.ranks["rank 1"];
  other.steps.push_back(run.findings.ranks["rank 0"].steps[0]);
  other.steps[0].name = "batch #";
  run.report.steps.push_back(run.report.steps[0]);
  run.report.steps[1].rank = "rank 1";
  run.report.steps[1].name = "batch #";
  DurationSums& kernel = run.findings.kernels[{"cuda", "gemm"}] = Of(40, 18);
  kernel.in_steps["batch #"] = {18, 18 * kMs};
  RunFacts facts = FactsOf(run.findings, run.report);
  EXPECT_DOUBLE_EQ(facts.facts.at(kMatrix).count, 2);
  EXPECT_DOUBLE_EQ(facts.facts.at(kOutside).count, 4);
  run.findings.ranks["rank 0"].steps.push_back(other.steps[0]);  // now it has both
  facts = FactsOf(run.findings, run.report);
  EXPECT_DOUBLE_EQ(facts.facts.at(kMatrix).count, 2);
  EXPECT_DOUBLE_EQ(facts.facts.at(kOutside).count, 22) << "steps within others count once";
}

}  // namespace
}  // namespace syncline
