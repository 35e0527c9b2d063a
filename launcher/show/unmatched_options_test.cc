// SPDX-License-Identifier: Apache-2.0
// Each option that fitted nothing, with what there is, and each that cannot be judged.
#include "launcher/show/unmatched_options.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

class UnmatchedOptionsTest : public ::testing::Test {
 protected:
  UnmatchedOptionsTest() {
    findings.kernels[{"cuda", "gemm_kernel"}].Add(1);
    findings.kernels[{"cuda", "relu"}].Add(1);
    findings.waits[{"cuda", WaitClass::kStream, "sync", "", "src/train.py:3 f()"}];
    findings.waits[{"cuda", WaitClass::kStream, "sync", "", "libfoo.so bar()"}];
    RankManifest& trace = traces.emplace_back();
    trace.launcher = "none";
    ManifestProcess& process = trace.processes.emplace_back();
    process.name = "train.py";
    process.executable = "/usr/bin/python3.11";
    process.command_line = "python3 train.py";
  }
  std::string Said() const { return UnmatchedText(options, findings, traces, left_out); }

  NameOptions options;
  RunFindings findings;
  std::vector<RankManifest> traces;
  bool left_out = false;
};

TEST_F(UnmatchedOptionsTest, WhatFitsIsNotTold) {
  options = {"*gemm*,relu", "src/*,lib/*", "bash", ""};
  EXPECT_EQ(Said(), "");
  options = {};
  EXPECT_EQ(Said(), "");
}

TEST_F(UnmatchedOptionsTest, KernelsAreToldWithTheNearest) {
  options.kernels = "*gem_kernel*,relu";
  EXPECT_EQ(Said(), "no kernel fits --kernels '*gem_kernel*': did you mean gemm_kernel?");
  options.kernels = "conv";
  EXPECT_EQ(Said(), "no kernel fits --kernels conv: there are gemm_kernel and relu");
  findings.kernels[{"cuda", kOtherNames}].Add(1);
  EXPECT_EQ(Said(), "") << "there are more";
  findings.kernels.clear();
  EXPECT_EQ(Said(), "") << "the program has none";
}

TEST_F(UnmatchedOptionsTest, OwnFilesAreThoseOfLines) {
  options.own = "models/*,tests/*";
  EXPECT_EQ(Said(),
            "no line fits --own 'models/*': there are src/train.py; no line fits --own 'tests/*': "
            "there are src/train.py");
  options.own = "models/*,src/*";
  EXPECT_EQ(Said(), "") << "no wait is in the others";
}

TEST_F(UnmatchedOptionsTest, WhoWasRecordedWasNotSkipped) {
  options.skip = "bash,pyton3";
  EXPECT_EQ(Said(), "--skip pyton3: did you mean python3? That was recorded");
  options.skip = "train.py";
  EXPECT_EQ(Said().find("--skip train.py left a process of that name in"), 0u) << Said();
}

TEST_F(UnmatchedOptionsTest, RanksNeedRanks) {
  options.ranks = "0";
  EXPECT_EQ(Said(), "--ranks 0 chose nothing: no process of the run has a rank");
  traces[0].launcher = "torchrun";
  EXPECT_EQ(Said(), "");
  traces[0].launcher = "none";
  left_out = true;
  EXPECT_EQ(Said(), "");
}

}  // namespace
}  // namespace syncline
