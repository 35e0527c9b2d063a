// SPDX-License-Identifier: Apache-2.0
// How long made-up steps took.
#include "analysis/sums/step_rows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analysis/waits/testing.h"

namespace syncline {
namespace {

using Length = std::pair<uint64_t, uint64_t>;  // begin and duration

std::vector<Length> LengthsOf(StepRows* rows, const std::string& name = "step #") {
  std::vector<Length> lengths;
  const auto taken = rows->Take();
  for (const TimedStep& one : taken.at(name).steps)
    lengths.emplace_back(one.step.begin_ns, one.step.duration_ns);
  return lengths;
}

// Steps of one thread, of these begins, each so long.
void AddSteps(StepRows* rows, const std::vector<uint64_t>& begins, uint32_t tid = 100,
              uint64_t length_ns = 10) {
  uint64_t number = 0;
  for (const uint64_t begin_ns : begins)
    rows->Add({"step #", number++}, "", tid, 0, begin_ns, begin_ns + length_ns, false);
}
constexpr uint64_t kLong = 6'000;  // what is submitted within lies within

struct Work {
  uint64_t submitted_us, begin_us, end_us;
};

WorkCurves CurvesOf(const std::vector<Work>& all, uint32_t tid = 100) {
  testing::Process process;
  process.tid = tid;
  for (const Work& work : all) process.Kernel(work.submitted_us, work.begin_us, work.end_us);
  OrderByDevice(&process.records);
  WorkCurves curves({}, {});
  curves.AddLaunches(2, process.records, {{}}, {});
  curves.Finish();
  return curves;
}

const std::vector<CoverageGap> kAllOpen;

TEST(StepRowsTest, AStepReachesToTheBeginOfTheNext) {
  StepRows rows(nullptr, kAllOpen);
  AddSteps(&rows, {0, 100, 250});
  EXPECT_EQ(LengthsOf(&rows), (std::vector<Length>{{0, 100}, {100, 150}, {250, 10}}));
}

TEST(StepRowsTest, WhatIsNotTheNextStepOfTheLoopEndsIt) {
  const std::vector<CoverageGap> closed = {{120, 240}};
  StepRows rows(nullptr, closed);
  AddSteps(&rows, {0, 100, 250});
  EXPECT_EQ(LengthsOf(&rows), (std::vector<Length>{{0, 100}, {100, 10}, {250, 10}}))
      << "nothing was recorded between";
  StepRows again(nullptr, kAllOpen);
  AddSteps(&again, {0, 100});
  AddSteps(&again, {500, 600});
  EXPECT_EQ(LengthsOf(&again), (std::vector<Length>{{0, 100}, {100, 10}, {500, 100}, {600, 10}}))
      << "it counts anew";
}

TEST(StepRowsTest, TheEndOfARangeAroundStepsEndsTheLoop) {
  StepRows rows(nullptr, kAllOpen);
  uint64_t number = 0;
  for (const uint64_t epoch : {0, 1000}) {
    for (const uint64_t begin_ns : {epoch, epoch + 100}) {
      rows.Add({"step #", number++}, "", 100, 1, begin_ns, begin_ns + 10, false);
      rows.EndRange(100, 1);
      rows.EndRange(7, 0);  // of another thread
    }
    rows.EndRange(100, 0);
  }
  EXPECT_EQ(LengthsOf(&rows), (std::vector<Length>{{0, 100}, {100, 10}, {1000, 100}, {1100, 10}}));
}

TEST(StepRowsTest, OfAProgramThatRunsAheadAStepTakesAsLongAsItsWork) {
  const WorkCurves curves = CurvesOf({{2, 5, 1005}, {12, 1005, 2005}, {22, 2005, 3005}});
  StepRows rows(&curves, kAllOpen);
  AddSteps(&rows, {0, 10'000, 20'000}, 100, kLong);
  EXPECT_EQ(LengthsOf(&rows),
            (std::vector<Length>{{0, 1005'000}, {1005'000, 1000'000}, {2005'000, 1000'000}}));
}

TEST(StepRowsTest, AWaitInALaterStepIsThatStepsOwn) {
  const WorkCurves curves = CurvesOf({{2, 5, 15}, {150, 152, 162}, {205, 206, 216}});
  StepRows rows(&curves, kAllOpen);
  AddSteps(&rows, {0, 20'000, 200'000}, 100, kLong);
  EXPECT_EQ(LengthsOf(&rows),
            (std::vector<Length>{{0, 20'000}, {20'000, 180'000}, {200'000, 16'000}}))
      << "its data came late, and the device was idle meanwhile";
}

TEST(StepRowsTest, WhatGoesOnBesideTheStepsIsNoPartOfThem) {
  const WorkCurves curves = CurvesOf({{2, 5, 45}, {3, 5, 900}, {12, 45, 85}, {22, 85, 125}});
  StepRows rows(&curves, kAllOpen);
  AddSteps(&rows, {0, 10'000, 20'000}, 100, kLong);
  EXPECT_EQ(LengthsOf(&rows),
            (std::vector<Length>{{0, 45'000}, {45'000, 40'000}, {85'000, 40'000}}));
}

TEST(StepRowsTest, AStepWithoutWorkIsOverWhenTheOneBeforeIs) {
  const WorkCurves curves = CurvesOf({{2, 5, 1005}, {22, 1005, 2005}});
  StepRows rows(&curves, kAllOpen);
  AddSteps(&rows, {0, 10'000, 20'000}, 100, kLong);
  EXPECT_EQ(LengthsOf(&rows),
            (std::vector<Length>{{0, 1005'000}, {1005'000, 0}, {1005'000, 1000'000}}));
}

TEST(StepRowsTest, OtherThreadsWorkCountsWhereTheyHaveNoSteps) {
  const WorkCurves curves = CurvesOf({{2, 5, 1005}}, 7);
  StepRows alone(&curves, kAllOpen);
  AddSteps(&alone, {0, 10'000});
  EXPECT_EQ(LengthsOf(&alone)[0].second, 1005'000u) << "as of autograd's thread";
  StepRows both(&curves, kAllOpen);
  AddSteps(&both, {0, 10'000});
  AddSteps(&both, {1}, 7);
  EXPECT_EQ(LengthsOf(&both)[0].second, 10'000u);
}

// A process whose thread 100 gives device 0 work, and thread 7 device 1 or the same.
class TwoThreadsTest : public ::testing::Test {
 protected:
  WorkCurves CurvesOfBoth(uint32_t other_device) {
    testing::Process process;
    for (const uint64_t at_us : {0, 10, 20, 30}) process.Kernel(at_us + 1, at_us + 2, at_us + 8);
    process.tid = 7;
    process.context = testing::kContext + other_device;
    for (const uint64_t at_us : {5, 18}) process.Kernel(at_us, at_us + 1, at_us + 12);
    OrderByDevice(&process.records);
    WorkCurves curves({}, {});
    curves.AddLaunches(2, process.records, {{}}, {});
    curves.Finish();
    return curves;
  }
  static void AddLoop(StepRows* rows, const std::string& name, uint32_t tid,
                      const std::vector<uint64_t>& begins_us, uint64_t length_us) {
    uint64_t number = 0;
    for (const uint64_t begin_us : begins_us)
      rows->Add({name, number++}, "", tid, 0, begin_us * 1000, (begin_us + length_us) * 1000,
                false);
  }
};

TEST_F(TwoThreadsTest, WorkOfAThreadWithStepsOfAnotherNameIsNotTheirs) {
  const WorkCurves curves = CurvesOfBoth(1);
  StepRows rows(&curves, kAllOpen);
  AddLoop(&rows, "step #", 100, {0, 10, 20, 30}, 9);
  AddLoop(&rows, "iter #", 7, {4, 17}, 13);
  const auto timed = rows.Take();
  std::vector<uint64_t> lengths_us;
  for (const TimedStep& one : timed.at("step #").steps)
    lengths_us.push_back(one.step.duration_ns / 1000);
  EXPECT_EQ(lengths_us, (std::vector<uint64_t>{10, 10, 10, 9}));
  const OtherLoops& others = timed.at("step #").others.at(100);
  EXPECT_EQ(others.threads, std::vector<uint32_t>{7});
  EXPECT_EQ(others.devices, (std::set<DeviceKey>{{2, 1}}));
  EXPECT_FALSE(others.share_device);
  EXPECT_EQ(timed.at("iter #").OfAll().threads, std::vector<uint32_t>{100});
}

TEST_F(TwoThreadsTest, ADeviceOfBothIsBoths) {
  const WorkCurves curves = CurvesOfBoth(0);
  StepRows rows(&curves, kAllOpen);
  AddLoop(&rows, "step #", 100, {0, 10, 20, 30}, 9);
  AddLoop(&rows, "iter #", 7, {4, 17}, 13);
  const auto timed = rows.Take();
  const OtherLoops& others = timed.at("step #").others.at(100);
  EXPECT_TRUE(others.devices.empty());
  EXPECT_TRUE(others.share_device);
}

TEST_F(TwoThreadsTest, AHelpersStepsArePartsOfThoseThatWaitForIt) {
  const WorkCurves curves = CurvesOfBoth(1);
  StepRows rows(&curves, kAllOpen);
  AddLoop(&rows, "step #", 100, {0, 10, 20, 30}, 9);
  AddLoop(&rows, "iter #", 7, {5, 18}, 1);
  const auto timed = rows.Take();
  EXPECT_TRUE(timed.at("step #").others.at(100).threads.empty());
  EXPECT_EQ(timed.at("step #").steps[0].step.duration_ns, 17'000u) << "until its work is done";
  EXPECT_EQ(timed.at("iter #").others.at(7).threads, std::vector<uint32_t>{100});
}

TEST_F(TwoThreadsTest, OneRangeIsNoLoop) {
  const WorkCurves curves = CurvesOfBoth(1);
  StepRows rows(&curves, kAllOpen);
  AddLoop(&rows, "step #", 100, {0, 10, 20, 30}, 9);
  AddLoop(&rows, "iter #", 7, {4}, 30);
  EXPECT_TRUE(rows.Take().at("step #").others.at(100).threads.empty());
}

// Steps of 10 ns each, of which one of the last takes 500.
TEST(StepRowsTest, TheLongestOfTheRestAreKept) {
  StepRows rows(nullptr, kAllOpen);
  const uint64_t count = kMostStepsOfProcess + 1000, longest = count - 300;
  uint64_t at_ns = 0;
  for (uint64_t i = 0; i < count; ++i) {
    rows.Add({"step #", i}, "", 100, 0, at_ns, at_ns + 8, false);
    at_ns += i == longest ? 500 : 10;
  }
  const auto timed = rows.Take();
  const std::vector<TimedStep>& steps = timed.at("step #").steps;
  EXPECT_EQ(steps.size(), kMostStepsOfProcess + StepRows::kMostOfRest);
  EXPECT_EQ(rows.left_out(), 1000 - StepRows::kMostOfRest);
  const auto most = std::max_element(steps.begin(), steps.end(), [](const auto& a, const auto& b) {
    return a.step.duration_ns < b.step.duration_ns;
  });
  EXPECT_EQ(most->step.number, longest);
  EXPECT_EQ(most->step.duration_ns, 500u);
  EXPECT_EQ(most->step.begin_ns, longest * 10);
}

TEST(StepRowsTest, OneOfTheRestBeginsWhenTheWorkBeforeItIsDone) {
  const WorkCurves curves = CurvesOf({{2000, 2001, 2500}, {2010, 2500, 2900}});
  StepRows rows(&curves, kAllOpen);
  for (uint64_t i = 0; i < kMostStepsOfProcess; ++i)
    rows.Add({"step #", i}, "", 100, 0, 10 * i, 10 * i + 8, false);
  rows.Add({"step #", 200'000}, "", 100, 0, 2'000'000, 2'009'000, false);
  rows.Add({"step #", 200'001}, "", 100, 0, 2'009'000, 2'020'000, false);
  const auto timed = rows.Take();
  const TimedStep& last = timed.at("step #").steps.back();
  EXPECT_EQ(last.step.number, 200'001u);
  EXPECT_EQ(last.step.begin_ns, 2'500'000u);
  EXPECT_EQ(last.step.duration_ns, 400'000u);
}

TEST(StepRowsTest, TheNameIsKeptWhereTheNumberDoesNotTellIt) {
  StepRows rows(nullptr, kAllOpen);
  const char* const names[] = {"batch 1/40", "batch 2/40"};
  for (uint64_t i = 0; i < 2; ++i)
    rows.Add({"batch #/#", i + 1}, names[i], 100, 0, 100 * i, 100 * i + 50, false);
  rows.Add({"step #", 3}, "step 3", 100, 0, 10, 20, false);
  const auto timed = rows.Take();
  EXPECT_EQ(timed.at("batch #/#").steps[1].name, "batch 2/40");
  EXPECT_EQ(timed.at("step #").steps[0].name, "");
}

TEST(StepRowsTest, StepsThatOverlapAreByThemselves) {
  StepRows rows(nullptr, kAllOpen);
  for (const uint64_t begin_ns : {0, 50, 100})
    rows.Add({"step #", begin_ns}, "", 100, StepRows::kNoDepth, begin_ns, begin_ns + 80, false);
  EXPECT_EQ(LengthsOf(&rows), (std::vector<Length>{{0, 80}, {50, 80}, {100, 80}}));
}

TEST(StepRowsTest, GainsCountFromWhereTheHostBeganTheFirstSteadyStep) {
  const WorkCurves curves =
      CurvesOf({{2, 5000, 9005}, {12, 9005, 9105}, {22, 9105, 9205}, {32, 9205, 9305}});
  StepRows rows(&curves, kAllOpen);
  EXPECT_EQ(rows.FirstNs(), 0u);
  AddSteps(&rows, {1'000, 10'000, 20'000, 30'000});
  rows.Add({"iter #", 1}, "", 100, 0, 0, 1, false);
  EXPECT_EQ(rows.FirstNs(), 10'000u);
}

TEST(StepRowsTest, OpenOnesAreStepsWhereNoneEnded) {
  StepRows rows(nullptr, kAllOpen);
  rows.Add({"step #", 1}, "", 100, 0, 0, 10, true);
  EXPECT_EQ(LengthsOf(&rows).size(), 1u);
  rows.Add({"step #", 1}, "", 100, 0, 0, 10, true);
  rows.Add({"step #", 0}, "", 100, 0, 0, 5, false);
  EXPECT_EQ(LengthsOf(&rows), (std::vector<Length>{{0, 5}}));
}

TEST(SubmittedEndsTest, BeyondTheMostNeighboursAreOne) {
  SubmittedEnds ends(4);
  for (uint64_t i = 9; i-- > 0;) ends.Add(10 * i, 10 * i + 5);
  ends.Finish();
  EXPECT_LE(ends.bytes(), 4 * 16u);
  EXPECT_EQ(ends.LatestBetween(0, 1000, UINT64_MAX), 85u);
  EXPECT_EQ(ends.LatestBetween(1000, 2000, UINT64_MAX), 0u);
}

}  // namespace
}  // namespace syncline
