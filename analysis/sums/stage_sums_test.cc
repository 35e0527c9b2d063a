// SPDX-License-Identifier: Apache-2.0
// Ranges come in the order of their ends; a name's time is that of its outermost ranges.
#include "analysis/sums/stage_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace syncline {
namespace {

struct Range {
  uint32_t name;
  uint16_t depth;
  uint64_t begin, end;
};

// A device that is always busy.
WorkCurves Busy() {
  GpuRecords records;
  GpuOp op;
  op.end_ns = 1000000;
  records.ops = {op};
  records.ops_by_device = {0};
  WorkCurves curves({});
  curves.AddDevices(records, {});
  curves.Finish();
  return curves;
}

std::vector<uint64_t> TimesOf(const std::vector<Range>& ranges) {
  WorkCurves curves = Busy();
  StageSums sums(&curves);
  NamePool pool;
  const Stream stream(1, &pool, nullptr);
  for (const Range& range : ranges)
    sums.AddNested(stream, range.name, range.depth, range.begin, range.end);
  sums.Finish(100);
  std::vector<uint64_t> times;
  for (const StageWork& work : sums.sums()) times.push_back(work.busy_ns);
  return times;
}

TEST(StageSumsTest, RecursionCountsOnce) {
  EXPECT_EQ(TimesOf({{0, 1, 10, 20}, {0, 0, 5, 30}, {0, 0, 40, 50}}), (std::vector<uint64_t>{35}));
  // 0 in 1 in 0, and beside that in another 1.
  EXPECT_EQ(TimesOf({{0, 2, 10, 20}, {1, 1, 9, 21}, {0, 0, 5, 30}, {0, 1, 42, 44}, {1, 0, 40, 50}}),
            (std::vector<uint64_t>{25 + 2, 12 + 10}));
}

TEST(StageSumsTest, SiblingsAreNotWithinEachOther) {
  std::vector<Range> ranges;
  for (uint64_t i = 0; i < 100; ++i) {
    ranges.push_back({0, 2, 100 * i + 10, 100 * i + 20});
    ranges.push_back({1, 1, 100 * i, 100 * i + 50});
  }
  ranges.push_back({0, 0, 0, 20000});
  ranges.push_back({0, 0, 30000, 30001});
  EXPECT_EQ(TimesOf(ranges), (std::vector<uint64_t>{20001, 5000}));
}

// Random trees, against the union of each name's ranges.
void Grow(std::mt19937* random, uint16_t depth, uint64_t* now, std::vector<Range>* ranges) {
  const Range range{static_cast<uint32_t>((*random)() % 3), depth, (*now)++, 0};
  for (unsigned children = (*random)() % 4; depth < 6 && children > 0; --children)
    Grow(random, static_cast<uint16_t>(depth + 1), now, ranges);
  ranges->push_back(range);
  ranges->back().end = ++*now;
}

TEST(StageSumsTest, TimesAreThoseOfTheUnion) {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    std::vector<Range> ranges = {{0, 0, 0, 1}, {1, 0, 1, 2}, {2, 0, 2, 3}};
    uint64_t now = 5;
    for (int trees = 0; trees < 3; ++trees) Grow(&random, 0, &now, &ranges);
    std::vector<uint64_t> truly(3);
    for (uint64_t at = 0; at < now; ++at) {
      for (uint32_t name = 0; name < 3; ++name) {
        truly[name] += std::any_of(ranges.begin(), ranges.end(), [&](const Range& range) {
          return range.name == name && range.begin <= at && at < range.end;
        });
      }
    }
    EXPECT_EQ(TimesOf(ranges), truly);
  }
}

// A launch in each tenth nanosecond, of two kernels in turn, each 3 ns of a call of 2 ns.
WorkCurves Launching(uint64_t until) {
  GpuRecords records;
  for (uint64_t at = 0; at < until; at += 10) {
    const auto number = static_cast<uint32_t>(at / 10 + 1);
    records.calls.push_back({at, at + 2, number, 1, 0, 0});
    GpuOp op;
    op.begin_ns = at + 5;
    op.end_ns = at + 8;
    op.correlation = number;
    op.kernel = 1 + number % 2;
    records.ops.push_back(op);
  }
  WorkCurves curves({});
  curves.AddLaunches(2, records, {{}, {"a"}, {"b"}}, {});
  curves.Finish();
  return curves;
}

using KernelsOfNames = std::vector<std::map<uint32_t, StageKernel>>;

KernelsOfNames KernelsOf(const std::vector<Range>& ranges, uint64_t until, size_t most = 100) {
  WorkCurves curves = Launching(until);
  StageSums sums(&curves);
  for (const Range& range : ranges)
    sums.AddNested(1, 1, range.name, range.depth, range.begin, range.end);
  sums.Finish(most);
  KernelsOfNames kernels;
  for (const KernelSums& of : sums.kernels())
    kernels.emplace_back(of.entries().begin(), of.entries().end());
  return kernels;
}

// By each launch: all ranges that it is in, and the innermost of them.
KernelsOfNames TrueKernels(const std::vector<Range>& ranges, uint64_t until, size_t names) {
  KernelsOfNames kernels(names);
  for (uint64_t at = 0; at < until; at += 10) {
    const uint32_t kernel = 1 + static_cast<uint32_t>(at / 10 + 1) % 2;
    const Range* innermost = nullptr;
    for (uint32_t name = 0; name < names; ++name) {
      bool any = false;
      for (const Range& range : ranges) {
        if (at < range.begin || at >= range.end) continue;
        any = any || range.name == name;
        if (innermost == nullptr || range.depth > innermost->depth) innermost = &range;
      }
      if (any) kernels[name][kernel].all.Add({1, 3, 2});
    }
    if (innermost != nullptr) kernels[innermost->name][kernel].own.Add({1, 3, 2});
  }
  return kernels;
}

TEST(StageSumsTest, KernelsAreThoseOfTheUnionAndOwnOnesOfTheInnermost) {
  std::mt19937 random(6);
  for (int i = 0; i < 100; ++i) {
    std::vector<Range> ranges = {{0, 0, 0, 1}, {1, 0, 1, 2}, {2, 0, 2, 3}};
    uint64_t now = 5;
    for (int trees = 0; trees < 3; ++trees) Grow(&random, 0, &now, &ranges);
    for (Range& range : ranges) {
      range.begin *= 7;
      range.end *= 7;
    }
    EXPECT_EQ(KernelsOf(ranges, 7 * now + 30), TrueKernels(ranges, 7 * now + 30, 3));
  }
}

TEST(StageSumsTest, AStartedRangeHasWhatItsThreadLaunchedAndNothingAlone) {
  WorkCurves curves = Launching(100);
  StageSums sums(&curves);
  sums.AddStarted(1, 0, 10, 50);
  sums.AddStarted(1, 0, 30, 50);
  sums.AddStarted(9, 1, 10, 50);
  sums.Finish(100);
  const auto& kernels = sums.kernels();
  ASSERT_EQ(kernels[0].entries().size(), 2u);
  for (const auto& [kernel, of] : kernels[0].entries())
    EXPECT_EQ(of, (StageKernel{{3, 9, 6}, {}})) << kernel;
  EXPECT_TRUE(kernels[1].entries().empty()) << "another thread's";
}

TEST(StageSumsTest, AnOpenRangeHasWhatWasMeanwhileAndNothingThatAThreadDid) {
  WorkCurves curves = Launching(100);
  StageSums sums(&curves);
  sums.AddStarted(1, 0, 10, 50);
  sums.AddOpen(1, 10, 50);
  sums.Finish(100);
  StageWork expected = sums.sums()[0];
  EXPECT_NE(expected.launched, 0U);
  expected.launched = expected.device_ns = expected.blocked_ns = 0;
  EXPECT_EQ(sums.sums()[1], expected);
  EXPECT_TRUE(sums.kernels()[1].entries().empty());
}

// Thread 2 launches what thread 1 asks for.
TEST(StageSumsTest, WhatAHelperLaunchesInACallIsTheCallersInAllRangesAroundIt) {
  WorkCurves curves = Launching(200);
  StageSums sums(&curves);
  sums.SetHelpers({1, 77});
  sums.AddHelped(5, 2, 20, 50);
  sums.AddNested(5, 2, 0, 1, 20, 50);  // the call
  sums.AddNested(5, 2, 1, 1, 60, 90);  // no part of it
  sums.AddHelped(5, 2, 100, 120);
  sums.AddNested(5, 2, 0, 1, 100, 120);
  sums.AddNested(5, 2, 2, 0, 10, 130);
  sums.AddNested(5, 2, 2, 0, 140, 150);
  sums.Finish(100);
  EXPECT_EQ(sums.sums()[0].launched, 5u);
  EXPECT_EQ(sums.sums()[1].launched, 0u);
  EXPECT_EQ(sums.sums()[2].launched, 5u);
  LaunchSums own_of_call, own_around;
  for (const auto& [kernel, of] : sums.kernels()[0].entries()) own_of_call.Add(of.own);
  for (const auto& [kernel, of] : sums.kernels()[2].entries()) own_around.Add(of.own);
  EXPECT_EQ(own_of_call.launches, 5u);
  EXPECT_EQ(own_around.launches, 0u);
}

TEST(StageSumsTest, WhatAHelperLaunchesIsOfStartedRangesAroundTheCallToo) {
  WorkCurves curves = Launching(200);
  StageSums sums(&curves);
  sums.SetHelpers({1});
  sums.AddStarted(2, 0, 10, 130);  // ended by a thread whose records came before
  sums.AddHelped(5, 2, 30, 40);    // within the next
  sums.AddHelped(5, 2, 20, 50);
  sums.AddNested(5, 2, 1, 0, 20, 50);
  sums.AddHelped(5, 2, 100, 120);
  sums.AddNested(5, 2, 1, 0, 100, 120);
  sums.AddStarted(2, 2, 40, 110);
  sums.AddStarted(2, 3, 50, 100);
  sums.AddStarted(3, 3, 10, 130);
  sums.AddStarted(1, 4, 20, 50);  // of the helper itself
  sums.Finish(100);
  EXPECT_EQ(sums.sums()[0].launched, 5u);
  EXPECT_EQ(sums.sums()[1].launched, 5u) << "of a call within another one each launch is one";
  EXPECT_EQ(sums.sums()[2].launched, 2u) << "it has a part of each";
  EXPECT_EQ(sums.sums()[3].launched, 0u) << "between the calls, and of another thread";
  EXPECT_EQ(sums.sums()[4].launched, 3u);
  LaunchSums all;
  for (const auto& [kernel, of] : sums.kernels()[0].entries()) all.Add(of.all);
  EXPECT_EQ(all.launches, 5u);
}

TEST(StageSumsTest, BeyondTheMostTheCostliestKernelsAreKept) {
  const std::vector<Range> ranges = {{0, 0, 0, 10}, {1, 0, 10, 30}, {2, 0, 30, 75}};
  const KernelsOfNames kernels = KernelsOf(ranges, 80, 2);
  const StageKernel one{{1, 3, 2}, {1, 3, 2}};
  EXPECT_EQ(kernels[0], (std::map<uint32_t, StageKernel>{{KernelSums::kOtherKernels, one}}));
  EXPECT_EQ(kernels[1].at(KernelSums::kOtherKernels).all, (LaunchSums{2, 6, 4}));
  EXPECT_EQ(kernels[2].size(), 2u);
  EXPECT_FALSE(kernels[2].contains(KernelSums::kOtherKernels));
}

TEST(WorkCurvesTest, ACallOfSeveralOperationsIsSharedOut) {
  GpuRecords records;
  records.calls.push_back({0, 10, 1, 1, 0, 0});
  for (uint32_t i = 0; i < 3; ++i) {
    GpuOp op;
    op.begin_ns = 20;
    op.end_ns = 25;
    op.correlation = 1;
    op.kernel = 1 + i % 2;
    records.ops.push_back(op);
  }
  WorkCurves curves({});
  curves.AddLaunches(2, records, {{}, {"a"}, {"b"}}, {});
  curves.Finish();
  KernelTally tally;
  WorkCurves::TallyBetween(curves.ThreadOf(1), 0, 100, &tally);
  EXPECT_EQ(tally.Of(1), (LaunchSums{2, 10, 4 + 3}));
  EXPECT_EQ(tally.Of(2), (LaunchSums{1, 5, 3}));
}

}  // namespace
}  // namespace syncline
