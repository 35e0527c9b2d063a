// SPDX-License-Identifier: Apache-2.0
// Labels of steps whose series have one number, several or none.
#include "model/findings/step_label.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(StepLabelTest, TheNumberStandsWhereStepsAreCounted) {
  EXPECT_EQ(LabelOfStep("step #", 7), "step 7");
  EXPECT_EQ(LabelOfStep("batch #/#", 7), "batch 7/#");
  EXPECT_EQ(LabelOfStep("Iteration(#): loss #", 7), "Iteration(7): loss #");
  EXPECT_EQ(LabelOfStep("Iteration(#): graph 0x#", 7), "Iteration(7): graph 0x#");
  EXPECT_EQ(LabelOfStep("batch # (lr #)", 7), "batch 7 (lr #)");
}

TEST(StepLabelTest, AnEpochCountsNoSteps) {
  EXPECT_EQ(LabelOfStep("epoch # step #", 7), "epoch # step 7");
  EXPECT_EQ(LabelOfStep("[Epoch #] iter #/#", 7), "[Epoch #] iter 7/#");
  EXPECT_EQ(LabelOfStep("epoch # step", 7), "epoch # step 7");
}

TEST(StepLabelTest, ASignThatTheProgramWroteStays) {
  EXPECT_EQ(LabelOfStep("step ##", 7), "step #7");
  EXPECT_EQ(LabelOfStep("step ##/#", 7), "step #7/#");
}

TEST(StepLabelTest, WithoutANumberItStandsBehind) {
  EXPECT_EQ(LabelOfStep("train_step", 7), "train_step 7");
}

}  // namespace
}  // namespace syncline
