// SPDX-License-Identifier: Apache-2.0
// Grids of ranks and steps: exact where there is room, summed where there is not.
#include "writers/tables/step_map.h"

#include <gtest/gtest.h>

#include <cmath>

namespace syncline {
namespace {

ReportSteps Series(const std::string& rank,
                   const std::vector<std::pair<uint64_t, uint64_t>>& steps) {
  ReportSteps series{rank, 1, "step #", 0, {}, {}};
  for (const auto& [number, ns] : steps) series.steps.push_back({0, ns, number});
  return series;
}

double Value(const StepMap& map, uint16_t cell) {
  return static_cast<double>(map.low_ns) *
         std::pow(static_cast<double>(map.high_ns) / static_cast<double>(map.low_ns),
                  cell / (kNoStepCell - 1.0));
}

TEST(StepMapTest, FewStepsAreKeptOneByOne) {
  Report report;
  report.steps = {Series("rank-0", {{5, 1000}, {6, 2000}, {7, 4000}}),
                  Series("rank-1", {{5, 1500}, {7, 1000}})};
  const std::vector<StepMap> maps = StepMaps(report);
  ASSERT_EQ(maps.size(), 1u);
  const StepMap& map = maps[0];
  EXPECT_TRUE(map.numbered);
  EXPECT_EQ(map.first, 5u);
  EXPECT_EQ(map.columns, 3u);
  EXPECT_EQ(map.per, 1u);
  EXPECT_EQ(map.rows, (std::vector<std::string>{"rank-0", "rank-1"}));
  ASSERT_EQ(map.mean.size(), 6u);
  EXPECT_EQ(map.mean[4], kNoStepCell) << "rank 1 has no step 6";
  EXPECT_NEAR(Value(map, map.mean[1]), 2000, 2);
  EXPECT_NEAR(Value(map, map.mean[3]), 1500, 2);
  EXPECT_TRUE(map.longest.empty());
}

TEST(StepMapTest, NumbersThatAreFewOrComeAgainAreNoColumns) {
  Report report;
  report.steps = {Series("rank-0", {{0, 1000}, {UINT64_MAX, 2000}})};
  EXPECT_FALSE(StepMaps(report)[0].numbered);
  EXPECT_EQ(StepMaps(report)[0].columns, 2u);
  report.steps = {Series("rank-0", {{0, 1000}, {1, 1000}, {0, 2000}, {1, 0}})};
  EXPECT_FALSE(StepMaps(report)[0].numbered);
  EXPECT_EQ(StepMaps(report)[0].columns, 4u);
}

TEST(StepMapTest, ManyStepsAreSummed) {
  Report report;
  std::vector<std::pair<uint64_t, uint64_t>> steps;
  for (uint64_t i = 0; i < 10000; ++i) steps.emplace_back(i, i == 60 ? 9000 : 1000);
  for (int rank = 0; rank < 1500; ++rank)
    report.steps.push_back(Series("rank-" + std::to_string(rank), steps));
  const StepMap map = StepMaps(report)[0];
  EXPECT_EQ(map.rows.size(), 1000u);
  EXPECT_EQ(map.rows_left_out, 500u);
  EXPECT_EQ(map.per, 25u);
  EXPECT_EQ(map.columns, 400u);
  EXPECT_NEAR(Value(map, map.mean[2]), (24 * 1000 + 9000) / 25.0, 3);
  EXPECT_NEAR(Value(map, map.longest[2]), 9000, 1);
  EXPECT_NEAR(Value(map, map.longest[3]), 1000, 1);
  EXPECT_LT(StepMapsJson({map}).size(), 2'000'000u);
}

TEST(StepMapTest, NothingIsNoMap) {
  Report report;
  EXPECT_TRUE(StepMaps(report).empty());
  report.steps = {Series("rank-0", {})};
  EXPECT_TRUE(StepMaps(report).empty());
  EXPECT_EQ(StepMapsJson({}), "{\"maps\":[]}");
}

}  // namespace
}  // namespace syncline
