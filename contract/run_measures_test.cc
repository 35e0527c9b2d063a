// SPDX-License-Identifier: Apache-2.0
// Which line a place is, and what a run's lines do in a step.
#include "contract/run_measures.h"

#include <gtest/gtest.h>

#include <utility>

namespace syncline {
namespace {

TEST(RunMeasuresTest, ALineIsNamedByWhatIsKnownOfIt) {
  constexpr char kWhere[] = "src/train.py:38 main()";
  for (const char* wanted : {"train.py:38", "src/train.py:38", "train.py", "main()", "main",
                             "train.py main()", "train.py:38 main()", "src/train.py:38 main"})
    EXPECT_TRUE(IsLine(kWhere, wanted)) << wanted;
  for (const char* wanted : {"train.py:3", "train.py:380", "rain.py:38", "", "mai", "train.py f()",
                             ":38", "other/train.py:38", "38", " main()"})
    EXPECT_FALSE(IsLine(kWhere, wanted)) << wanted;
  EXPECT_TRUE(IsLine("a.py:7 f(), in lib/b.py:9 g()", "a.py:7"));
  EXPECT_FALSE(IsLine("a.py:7 f(), in lib/b.py:9 g()", "b.py:9")) << "the user's line is another";
}

// Thirty passes of a program that names no step are 29 steps.
TEST(RunMeasuresTest, WhatEachPassSubmitsIsOnceAStep) {
  for (const auto& [name, steps] : {std::pair("training step", 29), std::pair("step #", 30)}) {
    RunFindings findings;
    StepSeries series;
    series.name = name;
    series.steps.resize(static_cast<size_t>(steps));
    findings.ranks["rank-0"].steps.push_back(series);
    OperatorSums sums;
    sums.own.launched = 30;
    findings.operator_lines[{{"torch", "torch", "aten::copy_"}, "a.py:3 f()"}] = sums;
    const RunMeasures run = RunMeasuresOf(findings, Report());
    ASSERT_EQ(run.launches.size(), 1u) << name;
    EXPECT_EQ(run.launches[0].value, 1) << name;
    EXPECT_EQ(run.lines, std::vector<std::string>{"a.py:3 f()"});
  }
}

}  // namespace
}  // namespace syncline
