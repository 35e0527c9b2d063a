// SPDX-License-Identifier: Apache-2.0
// Which samples count for a gap, and for whom.
#include "analysis/sums/host_work.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace syncline {
namespace {

constexpr int64_t kShift = 1'000'000;  // of the job's line, less CLOCK_MONOTONIC
constexpr uint32_t kPid = 7, kHelper = 8;

class HostWorkTest : public ::testing::Test {
 protected:
  HostWorkTest() {
    const SampleHeader header = {{'S', 'Y', 'N', 'C', 'S', 'M', 'P', '1'}, kSampleVersion, 200};
    file_.append(BytesOf(header));
    Code(1, "f");
    Code(2, "g");
    Stack(1, {{1, 3}});
    Stack(2, {{2, 5}});
    Stack(3, {});
    run_.outer_pid = kPid;
    run_.facts.pid = kPid;
  }
  template <typename T>
  static std::string_view BytesOf(const T& value) {
    return {reinterpret_cast<const char*>(&value), sizeof(value)};
  }
  void Entry(SampleEntry kind, const std::string& bytes) {
    const SampleEntryHead head = {static_cast<uint32_t>(kind), static_cast<uint32_t>(bytes.size())};
    file_.append(BytesOf(head)).append(bytes);
  }
  void Code(uint32_t number, const std::string& function) {
    const CodeDefinition code = {number, 4, static_cast<uint32_t>(function.size())};
    Entry(SampleEntry::kCode, std::string(BytesOf(code)).append("a.py").append(function));
  }
  void Stack(uint32_t number, const std::vector<SampledFrame>& frames) {
    const StackDefinition stack = {number, static_cast<uint32_t>(frames.size()), 0};
    std::string bytes(BytesOf(stack));
    for (const SampledFrame& frame : frames) bytes.append(BytesOf(frame));
    Entry(SampleEntry::kStack, bytes);
  }
  // `count` samples, 10 ns apart.
  void Sample(uint32_t tid, uint64_t at_ns, uint32_t count, uint32_t stack, ThreadState state,
              uint32_t holder = 0, uint32_t call = kNoSystemCall) {
    HostSample sample = {};
    sample.first_ns = at_ns;
    sample.last_ns = at_ns + (count - 1) * 10;
    sample.count = count;
    sample.pid = kPid;
    sample.tid = tid;
    sample.stack = stack;
    sample.holder = holder;
    sample.system_call = call;
    sample.state = static_cast<uint32_t>(state);
    Entry(SampleEntry::kSample, std::string(BytesOf(sample)));
  }
  void Gap(uint32_t tid, uint64_t begin_ns, uint64_t end_ns) {
    syncline::Gap gap;
    gap.begin_ns = begin_ns + kShift;
    gap.end_ns = gap.submitted_ns = end_ns + kShift;
    gap.tid = tid;
    gap.parts_ns[static_cast<size_t>(GapCause::kHostBusy)] = end_ns - begin_ns;
    source_.findings.gaps.push_back(gap);
  }
  std::string Told(uint64_t from_ns = 0) {
    HostSamples samples;
    EXPECT_TRUE(samples.Add(file_));
    RunFindings findings;
    SumHostWork(run_, source_, {}, from_ns + kShift, {&samples, kShift}, kNoOwnCode, &findings);
    std::string text;
    for (const auto& [key, sums] : findings.host_work) {
      text += key.where + " " + HostActivityName(key.activity) + " " + key.what + " " +
              std::to_string(sums.samples) + "; ";
    }
    return text;
  }

  std::string file_;
  ProgramRun run_;
  SourceSurvey survey_{Source{2}};
  SourceRun source_{Source{2}, survey_};
};

TEST_F(HostWorkTest, SamplesOfTheThreadWithinTheGapCount) {
  Sample(kPid, 100, 10, 1, ThreadState::kRunning);  // to 190
  Sample(kPid, 200, 10, 2, ThreadState::kBlocked, 0, 0);
  Sample(kHelper, 150, 5, 2, ThreadState::kRunning);
  Gap(kPid, 145, 225);
  EXPECT_EQ(Told(), "a.py:3 f() running  5; a.py:5 g() blocked read 3; ");
}

TEST_F(HostWorkTest, WhatTheThreadWaitedInCallsDoesNotCount) {
  Sample(kPid, 100, 20, 1, ThreadState::kRunning);
  Gap(kPid, 95, 295);
  Wait wait;
  wait.tid = kPid;
  wait.begin_ns = 115 + kShift;
  wait.end_ns = 155 + kShift;
  source_.findings.waits.push_back(wait);
  EXPECT_EQ(Told(), "a.py:3 f() running  16; ");
}

TEST_F(HostWorkTest, TheHolderOfTheLockIsTold) {
  Sample(kPid, 100, 4, 1, ThreadState::kWaitsForGil, 2);
  Gap(kPid, 90, 200);
  EXPECT_EQ(Told(), "a.py:3 f() gil a.py:5 g() 4; ");
}

// A thread without frames is blocked while it waits for work, and else works for the first one.
TEST_F(HostWorkTest, OfAHelperTheFirstThreadTellsTheLine) {
  Sample(kHelper, 100, 3, 3, ThreadState::kBlocked, 0, 202);
  Sample(kHelper, 130, 4, 3, ThreadState::kRunning);
  Sample(kPid, 100, 3, 1, ThreadState::kRunning);
  Sample(kPid, 130, 4, 2, ThreadState::kBlocked, 0, 202);
  Gap(kHelper, 90, 200);
  EXPECT_EQ(Told(), "a.py:3 f() running  3; a.py:5 g() running  4; ");
}

TEST_F(HostWorkTest, WhatWasBeforeTheFirstStepDoesNotCount) {
  Sample(kPid, 100, 10, 1, ThreadState::kRunning);
  Gap(kPid, 90, 200);
  EXPECT_EQ(Told(145), "a.py:3 f() running  5; ");
  EXPECT_EQ(Told(300), "");
}

}  // namespace
}  // namespace syncline
