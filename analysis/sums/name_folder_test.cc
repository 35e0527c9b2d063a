// SPDX-License-Identifier: Apache-2.0
// Which names become one.
#include "analysis/sums/name_folder.h"

#include <gtest/gtest.h>

namespace syncline {
namespace {

TEST(NameFolderTest, NamesOfSteps) {
  const auto number = [](std::string_view name) {
    const auto step = StepOf(name);
    return step ? step->name + "|" + (step->number ? std::to_string(*step->number) : "") : "none";
  };
  EXPECT_EQ(number("step 12"), "step #|12");
  EXPECT_EQ(number("ProfilerStep#7"), "ProfilerStep#|7");
  EXPECT_EQ(number("train_step"), "train_step|");
  EXPECT_EQ(number("Training Step: 3"), "Training Step: #|3");
  EXPECT_EQ(number("iteration=0"), "iteration=#|0");
  EXPECT_EQ(number("batch 5"), "batch #|5");
  EXPECT_EQ(number("batch 12/400"), "batch #/#|12");
  EXPECT_EQ(number("step 1 of 2"), "step # of #|1");
  EXPECT_EQ(number("[step 12]"), "[step #]|12");
  EXPECT_EQ(number("epoch 3, step 12"), "epoch #, step #|12");
  EXPECT_EQ(number("Iteration(515): loss -0.3, lr 1e-05"), "Iteration(#): loss #, lr #|515");
  EXPECT_TRUE(StepOf("Iteration(515): loss 0.3")->needs_another);
  EXPECT_FALSE(StepOf("Iteration(515)/600")->needs_another);
  EXPECT_FALSE(StepOf("step 1 of 2")->needs_another);
  for (const char* other :
       {"batch", "Optimizer.step#SGD.step", "layer 3", "", "12", "footstep 3", "step1_load",
        "step 2a", "epoch 3", "iter 3/x", "step 99999999999999999999"}) {
    const std::string expected = std::string(other).starts_with("step 9") ? "step |" : "none";
    EXPECT_EQ(number(other), expected) << other;
  }
}

TEST(NameFolderTest, AStepThatSaysMoreIsFoldedWhereThereIsAnother) {
  NameFolder folder;
  folder.See("step 1: load");
  folder.See("step 2: train");
  EXPECT_EQ(folder.Folded("step 1: load"), "step 1: load");
  folder.See("Iteration(1): loss 0.3");
  EXPECT_FALSE(folder.IsFolded("Iteration(1): loss 0.3"));
  folder.See("Iteration(2): loss 0.25");
  EXPECT_TRUE(folder.IsFolded("Iteration(1): loss 0.3"));
  EXPECT_EQ(folder.Folded("Iteration(2): loss 0.25"), "Iteration(#): loss #");
  EXPECT_TRUE(folder.IsFolded("step 7")) << "from the first";
}

TEST(NameFolderTest, WhatCountsIsFoldedHoweverFewThereAre) {
  NameFolder folder;
  folder.See("epoch 1");
  folder.FoldFamily("epoch #");
  EXPECT_EQ(folder.Folded("epoch 1"), "epoch #");
  EXPECT_EQ(folder.FoldedPath("run > epoch 2 > layer 3"), "run > epoch # > layer 3");
}

TEST(NameFolderTest, FewVariantsKeepTheirNames) {
  NameFolder folder;
  for (size_t i = 0; i < NameFolder::kMostVariants; ++i) folder.See("layer " + std::to_string(i));
  EXPECT_EQ(folder.Folded("layer 3"), "layer 3");
  folder.See("layer 3");  // not another one
  EXPECT_FALSE(folder.IsFolded("layer 3"));
  folder.See("layer 1000");
  EXPECT_TRUE(folder.IsFolded("layer 3"));
  EXPECT_EQ(folder.Folded("layer 3"), "layer #");
  EXPECT_EQ(folder.Folded("conv 3"), "conv 3");
  EXPECT_EQ(folder.FoldedPath("step 17 > layer 3 > conv 3 > log"),
            "step # > layer # > conv 3 > log");
  EXPECT_EQ(folder.FoldedPath(""), "");
  folder.See("conv 3");
  folder.See("conv 4");
  EXPECT_EQ(folder.FamilyPath("step 17 > layer 3 > conv 3 > log"),
            "step # > layer # > conv # > log");
  folder.See("head 1");
  EXPECT_EQ(folder.FamilyPath("head 1"), "head 1") << "there is no other";
}

}  // namespace
}  // namespace syncline
