// SPDX-License-Identifier: Apache-2.0
// What users are told of options that say when something is recorded.
#include "launcher/jobs/gate_options.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

constexpr char kWindowForm[] =
    "It is written FIRST:END, counted from 0, the end not included: 5:8 is three steps.";
constexpr char kScheduleForm[] = "It is written 'wait=4 warmup=1 active=3 repeat=1 skip-first=0'.";

GateOptions Steps(const std::string& steps) {
  GateOptions options;
  options.step_range = "step*";
  options.steps = steps;
  return options;
}

GateOptions Schedule(const std::string& schedule) {
  GateOptions options;
  options.step_range = "step*";
  options.schedule = schedule;
  return options;
}

GateOptions Stages(const std::string& stages) {
  GateOptions options;
  options.stages = stages;
  return options;
}

TEST(GateProblemTest, GoodOptionsHaveNone) {
  EXPECT_EQ(GateProblem({}), "");
  for (const char* steps : {"5:8", "5:", ":8"}) EXPECT_EQ(GateProblem(Steps(steps)), "") << steps;
  EXPECT_EQ(GateProblem(Schedule("wait=4, warmup=1 active=3 repeat=1 skip_first=0")), "");
  GateOptions options = Stages("forward,denoise*@torch");
  options.exclude_stages = "log*";
  options.gate = "stages";
  options.delay = options.duration = true;
  EXPECT_EQ(GateProblem(options), "");
  options.steps = "1:2";
  options.step_range = "step";
  EXPECT_EQ(GateProblem(options), "");
}

void ExpectNearestWindow(const std::string& steps, const std::string& nearest) {
  EXPECT_EQ(GateProblem(Steps(steps)), "the value " + steps +
                                           " of --steps is no window of steps: did you mean " +
                                           nearest + "? " + kWindowForm);
}

TEST(GateProblemTest, TheNearestWindowIsNamed) {
  ExpectNearestWindow("5", "5:6");
  ExpectNearestWindow("0", "0:1");
  ExpectNearestWindow("8:5", "5:8");
  ExpectNearestWindow("5-8", "5:8");
  ExpectNearestWindow("5..8", "5:8");
  ExpectNearestWindow("5,8", "5:8");
  ExpectNearestWindow("5:5", "5:6");
  ExpectNearestWindow("0:0", "0:1");
  ExpectNearestWindow(":0", "0:1");
  ExpectNearestWindow("0x:7", "0:7");
}

TEST(GateProblemTest, WithoutOneOrTwoNumbersNoWindowIsNear) {
  EXPECT_EQ(GateProblem(Steps("a:b")),
            std::string("the value a:b of --steps is no window of steps. ") + kWindowForm);
  EXPECT_EQ(GateProblem(Steps(":")),
            std::string("the value : of --steps is no window of steps. ") + kWindowForm);
  EXPECT_EQ(GateProblem(Steps("5:8:9")),
            std::string("the value 5:8:9 of --steps is no window of steps. ") + kWindowForm);
  EXPECT_EQ(
      GateProblem(Steps("all of them")),
      std::string("the value 'all of them' of --steps is no window of steps. ") + kWindowForm);
}

// What is offered must be taken.
TEST(GateProblemTest, TheNearestWindowIsAWindow) {
  for (const char* steps :
       {"1234567890", "5-1234567890", "1234567890:", "999999999", ":0", "0:0"}) {
    const std::string problem = GateProblem(Steps(steps));
    const std::string before = "did you mean ";
    const size_t at = problem.find(before);
    if (at == std::string::npos) continue;
    const std::string rest = problem.substr(at + before.size());
    const std::string nearest = rest.substr(0, rest.find('?'));
    EXPECT_EQ(GateProblem(Steps(nearest)), "") << steps << " " << nearest;
  }
}

TEST(GateProblemTest, TheNearestKeyOfAScheduleIsNamed) {
  const auto unknown = [](const std::string& key, const std::string& nearest) {
    EXPECT_EQ(GateProblem(Schedule("active=1 " + key + "=2")),
              "there is no " + key + " in a schedule, which --schedule names: did you mean " +
                  nearest + "? " + kScheduleForm);
  };
  unknown("wiat", "wait");
  unknown("warm-up", "warmup");
  unknown("Active", "active");
  unknown("repeats", "repeat");
  unknown("skipfirst", "skip-first");
  EXPECT_EQ(
      GateProblem(Schedule("active=1 record=2")),
      std::string("there is no record in a schedule, which --schedule names. ") + kScheduleForm);
}

TEST(GateProblemTest, AScheduleHasNumbers) {
  for (const char* word : {"wait=x", "wait=", "wait", "wait=1234567890"}) {
    EXPECT_EQ(GateProblem(Schedule(std::string("active=1 ") + word)),
              std::string("the value of ") + word + " in --schedule is no number of steps. " +
                  kScheduleForm);
  }
}

TEST(GateProblemTest, AScheduleRecordsAStep) {
  EXPECT_EQ(GateProblem(Schedule("wait=4 warmup=1")),
            std::string("the schedule 'wait=4 warmup=1' records no step: add active=1. ") +
                kScheduleForm);
  EXPECT_EQ(GateProblem(Schedule("active=0")),
            std::string("the schedule active=0 records no step: add active=1. ") + kScheduleForm);
}

std::string Numbered(int count) {
  std::string list;
  for (int i = 0; i < count; ++i) list += "n" + std::to_string(i) + ",";
  return list;
}

TEST(GateProblemTest, AsManyPatternsAsTheProcessTakes) {
  EXPECT_EQ(GateProblem(Stages(Numbered(64))), "");
  const std::string rest = " names 65 patterns, and 64 are the most: join some with * and ?.";
  EXPECT_EQ(GateProblem(Stages(Numbered(65))), "--stages" + rest);
  GateOptions options;
  options.exclude_stages = Numbered(65);
  EXPECT_EQ(GateProblem(options), "--exclude-stages" + rest);
  options.exclude_stages = "";
  options.step_range = Numbered(65);
  EXPECT_EQ(GateProblem(options), "") << "one pattern";
}

TEST(GateProblemTest, AListOfNothingNamesNoRange) {
  const std::string rest =
      " names no range. Names, in which * is any text and ? any character, are separated by "
      "commas.";
  EXPECT_EQ(GateProblem(Stages(" , ")), "the value ' , ' of --stages" + rest);
  GateOptions options;
  options.exclude_stages = ",";
  EXPECT_EQ(GateProblem(options), "the value , of --exclude-stages" + rest);
}

TEST(GateProblemTest, StepsAreSaidOnce) {
  GateOptions options = Steps("5:8");
  options.schedule = "active=3";
  EXPECT_EQ(GateProblem(options),
            "--steps and --schedule both say which steps are recorded: give one of them. --steps "
            "5:8 is --schedule 'wait=5 active=3 repeat=1'.");
}

TEST(GateProblemTest, WhatOpensTheGateIsSaidOnce) {
  GateOptions options;
  options.gate = "stages";
  EXPECT_EQ(GateProblem(options),
            "--gate stages needs --stages, which names them: --stages 'forward,denoise*'.");
  options = Stages("forward");
  options.gate = "cuda-profiler";
  EXPECT_EQ(GateProblem(options),
            "--gate cuda-profiler and --stages both say when to record: give one of them "
            "(--exclude-stages goes with both).");
  options.stages = "";
  options.exclude_stages = "log";
  EXPECT_EQ(GateProblem(options), "");
}

TEST(GateProblemTest, AWrongValueComesBeforeAConflict) {
  GateOptions options = Steps("8");
  options.step_range = "";
  EXPECT_EQ(GateProblem(options).substr(0, 11), "the value 8");
}

ManifestGate NeverOpen(std::vector<std::string> range_names, uint64_t steps = 0) {
  ManifestGate gate;
  gate.gated = true;
  gate.range_names = std::move(range_names);
  gate.steps = steps;
  return gate;
}

TEST(NeverOpenTextTest, NoRangeHasTheNameOfAStage) {
  EXPECT_EQ(NeverOpenText(Stages("fwd,bwd*"), NeverOpen({"backward", "forward", "load"})),
            "no range fits --stages 'fwd,bwd*': there are backward, forward and load");
}

TEST(NeverOpenTextTest, AProgramMayHaveNoRanges) {
  const std::string none =
      "the program has no ranges (NVTX makes some: torch.cuda.nvtx.range_push, Python's "
      "nvtx.annotate, nvtxRangePushA)";
  EXPECT_EQ(NeverOpenText(Stages("forward"), NeverOpen({})),
            "no range fits --stages forward: " + none);
  EXPECT_EQ(NeverOpenText(Steps("5:8"), NeverOpen({})),
            "no range fits --step-range 'step*': " + none);
}

TEST(NeverOpenTextTest, NoRangeHasTheNameOfAStep) {
  EXPECT_EQ(NeverOpenText(Steps("5:8"), NeverOpen({"iteration 1", "load"})),
            "no range fits --step-range 'step*': there are iteration 1 and load");
  EXPECT_EQ(NeverOpenText(Schedule("active=1 wait=9"), NeverOpen({"load"})),
            "no range fits --step-range 'step*': there are load");
}

TEST(NeverOpenTextTest, TheStepsThatWereAskedForNeverCame) {
  EXPECT_EQ(NeverOpenText(Steps("5000:5003"), NeverOpen({"step 1"}, 1200)),
            "none of the steps that --steps 5000:5003 asks for was recorded: the program had 1,200 "
            "steps");
  EXPECT_EQ(NeverOpenText(Schedule("wait=9 active=1"), NeverOpen({"step 1"}, 1)),
            "none of the steps that --schedule 'wait=9 active=1' asks for was recorded: the "
            "program had 1 step");
}

TEST(NeverOpenTextTest, OfManyNamesThoseThatDifferInNumbersAreOne) {
  std::vector<std::string> names = {"load"};
  for (int step = 0; step < 12; ++step) names.push_back("step " + std::to_string(step));
  EXPECT_EQ(NeverOpenText(Stages("stp"), NeverOpen(names)),
            "no range fits --stages stp: there are load and step #");
}

TEST(NeverOpenTextTest, AStageThatFitsIsNotBlamed) {
  GateOptions options = Stages("fwd, for*@torch");
  const ManifestGate gate = NeverOpen({"forward"}, 3);
  EXPECT_EQ(
      NeverOpenText(options, gate),
      "nothing was recorded: no stage of --stages 'fwd, for*@torch' was open (NAME@DOMAIN is a "
      "range of that domain alone)");
  options.exclude_stages = "warm-up";
  EXPECT_EQ(NeverOpenText(options, gate),
            "nothing was recorded: --stages 'fwd, for*@torch' and --exclude-stages warm-up never "
            "allowed it at one time");
  GateOptions excluded;
  excluded.exclude_stages = "main";
  EXPECT_EQ(NeverOpenText(excluded, gate),
            "nothing was recorded: the program did nothing outside the ranges of --exclude-stages "
            "main that is recorded");
  options.steps = "5:8";
  options.step_range = "step*";
  EXPECT_EQ(NeverOpenText(options, gate),
            "none of the steps that --steps 5:8 asks for was recorded: the program had 3 steps");
}

TEST(NeverOpenTextTest, TheProgramDidNotCallTheProfiler) {
  GateOptions options;
  options.gate = "cuda-profiler";
  EXPECT_EQ(NeverOpenText(options, NeverOpen({"a"})),
            "nothing was recorded: the program did not call cudaProfilerStart, which --gate "
            "cuda-profiler waits for");
  options.delay = true;  // which of the two was missing is not known
  EXPECT_EQ(NeverOpenText(options, NeverOpen({"a"})),
            "nothing was recorded: --gate cuda-profiler and --delay never allowed it at one time");
}

TEST(NeverOpenTextTest, StepsThatCameAreNotMissed) {
  GateOptions options = Steps("5:8");
  options.duration = true;
  EXPECT_EQ(NeverOpenText(options, NeverOpen({"step 1"}, 6)),
            "nothing was recorded: --steps 5:8 and --duration never allowed it at one time");
}

TEST(NeverOpenTextTest, TheProgramEndedTooEarly) {
  GateOptions options;
  options.delay = true;
  EXPECT_EQ(NeverOpenText(options, NeverOpen({})),
            "nothing was recorded: the program ended before --delay was over");
}

TEST(NeverOpenTextTest, TheDurationWasOverTooEarly) {
  GateOptions options;
  options.duration = true;
  EXPECT_EQ(NeverOpenText(options, NeverOpen({})),
            "nothing was recorded: --duration was over before the program did what is recorded");
}

}  // namespace
}  // namespace syncline
