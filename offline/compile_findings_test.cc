// SPDX-License-Identifier: Apache-2.0
// The step of each compilation, and how much of it that took.
#include "offline/compile_findings.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "base/text.h"

namespace syncline {
namespace {

class CompileFindingsTest : public ::testing::Test {
 protected:
  CompileFindingsTest() {
    ProgramRun& run = *model.runs.emplace_back(std::make_unique<ProgramRun>());
    run.outer_pid = 7;
    run.compiled = std::make_unique<CompiledRun>();
    part.steps.push_back({7, "step #", {{100, 50, 1}, {150, 50, 2}, {300, 50, 3}}});
    part.steps.push_back({7, "other #", {{0, 1000, 1}}});
    part.steps.push_back({8, "step #", {{0, 1, 1}, {2, 1, 1}, {4, 1, 1}, {6, 1, 1}}});
  }
  void Add(uint64_t begin, uint64_t end, CompileKind kind, const std::string& function) {
    CompileEvent event;
    event.kind = kind;
    event.function = function;
    event.begin_ns = begin;
    event.ns = end - begin;
    model.runs[0]->compiled->compilations.push_back({event, end, 0});
  }
  // "2: 30 of 50, 2 (1 again) f()": what took longest first.
  std::string Told() {
    RunFindings findings;
    AddCompilations(model, &findings, &part);
    std::string text;
    for (const CompileStep& step : part.compile_steps)
      text += Text(step.steps.empty() ? "-" : std::to_string(step.number), ": ", step.compile_ns,
                   " of ", step.duration_ns, ", ", step.count, " (", step.again, " again) ",
                   step.what, "\n");
    return text;
  }

  RankModel model;
  RankPart part;
};

TEST_F(CompileFindingsTest, IsOfTheStepThatHasHalfOfItOrInWhichItBegan) {
  Add(150, 170, CompileKind::kFirst, "f");
  Add(160, 180, CompileKind::kAgain, "g");  // of another thread
  Add(199, 230, CompileKind::kBackward, "h");
  Add(299, 310, CompileKind::kFirst, "before");
  Add(250, 301, CompileKind::kFirst, "outside");
  EXPECT_EQ(Told(),
            "-: 51 of 0, 1 (0 again) outside()\n2: 31 of 50, 3 (1 again) h(), compiled for "
            "backward\n3: 10 of 50, 1 (0 again) before()\n");
}

TEST_F(CompileFindingsTest, BreaksAndWhatHasNoTimeAreInNoStep) {
  Add(150, 150, CompileKind::kBreak, "f");
  Add(0, 20, CompileKind::kFirst, "g");
  EXPECT_EQ(Told(), "");
}

TEST_F(CompileFindingsTest, TellsThatTheClockWasSet) {
  Add(150, 160, CompileKind::kFirst, "f");
  model.runs[0]->compiled->compilations[0].error_ns = 3'000'000'000;
  EXPECT_EQ(Told(), "2: 10 of 50, 1 (0 again) f()\n");
  ASSERT_EQ(part.problems.size(), 1u);
  EXPECT_NE(part.problems[0].find("may be off by 3.00 s"), std::string::npos) << part.problems[0];
}

TEST_F(CompileFindingsTest, GraphsOfTwoOpinionsAreBothTold) {
  CompiledRun& run = *model.runs[0]->compiled;
  run.parts = {
      {1, CompiledKind::kKernel, "0/0", "k", {"aten.add"}, {{"/w/a.py", 3, "f"}}},
      {1, CompiledKind::kKernel, "1/0", "k", {}, {{"/w/a.py", 5, "f"}, {"/w/a.py", 3, "f"}}},
      {1, CompiledKind::kKernel, "1/0", "same", {"aten.mul"}, {}},
      {1, CompiledKind::kKernel, "2/0", "same", {"aten.mul"}, {}},
      {1, CompiledKind::kLibrary, "2/0", "same", {"aten.no"}, {}}};
  NameKernels({"/w", ""}, &run);
  EXPECT_EQ(run.kernels.at("k").operators, "0/0: aten.add; 1/0: ?");
  EXPECT_EQ(run.kernels.at("k").lines, "0/0: a.py:3 f(); 1/0: a.py:3,5 f()");
  EXPECT_EQ(run.kernels.at("same").operators, "aten.mul");
}

}  // namespace
}  // namespace syncline
