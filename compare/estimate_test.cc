// SPDX-License-Identifier: Apache-2.0
// Against tables of Student's distribution, and against chance itself.
#include "compare/estimate.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace syncline {
namespace {

// NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.6.7.2, two-sided 0.05.
TEST(Estimate, KnowsStudentsDistribution) {
  EXPECT_NEAR(TwoSidedChance(12.706, 1), 0.05, 1e-5);
  EXPECT_NEAR(TwoSidedChance(2.776, 4), 0.05, 1e-4);
  EXPECT_NEAR(TwoSidedChance(2.228, 10), 0.05, 1e-4);
  EXPECT_NEAR(TwoSidedChance(1.984, 100), 0.05, 1e-4);
  EXPECT_NEAR(TwoSidedChance(-2.228, 10), 0.05, 1e-4);
  EXPECT_DOUBLE_EQ(TwoSidedChance(0, 3), 1);
  EXPECT_DOUBLE_EQ(TwoSidedChance(HUGE_VAL, 3), 0);
  EXPECT_DOUBLE_EQ(TwoSidedChance(1, 0), 1);
}

TEST(Estimate, ComparesAsWelchDid) {
  // Mean 20.82 and 23, deviations 1.3 and 0.9, eight each: t is 3.9, the chance 0.0018.
  const Difference found =
      DifferenceOf({20.82, 1.3 / std::sqrt(8), 7}, {23, 0.9 / std::sqrt(8), 7});
  EXPECT_NEAR(found.delta, 2.18, 1e-9);
  EXPECT_NEAR(found.chance, 0.0018, 3e-4);
  EXPECT_LT(found.low, found.delta);
  EXPECT_GT(found.low, 0);
}

TEST(Estimate, TellsNoChanceOfWhatNeverVaries) {
  const Estimate two = EstimateOf({2, 2, 2}), one = EstimateOf({1, 1, 1});
  EXPECT_EQ(DifferenceOf(two, one).chance, 0);
  EXPECT_EQ(DifferenceOf(two, two).chance, 1);
}

TEST(Estimate, HasOneRunsSpreadFromTheOtherSide) {
  const Difference found = DifferenceOf(EstimateOf({10}), EstimateOf({9, 11, 10, 10}));
  EXPECT_TRUE(found.known);
  EXPECT_GT(found.chance, 0.9);
  EXPECT_FALSE(DifferenceOf(EstimateOf({10}), EstimateOf({12})).known);
}

TEST(Estimate, SeesThatNeighboursAreAlike) {
  std::vector<double> drifting;
  for (int i = 0; i < 80; ++i) drifting.push_back(i < 40 ? 10 : 12);
  EXPECT_NEAR(EstimateOfSeries(drifting).mean, 11, 0.01);
  EXPECT_GT(EstimateOfSeries(drifting).error, 0.3);  // of 80 independent ones it would be 0.11
  EXPECT_EQ(EstimateOfSeries({5, 6}).freedom, 0);
}

TEST(Estimate, TellsFewOfManyEqualRows) {
  std::mt19937 random(7);
  std::normal_distribution<double> spread(100, 5);
  const auto runs = [&] {
    std::vector<double> values(4);
    for (double& value : values) value = spread(random);
    return EstimateOf(values);
  };
  int wrong = 0;
  for (int comparison = 0; comparison < 200; ++comparison) {
    std::vector<double> chances(50);
    for (double& chance : chances) chance = DifferenceOf(runs(), runs()).chance;
    for (const bool told : ToldAt(0.01, chances)) wrong += told ? 1 : 0;
  }
  EXPECT_LE(wrong, 8);  // 0.01 of 200 comparisons tell one at all
  EXPECT_EQ(ToldAt(0.01, {0.5, 0.0, 0.004, 1.0}), (std::vector<bool>{false, true, true, false}));
  EXPECT_TRUE(ToldAt(0.01, {}).empty());
}

}  // namespace
}  // namespace syncline
