// SPDX-License-Identifier: Apache-2.0
// Made-up runs: what is told, what is chance, what moved.
#include "compare/comparison.h"

#include <gtest/gtest.h>

#include "compare/told_changes.h"

namespace syncline {
namespace {

constexpr char kLine[] = "a.py:7 step()";
const FactKey kWaitOfLine = {FactKind::kWait, "legacy_stream: sync", kLine};
const FactKey kGemm = {FactKind::kKernel, "gemm", ""};

RunFacts MadeUp(double step_ns, double off = 0) {
  RunFacts run;
  run.directory = "/x/run";
  run.name = "run";
  run.ranks = 1;
  run.steps = 20;
  run.step_ns = run.median_step_ns = step_ns + off;
  for (int i = 0; i < 20; ++i) run.series_ns.push_back(step_ns + off + (i % 2 == 0 ? 1e4 : -1e4));
  run.step = EstimateOfSeries(run.series_ns);
  run.length_ns = 20 * static_cast<uint64_t>(step_ns);
  run.facts[kGemm] = {6e5 + off, 1, 0, false, 1e3, 7, 5.9e5, 6.1e5, 6e5, ""};
  return run;
}

RunFacts WithWait(RunFacts run, const std::string& where = kLine, double count = 1) {
  run.facts[{FactKind::kWait, "legacy_stream: sync", where}] = {
      9e5, count, 0, false, 1e4, 7, 8.9e5, 9.1e5, 9e5, "x.item()"};
  return run;
}

TEST(Comparison, TellsAWaitThatIsGone) {
  const Comparison one = CompareRuns({WithWait(MadeUp(3e6))}, {MadeUp(2e6)});
  EXPECT_TRUE(one.step_told);
  EXPECT_NEAR(one.step.delta, -1e6, 1);
  EXPECT_EQ(one.told, 1u);
  const std::vector<ToldChange> told = ToldChanges(one);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(told[0].sentence,
            "gone: wait at a.py:7 step() (legacy_stream: sync) `x.item()`; 1 a step, 900 us");
}

TEST(Comparison, TellsNothingOfEqualRuns) {
  const Comparison one = CompareRuns({WithWait(MadeUp(3e6))}, {WithWait(MadeUp(3e6))});
  EXPECT_FALSE(one.step_told);
  EXPECT_EQ(one.told, 0u);
  const Comparison repeated = CompareRuns({MadeUp(3e6, 2e4), MadeUp(3e6, -2e4), MadeUp(3e6)},
                                          {MadeUp(3e6, 1e4), MadeUp(3e6, -1e4), MadeUp(3e6, 3e4)});
  EXPECT_FALSE(repeated.step_told);
  EXPECT_EQ(repeated.told, 0u);
}

TEST(Comparison, TellsASmallDifferenceThatRunsConfirm) {
  const Comparison found = CompareRuns({MadeUp(3e6, 2e3), MadeUp(3e6, -2e3), MadeUp(3e6)},
                                       {MadeUp(2.9e6, 1e3), MadeUp(2.9e6, -1e3), MadeUp(2.9e6)});
  EXPECT_TRUE(found.step_told);
  EXPECT_LT(found.step.high, -9e4);
}

TEST(Comparison, FollowsALineThatMoved) {
  const Comparison moved =
      CompareRuns({WithWait(MadeUp(3e6))}, {WithWait(MadeUp(3e6), "a.py:9 step()")});
  EXPECT_EQ(moved.told, 0u);
  for (const ComparedRow& row : moved.rows) {
    EXPECT_EQ(row.was, row.key.kind == FactKind::kWait ? kLine : "");
  }
}

TEST(Comparison, TellsANewLineAtAnOldPlace) {
  RunFacts other = WithWait(MadeUp(3e6));
  other.facts[kWaitOfLine].statement = "y.cpu()";
  const Comparison found = CompareRuns({WithWait(MadeUp(3e6))}, {other});
  EXPECT_EQ(found.told, 2u);
}

// 20 waits before the loop, and none in it: the longer run has them, too.
TEST(Comparison, TellsNothingOfWhatIsDoneOnceInALongerRun) {
  const FactKey stage = {FactKind::kStage, "load", ""};
  const auto with = [&](double count, double steps) {
    RunFacts run = MadeUp(3e6);
    run.steps = steps;
    run.facts[stage] = {count * 9e5, count, 0, false, 1e4, 7, 8.9e5, 9.1e5, 9e5, ""};
    return run;
  };
  EXPECT_EQ(CompareRuns({with(1, 20)}, {with(0.5, 40)}).told, 0u);
  EXPECT_EQ(CompareRuns({with(1, 20)}, {with(0.25, 40)}).told, 1u) << "not even those";
  RunFacts longer = WithWait(MadeUp(3e6), kLine, 0.5);
  longer.steps = 40;
  EXPECT_EQ(CompareRuns({WithWait(MadeUp(3e6))}, {longer}).told, 1u) << "waits are of the steps";
  longer.parts_known = false;
  longer.facts[kWaitOfLine].amount = 4.5e5;
  EXPECT_EQ(CompareRuns({WithWait(MadeUp(3e6))}, {longer}).told, 0u);
}

TEST(Comparison, TellsNothingOfWhichStepsCount) {
  RunFacts a = MadeUp(3e6), b = a;
  a.facts[kGemm].count = 2;
  b.facts[kGemm].count = 2.1;  // of one step less
  a.facts[kGemm].whole_count = b.facts[kGemm].whole_count = 40;
  EXPECT_EQ(CompareRuns({a}, {b}).told, 0u);
  b.facts[kGemm].whole_count = 42;
  EXPECT_EQ(CompareRuns({a}, {b}).told, 1u);
}

TEST(Comparison, SaysOnceWhatWentInStepsAndOutside) {
  const auto outside = [](double count) {
    RunFacts run = WithWait(MadeUp(3e6), kLine, count);
    FactKey key = kWaitOfLine;
    key.outside = true;
    run.facts[key] = run.facts[kWaitOfLine];
    return run;
  };
  EXPECT_EQ(ToldChanges(CompareRuns({outside(1)}, {MadeUp(2e6)})).size(), 1u);
  EXPECT_EQ(CompareRuns({outside(1)}, {MadeUp(2e6)}).told, 2u) << "rows say both";
}

TEST(Comparison, KernelsOfOtherNamesAreOneChange) {
  RunFacts fused = MadeUp(3e6);
  fused.facts.erase(kGemm);
  Fact& fact = fused.facts[{FactKind::kKernel, "triton_add_mul", ""}];
  fact = {2e5, 1, 0, false, 0, 0, 0, 0, 0, ""};
  fact.operators = "aten.add, aten.mul";
  const Comparison found = CompareRuns({MadeUp(3e6)}, {fused});
  const std::vector<ToldChange> told = ToldChanges(found);
  ASSERT_EQ(told.size(), 1u);
  EXPECT_EQ(
      told[0].sentence,
      "kernels: triton_add_mul of aten.add, aten.mul (1 a step, 200 us) in place of gemm (1 a "
      "step, 600 us)");
}

}  // namespace
}  // namespace syncline
