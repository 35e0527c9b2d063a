// SPDX-License-Identifier: Apache-2.0
// Where steps end that no program named.
#include "analysis/sums/training_steps.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace syncline {
namespace {

using Spans = std::vector<std::pair<uint64_t, uint64_t>>;

Spans SpansOf(TrainingSteps* steps) {
  Spans spans;
  for (const TrainingSteps::Row& row : steps->Take()) spans.emplace_back(row.begin_ns, row.end_ns);
  return spans;
}

TEST(TrainingSteps, EndWithTheOptimizers) {
  TrainingSteps steps;
  for (const uint64_t end : {10, 20, 35}) steps.OptimizerEnds(1, end);
  EXPECT_EQ(SpansOf(&steps), (Spans{{10, 20}, {20, 35}}));
  EXPECT_TRUE(TrainingSteps().Take().empty());
}

TEST(TrainingSteps, SeveralOptimizersOfOneFetchAreOneStep) {
  TrainingSteps steps;
  for (const uint64_t at : {10, 20, 30}) {
    steps.Fetches(1);
    steps.OptimizerEnds(1, at + 4);
    steps.OptimizerEnds(1, at + 8);
  }
  EXPECT_EQ(SpansOf(&steps), (Spans{{18, 28}, {28, 38}}));
}

TEST(TrainingSteps, SeveralFetchesOfOneOptimizerAreOneStep) {
  TrainingSteps steps;
  for (const uint64_t at : {10, 20, 30}) {
    for (int part = 0; part < 4; ++part) steps.Fetches(1);
    steps.OptimizerEnds(1, at);
  }
  for (int evaluated = 0; evaluated < 9; ++evaluated) steps.Fetches(1);
  EXPECT_EQ(SpansOf(&steps), (Spans{{10, 20}, {20, 30}}));
}

TEST(TrainingSteps, ThreadsHaveTheirOwn) {
  TrainingSteps steps;
  for (const uint64_t end : {10, 20}) {
    steps.OptimizerEnds(1, end);
    steps.OptimizerEnds(2, end + 5);
    steps.Fetches(3);
  }
  EXPECT_EQ(SpansOf(&steps).size(), 2u);
}

TEST(TrainingSteps, AreOnlySoMany) {
  TrainingSteps steps;
  for (uint64_t end = 1; end <= TrainingSteps::kMost + 3; ++end) steps.OptimizerEnds(1, end);
  EXPECT_EQ(steps.Take().size(), TrainingSteps::kMost);
  EXPECT_EQ(steps.left_out(), 2u);
}

}  // namespace
}  // namespace syncline
