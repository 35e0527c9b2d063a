// SPDX-License-Identifier: Apache-2.0
// What was done between two moments, and what a name's ranges have of it.
#include "analysis/sums/work_curves.h"

#include <gtest/gtest.h>

#include "analysis/waits/testing.h"
#include "base/gallop_search.h"

namespace syncline {
namespace {

TEST(PlaceNearTest, IsFoundFromAnywhere) {
  for (size_t size = 0; size < 20; ++size) {
    for (size_t start = 0; start <= size; ++start) {
      for (size_t place = 0; place <= size; ++place)
        EXPECT_EQ(PlaceNear(size, start, [&](size_t i) { return i < place; }), place);
    }
  }
}

TEST(SpellCurveTest, OverlapsCountOnceAndClosedTimeDoesNot) {
  SpellCurve curve;
  const std::vector<CoverageGap> closed = {{150, 160}, {480, 520}};
  curve.Add(100, 200, closed);
  curve.Add(120, 140, closed);
  curve.Add(190, 250, closed);
  curve.Add(400, 500, closed);
  EXPECT_EQ(curve.total_ns(), 50u + 90 + 80);
  EXPECT_EQ(curve.Between(0, 1000), 220u);
  EXPECT_EQ(curve.Between(0, 100), 0u);
  EXPECT_EQ(curve.Between(110, 155), 40u);
  EXPECT_EQ(curve.Between(300, 410), 10u);
  EXPECT_EQ(curve.Between(245, 245), 0u);
  EXPECT_EQ(curve.error_ns(), 0u);
}

TEST(SpellCurveTest, BeyondTheMostItIsOffByAsMuchAsItSays) {
  SpellCurve exact, coarse(16);
  for (uint64_t i = 1; i < 200; ++i) {
    for (SpellCurve* curve : {&exact, &coarse}) curve->Add(i * 100, i * 100 + i % 7 * 10 + 5, {});
  }
  EXPECT_GT(coarse.error_ns(), 0u);
  EXPECT_EQ(coarse.total_ns(), exact.total_ns());
  for (uint64_t begin = 0; begin < 20000; begin += 37) {
    const uint64_t truly = exact.Between(begin, 12345 + begin);
    const uint64_t told = coarse.Between(begin, 12345 + begin);
    EXPECT_LE(told > truly ? told - truly : truly - told, 2 * coarse.error_ns());
  }
}

TEST(LevelCurveTest, TheMostIsThatOfWithinOrOfBefore) {
  LevelCurve curve;
  for (const auto& [ns, bytes] : {std::pair{30, -60}, {10, 100}, {20, 50}, {40, 300}, {50, -380}})
    curve.Add(static_cast<uint64_t>(ns), bytes);
  curve.Finish();
  EXPECT_EQ(curve.MostBetween(0, 5), 0u);
  EXPECT_EQ(curve.MostBetween(0, 100), 390u);
  EXPECT_EQ(curve.MostBetween(11, 12), 100u);
  EXPECT_EQ(curve.MostBetween(11, 35), 150u);
  EXPECT_EQ(curve.MostBetween(32, 38), 90u);
  EXPECT_EQ(curve.MostBetween(55, 60), 10u);
}

// Two devices; a thread launches on both and waits, another one only launches.
WorkCurves Curves(std::vector<CoverageGap> closed = {}, const WorkCurves::Most& most = {}) {
  testing::Process process;
  process.Kernel(10, 20, 50);
  process.Kernel(30, 50, 70);
  process.tid = 101;
  process.context = testing::kContext + 1;
  process.Kernel(40, 45, 55);
  process.tid = 100;
  process.Call("cudaDeviceSynchronize", 60, 72);
  Wait wait;
  wait.tid = 100;
  wait.begin_ns = 60000;
  wait.end_ns = 70000;
  OrderByDevice(&process.records);
  WorkCurves curves(std::move(closed), most);
  curves.AddDevices(process.records, {});
  curves.AddLaunches(2, process.records, {{}, {"a"}, {"b"}}, {});
  curves.AddWaits({wait}, {});
  curves.Finish();
  return curves;
}

TEST(WorkCurvesTest, AThreadHasWhatItDidAndAllThatDevicesDid) {
  WorkCurves curves = Curves();
  EXPECT_EQ(curves.Between(curves.ThreadOf(100), 0, 100000),
            (StageWork{10000, 2, 50000, 50000 + 10000, 200000, 0}));
  EXPECT_EQ(curves.Between(curves.ThreadOf(101), 0, 100000),
            (StageWork{0, 1, 10000, 50000 + 10000, 200000, 0}));
  EXPECT_EQ(curves.Between(curves.ThreadOf(100), 25000, 65000),
            (StageWork{5000, 1, 20000, 40000 + 10000, 80000, 0}));
  EXPECT_EQ(curves.ThreadOf(7), nullptr);
  EXPECT_EQ(curves.Between(nullptr, 48000, 52000), (StageWork{0, 0, 0, 8000, 8000, 0}));
  EXPECT_TRUE(curves.Inexact().empty());
}

TEST(WorkCurvesTest, WhileNothingWasRecordedTimeDoesNotCount) {
  WorkCurves curves = Curves({{40000, 50000}, {65000, 90000}});
  EXPECT_EQ(curves.Between(curves.ThreadOf(100), 0, 100000),
            (StageWork{5000, 2, 50000, 20000 + 15000 + 5000, 2 * 65000, 0}));
}

TEST(WorkCurvesTest, WhatIsNotExactIsSaid) {
  WorkCurves curves = Curves({}, {2, SpellCurve::kMostSpells});
  EXPECT_EQ(curves.Inexact().size(), 1u);
  EXPECT_EQ(curves.Between(curves.ThreadOf(100), 0, 100000).device_ns, 50000u);
}

}  // namespace
}  // namespace syncline
