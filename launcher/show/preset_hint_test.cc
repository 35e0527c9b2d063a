// SPDX-License-Identifier: Apache-2.0
// Packages by the lines of waits and gaps.
#include "launcher/show/preset_hint.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(PresetHintTest, ByTheLinesOfWaitsAndGaps) {
  RunFindings findings;
  EXPECT_EQ(PresetHint(findings), "");
  WaitKey wait;
  wait.where = "diffusers_of_mine/a.py:1 f(), in numpy/core.py:3 g()";
  findings.waits[wait];
  wait.where = "/home/a/transformers/a.py:1 f()";
  findings.waits[wait];
  EXPECT_EQ(PresetHint(findings), "");
  wait.where = "main.py:1 f(), in pytorch_lightning/core.py:3 g()";
  findings.waits[wait];
  EXPECT_EQ(PresetHint(findings),
            "the program uses lightning: `--preset lightning` shows its stages");
  GapKey gap;
  gap.lines.below = "diffusers/pipelines/x.py:1 f()";
  findings.gaps[gap];
  EXPECT_EQ(PresetHint(findings),
            "the program uses diffusers and lightning: `--preset diffusers,lightning` shows its "
            "stages");
}

}  // namespace
}  // namespace syncline
