// SPDX-License-Identifier: Apache-2.0
// What holds, what does not, and what nobody knows.
#include "contract/check.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

RunMeasures SomeRun() {
  RunMeasures run;
  run.name = "run";
  for (const MeasureFacts& facts : AllMeasures()) run.measures.push_back({&facts, MeasureOf::kRun});
  const auto set = [&](const char* name, double value) {
    for (Measure& measure : run.measures) {
      if (measure.facts == FindMeasure(name)) measure.value = value;
    }
  };
  set("waits_per_step", 3);
  set("step", 10e6);
  set("kernels_per_step", 70);
  run.measures.push_back({FindMeasure("waits_per_step"), MeasureOf::kLine, "a.py:5 f()", 2});
  run.measures.push_back({FindMeasure("waits_per_step"), MeasureOf::kLine, "a.py:9 f()", 1});
  run.measures.push_back({FindMeasure("stage_time"), MeasureOf::kStage, "forward", 4e6});
  run.waits = {{"a.py:5 f()", "x = loss.item()", 2, "sync"}, {"a.py:9 f()", "y.cpu()", 1, "copy"}};
  run.waits_ever = run.waits;
  run.stages = {"forward", "backward"};
  return run;
}

Verdict Of(const std::string& text, const RunMeasures& run, const RunMeasures* base = nullptr) {
  Expression expression;
  ExpressionError error;
  EXPECT_TRUE(ParseExpression(text, &expression, &error)) << error.message;
  return Check(expression, run, base);
}

TEST(CheckTest, ABoundHoldsOrNamesItsLines) {
  const RunMeasures run = SomeRun();
  EXPECT_EQ(Of("waits_per_step <= 3", run).outcome, Outcome::kHolds);
  EXPECT_EQ(Of("waits_per_step == 3", run).outcome, Outcome::kHolds);
  EXPECT_EQ(Of("waits_per_step > 3", run).outcome, Outcome::kBroken);
  const Verdict broken = Of("waits_per_step < 3", run);
  EXPECT_EQ(broken.outcome, Outcome::kBroken);
  EXPECT_EQ(broken.measured, "3");
  EXPECT_EQ(broken.wanted, "< 3");
  ASSERT_EQ(broken.lines.size(), 2u);
  EXPECT_EQ(broken.lines[0].where, "a.py:5 f()");
}

TEST(CheckTest, LinesAddUpAndOneThatDoesNotWaitHasNone) {
  const RunMeasures run = SomeRun();
  EXPECT_EQ(Of("waits_per_step at 'a.py:5' <= 1", run).value, 2);
  EXPECT_EQ(Of("waits_per_step at 'a.py:5' <= 1", run).lines.size(), 1u);
  EXPECT_EQ(Of("waits_per_step at 'a.py' <= 1", run).value, 3);
}

TEST(CheckTest, ALineThatIsNotThereIsNoPass) {
  RunMeasures run = SomeRun();
  run.lines = {"a.py:5 f()", "a.py:9 f()"};
  run.source_files = {"a.py", "quiet.py"};
  run.has_all_sources = true;
  EXPECT_EQ(Of("waits_per_step at 'a.py:6' <= 0", run).outcome, Outcome::kHolds);
  EXPECT_EQ(Of("waits_per_step at 'quiet.py' <= 0", run).outcome, Outcome::kHolds);
  const Verdict misspelt = Of("waits_per_step at 'quite.py:3' <= 0", run);
  EXPECT_EQ(misspelt.outcome, Outcome::kUnknown);
  EXPECT_NE(misspelt.why.find("did you mean `quiet.py:3`?"), std::string::npos) << misspelt.why;
  RunMeasures base = run;
  base.measures.push_back({FindMeasure("waits_per_step"), MeasureOf::kLine, "gone.py:5 f()", 2});
  EXPECT_EQ(Of("waits_per_step at 'gone.py' <= BASE", run, &base).outcome, Outcome::kHolds)
      << "the base's";
  run.source_files.clear();
  const Verdict doubtful = Of("waits_per_step at 'quite.py:3' <= 0", run);
  EXPECT_EQ(doubtful.outcome, Outcome::kHolds);
  EXPECT_NE(doubtful.note, "");
}

TEST(CheckTest, AStageThatIsNotThereIsNoPass) {
  const RunMeasures run = SomeRun();
  EXPECT_EQ(Of("stage_time in forward <= 4 ms", run).outcome, Outcome::kHolds);
  const Verdict unknown = Of("stage_time in forwrd <= 4 ms", run);
  EXPECT_EQ(unknown.outcome, Outcome::kUnknown);
  EXPECT_EQ(unknown.why, "the run has no stage `forwrd`: did you mean `forward`?");
  EXPECT_EQ(Of("waits_per_step in backward <= 0", run).outcome, Outcome::kHolds);
  EXPECT_EQ(Of("waits_per_step in load <= 0", run).outcome, Outcome::kUnknown);
  EXPECT_EQ(Of("stage_time in backward <= 0 ms", run).outcome, Outcome::kUnknown);
}

TEST(CheckTest, WhatIsNotKnownIsNoPass) {
  RunMeasures run = SomeRun();
  for (Measure& measure : run.measures) measure.unknown = "so";
  for (const char* text : {"waits_per_step <= 9", "waits_per_step at 'b.py' <= 9", "step < 9 s"}) {
    EXPECT_EQ(Of(text, run).outcome, Outcome::kUnknown) << text;
    EXPECT_EQ(Of(text, run).why, "so");
  }
  EXPECT_EQ(Of("no new wait since BASE", run, &run).outcome, Outcome::kUnknown);
}

TEST(CheckTest, TimesOfASimulatedGpuAreRefused) {
  RunMeasures run = SomeRun();
  run.simulated = true;
  for (const char* text : {"step < 9 s", "gpu_busy >= 0 %", "idle < 9 s", "peak_memory < 9 GiB",
                           "wait_time_per_step < 9 s", "stage_time in forward < 9 s"})
    EXPECT_NE(Of(text, run).why.find("simulated GPU"), std::string::npos) << text;
  EXPECT_EQ(Of("waits_per_step <= 3", run).outcome, Outcome::kHolds);
  EXPECT_EQ(Of("kernels_per_step <= 70", run).outcome, Outcome::kHolds);
}

TEST(CheckTest, AgainstAnotherRun) {
  const RunMeasures run = SomeRun(), base = SomeRun();
  EXPECT_EQ(Of("step <= BASE", run, &base).outcome, Outcome::kHolds);
  const Verdict broken = Of("step <= 0.9 x BASE", run, &base);
  EXPECT_EQ(broken.wanted, "<= 9.00 ms (the base has 10.0 ms)");
  EXPECT_EQ(broken.outcome, Outcome::kBroken);
}

TEST(CheckTest, ALineThatMovedIsNotNew) {
  RunMeasures run = SomeRun();
  const RunMeasures base = SomeRun();
  EXPECT_EQ(Of("no new wait since BASE", run, &base).outcome, Outcome::kHolds);
  run.waits[0].where = "a.py:77 f()";
  EXPECT_EQ(Of("no new wait since BASE", run, &base).outcome, Outcome::kHolds);
  run.waits.push_back({"a.py:78 f()", "x = loss.item()", 1, "sync"});
  const Verdict broken = Of("no new wait since BASE", run, &base);
  EXPECT_EQ(broken.outcome, Outcome::kBroken) << "the same text once more";
  EXPECT_EQ(broken.lines.size(), 1u);
  run = SomeRun();
  run.waits.push_back({"a.py:5 g()", "x = loss.item()", 1, "sync"});
  EXPECT_EQ(Of("no new wait since BASE", run, &base).lines[0].where, "a.py:5 g()");
}

TEST(CheckTest, MoreKernelsAreOfTheLinesThatSubmitMore) {
  RunMeasures run = SomeRun();
  EXPECT_NE(Of("kernels_per_step < 3", run).hint, "");
  run.launches = {{"a.py:3 f()", "", 40}, {"a.py:4 f()", "", 30}};
  const Verdict broken = Of("kernels_per_step < 3", run);
  EXPECT_EQ(broken.hint, "");
  EXPECT_EQ(broken.lines[0].where, "a.py:3 f()");
  RunMeasures base = run;
  run.launches[0].does = "add 40";
  run.launches[1].does = base.launches[0].does = "mul 30";
  const Verdict more = Of("kernels_per_step <= 0.9 x BASE", run, &base);
  ASSERT_EQ(more.lines.size(), 1u) << "what another line did is no news";
  EXPECT_EQ(more.lines[0].where, "a.py:3 f()");
}

}  // namespace
}  // namespace syncline
