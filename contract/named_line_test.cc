// SPDX-License-Identifier: Apache-2.0
// Which names are the program's, which are slips, and of which nobody knows.
#include "contract/named_line.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

RunMeasures RunOfTrain() {
  RunMeasures run;
  run.lines = {"src/train.py:38 main()", "src/loss.py:7 f(), in torch/nn.py:9 g()"};
  run.command_files = {"python", "src/train.py"};
  run.package_files = {"torch/nn.py"};
  run.source_files = {"src/train.py", "src/loss.py", "src/quiet.py", "tests/a.py"};
  run.has_all_sources = true;
  return run;
}

TEST(NamedLineTest, WhatTheRunOrTheSourcesHaveIsTheProgram) {
  const RunMeasures run = RunOfTrain();
  for (const char* place :
       {"train.py:99", "train.py", "src/train.py:1", "main()", "main", "train.py main()",
        "quiet.py:3", "../src/quiet.py", "loss.py:7 f()", "torch/nn.py",
        "src/loss.py:7 f(), in torch/nn.py:9 g()", "./train.py:3-5 main()"}) {
    const NamedLine named = KnowLine(place, run);
    EXPECT_EQ(named.misspelt + named.doubt, "") << place;
  }
}

TEST(NamedLineTest, ASlipIsTold) {
  const RunMeasures run = RunOfTrain();
  EXPECT_EQ(KnowLine("trian.py:99", run).misspelt,
            "neither the run nor the sources have a file `trian.py`: did you mean `train.py:99`?");
  EXPECT_EQ(KnowLine("scr/train.py:99", run).misspelt,
            "neither the run nor the sources have a file `scr/train.py`: did you mean "
            "`src/train.py:99`?");
  EXPECT_EQ(KnowLine("nowhere.cc", run).misspelt,
            "neither the run nor the sources have a file `nowhere.cc`");
  EXPECT_NE(KnowLine("\x1b.py:3 main()", run).misspelt.find("`?.py`"), std::string::npos);
}

TEST(NamedLineTest, WithoutSourcesNobodyKnows) {
  for (const bool has_some : {false, true}) {
    RunMeasures run = RunOfTrain();
    if (has_some)
      run.has_all_sources = false;
    else
      run.source_files = {"other/program.py"};
    const NamedLine named = KnowLine("trian.py:99", run);
    EXPECT_EQ(named.misspelt, "");
    EXPECT_EQ(named.doubt,
              "the run tells nothing of a file `trian.py`, and not all sources lie here to be "
              "looked at: did you mean `train.py:99`?");
    EXPECT_EQ(KnowLine("train.py:99", run).doubt, "");
  }
  EXPECT_NE(KnowLine("x.py", RunMeasures()).doubt, "");
}

TEST(NamedLineTest, AFunctionThatNobodySawIsDoubtful) {
  const RunMeasures run = RunOfTrain();
  EXPECT_EQ(KnowLine("mian()", run).doubt,
            "the run tells nothing of a function `mian()`: did you mean `main()`?");
  EXPECT_EQ(KnowLine("train.py watch()", run).doubt,
            "the run tells nothing of a function `watch()`");
}

}  // namespace
}  // namespace syncline
