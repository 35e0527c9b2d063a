// SPDX-License-Identifier: Apache-2.0
// What made-up long steps had more of.
#include "analysis/sums/long_steps.h"

#include <gtest/gtest.h>

#include "analysis/sums/step_shares.h"
#include "analysis/waits/testing.h"

namespace syncline {
namespace {

// In each step the device computes for 50 us; the rest of the step is a gap.
class LongStepsTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kGemm = 1, kSparse = 2;

  LongStepsTest() { source_.findings.call_names = {"cudaStreamSynchronize", "cudaMalloc"}; }

  void Step(uint64_t length_us, uint64_t computes_us, GapCause cause, const std::string& line,
            uint32_t kernel = kGemm) {
    const uint64_t end_us = at_us_ + length_us, done_us = at_us_ + computes_us;
    series_.steps.push_back({at_us_ * 1000, length_us * 1000, series_.steps.size()});
    timed_.steps.push_back({series_.steps.back(), {at_us_ * 1000, end_us * 1000}, process_.tid});
    process_.Kernel(at_us_, at_us_, done_us);
    process_.records.ops.back().kernel = kernel;
    Gap gap;
    gap.begin_ns = done_us * 1000;
    gap.end_ns = end_us * 1000;
    gap.parts_ns[static_cast<size_t>(cause)] = gap.end_ns - gap.begin_ns;
    Findings& found = source_.findings;
    gap.wait = static_cast<uint32_t>(found.waits.size());
    found.gaps.push_back(gap);
    Wait wait;
    wait.name = line.empty() ? 0 : 1;
    found.waits.push_back(wait);
    found.wait_where.push_back(line);
    LinesBetween lines;
    lines.next = line;
    found.gap_lines.push_back(lines);
    at_us_ = end_us;
  }
  void UsualSteps(int count) {
    for (int i = 0; i < count; ++i) Step(100, 50, GapCause::kHostBusy, "a.py:1 f()");
  }

  LongStep Told() {
    OrderByDevice(&process_.records);
    std::vector<OpLabel> labels(3);
    labels[kGemm].kernel = "gemm";
    labels[kSparse].kernel = "sparse";
    WorkCurves curves({}, {});
    curves.AddLaunches(2, process_.records, labels, {});
    curves.times().AddDevices(2, process_.records, labels, {});
    curves.times().AddGaps(2, source_.findings.gaps, source_.findings.gap_lines, {});
    curves.Finish();
    ShareSteps(&curves.times(), timed_, &series_);
    TellLongSteps(run_, timed_, &curves, &series_);
    return series_.longest.size() == 1 ? series_.longest[0] : LongStep{};
  }

  ProgramRun run_;
  SourceSurvey survey_{2};
  SourceRun& source_ = run_.sources.Make(2, Source{2}, survey_);
  testing::Process process_;
  StepSeries series_{1, "step #", {}};
  TimedSeries timed_;
  uint64_t at_us_ = 0;
};

TEST_F(LongStepsTest, TheLineAtWhichTheHostWasBusy) {
  UsualSteps(5);
  Step(300, 50, GapCause::kHostBusy, "a.py:7 late()");
  UsualSteps(5);
  const LongStep told = Told();
  EXPECT_EQ(told.begin_ns, 500'000u);
  EXPECT_EQ(told.where, "a.py:7 late()");
  EXPECT_EQ(told.what, "");
}

TEST_F(LongStepsTest, TheCallInWhichItWaited) {
  UsualSteps(5);
  Step(300, 50, GapCause::kHostWaited, "a.py:9 grow()");
  UsualSteps(5);
  const LongStep told = Told();
  EXPECT_EQ(told.where, "a.py:9 grow()");
  EXPECT_EQ(told.what, "cudaMalloc");
}

TEST_F(LongStepsTest, TheCallInWhichTheHostWasBusyItself) {
  UsualSteps(5);
  Step(300, 50, GapCause::kHostBusy, "a.py:10 behind()");
  Findings& found = source_.findings;
  found.gap_call_where.resize(found.gaps.size());
  found.gap_call_where.back() = "a.py:9 grow()";
  found.gaps.back().call_at_ns = 1;
  found.gaps.back().call_name = 1;
  UsualSteps(5);
  const LongStep told = Told();
  EXPECT_EQ(told.where, "a.py:9 grow()");
  EXPECT_EQ(told.what, "cudaMalloc");
}

TEST_F(LongStepsTest, TheKernelThatIsNotInEachStep) {
  UsualSteps(5);
  Step(300, 250, GapCause::kHostBusy, "a.py:1 f()", kSparse);
  UsualSteps(5);
  const LongStep told = Told();
  EXPECT_EQ(told.where, "");
  EXPECT_EQ(told.what, "sparse");
}

TEST_F(LongStepsTest, NothingWhereNoLineHasAQuarterOfIt) {
  UsualSteps(5);
  Step(300, 50, GapCause::kHostBusy, "a.py:7 late()");
  Findings& found = source_.findings;
  const Gap whole = found.gaps.back();
  found.gaps.pop_back();
  found.gap_lines.pop_back();
  for (uint64_t part = 0; part < 5; ++part) {
    Gap gap = whole;
    gap.begin_ns = whole.begin_ns + 50'000 * part;
    gap.end_ns = gap.begin_ns + 50'000;
    gap.parts_ns[static_cast<size_t>(GapCause::kHostBusy)] = 50'000;
    found.gaps.push_back(gap);
    LinesBetween lines;
    lines.next = "a.py:" + std::to_string(10 + part) + " f()";
    found.gap_lines.push_back(lines);
  }
  UsualSteps(5);
  EXPECT_EQ(Told().begin_ns, 500'000u);
  EXPECT_EQ(Told().where, "");
}

// Thread 7, which has steps of its own, computes on the same device from 600 us on.
TEST_F(LongStepsTest, WhatOtherThreadsComputeIsNotWhyAStepIsLonger) {
  UsualSteps(5);
  Step(100, 50, GapCause::kHostBusy, "a.py:1 f()");
  process_.Kernel(600, 600, 1100, testing::kOtherStream);
  process_.records.calls.back().tid = 7;
  process_.records.ops.back().kernel = kSparse;
  Step(600, 50, GapCause::kHostBusy, "");
  source_.findings.gaps.pop_back();
  source_.findings.gap_lines.pop_back();
  UsualSteps(5);
  timed_.others[process_.tid].threads = {7};
  timed_.others[process_.tid].share_device = true;
  const LongStep told = Told();
  EXPECT_EQ(told.begin_ns, 600'000u);
  EXPECT_EQ(told.what + told.where, "");
  EXPECT_EQ(told.more_ns, 500'000u) << "in no recorded call";
}

TEST_F(LongStepsTest, OfStepsThatBeginTogetherTheLongOneIsTold) {
  UsualSteps(5);
  series_.steps.push_back({at_us_ * 1000, 0, 77});
  timed_.steps.push_back({series_.steps.back(), {at_us_ * 1000, at_us_ * 1000}, process_.tid});
  Step(300, 50, GapCause::kHostBusy, "a.py:7 late()");
  UsualSteps(5);
  EXPECT_EQ(Told().where, "a.py:7 late()");
}

// Steps of 100 us, of which `load` is 40 us and a wait in `read` 10 us.
class HostStepsToldTest : public ::testing::Test {
 protected:
  HostStepsToldTest() { source_.findings.call_names = {"read"}; }

  void Step(uint64_t load_us, uint64_t read_us, uint64_t else_us) {
    const uint64_t begin = at_us_ * 1000, length = (load_us + read_us + else_us) * 1000;
    series_.steps.push_back({begin, length, series_.steps.size()});
    timed_.push_back({series_.steps.back(), {begin, begin + length}, 1});
    ranges_.Add(1, 1, 1, begin, begin + load_us * 1000, "");
    ranges_.Add(1, 0, 0, begin, begin + length, "step #");
    for (const uint32_t tid : {1, 2}) {  // the other thread waits all the time
      Wait wait;
      wait.tid = tid;
      wait.begin_ns = begin + (tid == 1 ? load_us * 1000 : 0);
      wait.end_ns = tid == 1 ? wait.begin_ns + read_us * 1000 : begin + length;
      source_.findings.waits.push_back(wait);
      source_.findings.wait_where.emplace_back(tid == 1 ? "a.py:3 f()" : "b.py:1 g()");
    }
    at_us_ += length / 1000;
  }
  void UsualSteps(int count) {
    for (int i = 0; i < count; ++i) Step(40, 10, 50);
  }
  LongStep Told() {
    ranges_.Finish();
    TellHostSteps(run_, timed_, *ranges_.Of("step #"), {"step #", "load"}, &series_);
    return series_.longest.size() == 1 ? series_.longest[0] : LongStep{};
  }

  ProgramRun run_;
  SourceSurvey survey_{2};
  SourceRun& source_ = run_.sources.Make(2, Source{2}, survey_);
  HostSteps ranges_;
  StepSeries series_{1, "step #", {}};
  std::vector<TimedStep> timed_;
  uint64_t at_us_ = 0;
};

TEST_F(HostStepsToldTest, TheRangeThatWasLonger) {
  UsualSteps(9);
  Step(240, 10, 50);
  const LongStep told = Told();
  EXPECT_EQ(told.begin_ns, 900'000u);
  EXPECT_EQ(told.range, "load");
  EXPECT_EQ(told.what, "");
  EXPECT_EQ(told.more_ns, 180'000u) << "than 60 us, which all ten have";
}

TEST_F(HostStepsToldTest, TheCallThatWaitedLonger) {
  UsualSteps(9);
  Step(40, 210, 50);
  const LongStep told = Told();
  EXPECT_EQ(told.what, "read");
  EXPECT_EQ(told.where, "a.py:3 f()") << "not the other thread's";
  EXPECT_EQ(told.range, "");
  EXPECT_EQ(told.more_ns, 180'000u);
}

TEST_F(HostStepsToldTest, NeitherRangeNorCall) {
  UsualSteps(9);
  Step(50, 20, 230);
  const LongStep told = Told();
  EXPECT_EQ(told.begin_ns, 900'000u);
  EXPECT_EQ(told.what + told.where + told.range, "");
  EXPECT_EQ(told.more_ns, 200'000u);
}

TEST_F(HostStepsToldTest, NothingOfUsualSteps) {
  UsualSteps(10);
  EXPECT_EQ(Told(), LongStep{});
}

}  // namespace
}  // namespace syncline
