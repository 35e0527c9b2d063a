// SPDX-License-Identifier: Apache-2.0
// The gate's word, and what stages of several threads make of it.
#include "inject/core/gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

#include "inject/core/clock.h"
#include "inject/core/range_gate.h"
#include "inject/core/range_names.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/record_walk.h"

namespace syncline::gate_test {
namespace {

constexpr GateWord kMostChanges = (GateWord{1} << 28) - 1;

TEST(GateWord, FieldsDoNotRunIntoEachOther) {
  const GateWord reasons = kGateReasons, stages = kMostStages * kOneStage;
  const GateWord excluded = kMostStages * kOneExcluded, changes = kMostChanges * kOneChange;
  EXPECT_EQ(reasons ^ stages ^ excluded ^ changes, ~GateWord{0});
  EXPECT_EQ(reasons + stages + excluded + changes, ~GateWord{0});
  for (const GateWord one : {reasons, stages, excluded, changes}) {
    EXPECT_EQ(ReasonsOf(one), one == reasons ? 0xff : 0);
    EXPECT_EQ(StagesOf(one), one == stages ? kMostStages : 0);
    EXPECT_EQ(ExcludedOf(one), one == excluded ? kMostStages : 0);
    EXPECT_EQ(ChangesOf(one), one == changes ? kMostChanges : 0);
  }
}

TEST(GateWord, IsOpenWhileThereIsNoReason) {
  EXPECT_TRUE(IsOpen(0));
  EXPECT_TRUE(IsOpen(~kGateReasons));
  for (const GateReason reason :
       {kNoStage, kExcluded, kNoStep, kNotProfiled, kTooEarly, kTooLate, kPaused})
    EXPECT_FALSE(IsOpen(WithReason(0, reason, true))) << int{reason};
}

TEST(GateWord, AReasonComesAndGoesAlone) {
  const GateWord others = ~GateWord{kNoStep};
  EXPECT_EQ(WithReason(others, kNoStep, true), ~GateWord{0});
  EXPECT_EQ(WithReason(~GateWord{0}, kNoStep, false), others);
  EXPECT_EQ(WithReason(others, kNoStep, false), others);
  EXPECT_EQ(WithReason(~GateWord{0}, kNoStep, true), ~GateWord{0});
}

GateChange Set(std::atomic<GateWord>* gate, GateReason reason, bool holds) {
  return ChangeGate(gate, [=](GateWord word) { return WithReason(word, reason, holds); });
}

TEST(ChangeGate, OnlyOpeningsAndClosingsAreCounted) {
  std::atomic<GateWord> gate{kNoStage | kTooEarly};
  EXPECT_FALSE(Set(&gate, kTooEarly, false).Opened()) << "there is no stage yet";
  EXPECT_EQ(ChangesOf(gate), 0u);
  const GateChange opened = Set(&gate, kNoStage, false);
  EXPECT_TRUE(opened.Opened());
  EXPECT_FALSE(opened.Closed());
  EXPECT_EQ(ChangesOf(opened.after), 1u);
  const GateChange same = Set(&gate, kNoStage, false);
  EXPECT_FALSE(same.Opened() || same.Closed());
  EXPECT_EQ(same.before, same.after);
  const GateChange closed = Set(&gate, kExcluded, true);
  EXPECT_TRUE(closed.Closed());
  EXPECT_FALSE(closed.Opened());
  EXPECT_EQ(ReasonsOf(closed.after), kExcluded);
  EXPECT_FALSE(Set(&gate, kTooLate, true).Closed()) << "it is closed already";
  EXPECT_EQ(gate, GateWord{kExcluded} | kTooLate | 2 * kOneChange);
}

TEST(ChangeGate, CountsOfOtherFieldsAreNoChange) {
  std::atomic<GateWord> gate{0};
  ChangeGate(&gate, [](GateWord word) { return word + kOneStage + 3 * kOneExcluded; });
  EXPECT_EQ(gate, kOneStage + 3 * kOneExcluded);
}

TEST(ChangeGate, TheCountWrapsWithoutHarm) {
  std::atomic<GateWord> gate{kMostChanges * kOneChange | 5 * kOneStage};
  EXPECT_TRUE(Set(&gate, kNoStep, true).Closed());
  EXPECT_EQ(gate, 5 * kOneStage | kNoStep);
}

// Each turn changes a reason of its own at random.
void Turn(std::atomic<GateWord>* gate, GateReason reason, unsigned seed, uint64_t* changes) {
  std::minstd_rand random(seed);
  for (int i = 0; i < 20000; ++i) {
    const GateChange done = Set(gate, reason, random() % 2 == 0);
    *changes += done.Opened() || done.Closed();
  }
  const GateChange done = Set(gate, reason, false);
  *changes += done.Opened() || done.Closed();
}

TEST(ChangeGate, OfSeveralThreadsEachChangeIsCountedOnce) {
  std::atomic<GateWord> gate{0};
  uint64_t changes[4] = {};
  constexpr GateReason kReasons[] = {kNoStage, kExcluded, kNoStep, kTooLate};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 4; ++i)
    threads.emplace_back(Turn, &gate, kReasons[i], i + 1, &changes[i]);
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(IsOpen(gate));
  EXPECT_EQ(ChangesOf(gate), changes[0] + changes[1] + changes[2] + changes[3]);
  EXPECT_EQ(ChangesOf(gate) % 2, 0u);
}

// A process with stages and excluded ones. Options are read once: all cases have the same.
class StagesTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    setenv("SYNCLINE_STAGES", "forward", 1);
    setenv("SYNCLINE_EXCLUDE_STAGES", "log", 1);
    PrepareGate(Log().segment, MonotonicNs());
  }
  // Each case leaves all that it enters.
  void SetUp() override {
    test::ResetSession();
    before_ = ChangesOf(Word());
    ASSERT_EQ(StagesOf(Word()) + ExcludedOf(Word()), 0u);
  }
  static ThreadLog& Log() {
    return t_log != nullptr ? *t_log : *AcquireThreadLog(HookKind::kBegins);
  }
  static GateWord Word() { return Log().segment->gate.load(); }

  // By number, counted from the case's begin.
  std::vector<GateRecord> Changes() const {
    std::vector<GateRecord> changes;
    for (const test::ThreadRecords& thread : test::RecordsOfThreads()) {
      EXPECT_TRUE(test::ForEachRecord(thread, [&](const test::RecordView& record) {
        if (record.kind() == RecordKind::kGate) changes.push_back(record.Load<GateRecord>());
      }));
    }
    std::sort(changes.begin(), changes.end(),
              [](const GateRecord& a, const GateRecord& b) { return a.change < b.change; });
    for (GateRecord& change : changes) change.change -= before_;
    return changes;
  }

  uint32_t before_ = 0;
};

TEST_F(StagesTest, AProcessThatWaitsForStagesBeginsClosed) {
  EXPECT_EQ(Log().segment->facts.gate, uint32_t{kIsGated} | kNoStage);
  EXPECT_EQ(ReasonsOf(Word()), kNoStage);
  EXPECT_TRUE(IsClosedFor(Log()));
}

TEST_F(StagesTest, TheOutermostStageOpensAndCloses) {
  EXPECT_EQ(EnterMarked(Log(), kMarkStage, true), kMarkStage);
  EXPECT_FALSE(IsClosedFor(Log()));
  EnterMarked(Log(), kMarkStage, true);
  EXPECT_EQ(StagesOf(Word()), 2u);
  LeaveMarked(Log(), kMarkStage);
  EXPECT_FALSE(IsClosedFor(Log()));
  LeaveMarked(Log(), kMarkStage);
  EXPECT_TRUE(IsClosedFor(Log()));
  const std::vector<GateRecord> changes = Changes();
  ASSERT_EQ(changes.size(), 2u);
  EXPECT_EQ(changes[0].event, GateEvent::kOpened);
  EXPECT_EQ(changes[0].head.flags, 0);
  EXPECT_EQ(changes[0].head.id, Log().tid);
  EXPECT_EQ(changes[0].change, 1u);
  EXPECT_EQ(changes[1].event, GateEvent::kClosed);
  EXPECT_EQ(changes[1].head.flags, kNoStage);
  EXPECT_EQ(changes[1].change, 2u);
  EXPECT_LE(changes[0].ticks, changes[1].ticks);
}

TEST_F(StagesTest, AnExcludedRangeClosesInsideAStage) {
  EnterMarked(Log(), kMarkStage, true);
  EnterMarked(Log(), kMarkExcluded, true);
  EXPECT_EQ(ReasonsOf(Word()), kExcluded);
  LeaveMarked(Log(), kMarkExcluded);
  EXPECT_TRUE(IsOpen(Word()));
  LeaveMarked(Log(), kMarkStage);
  EXPECT_EQ(Changes().size(), 4u);
}

int g_openings;

TEST_F(StagesTest, WhoStaysAwayIsToldOfEachOpening) {
  g_openings = 0;
  EXPECT_TRUE(IsShut());
  WhenOpened([] { g_openings += IsShut() ? 100 : 1; });
  EnterMarked(Log(), kMarkStage, true);
  EnterMarked(Log(), kMarkStage, true);
  EXPECT_EQ(g_openings, 1);
  EXPECT_FALSE(IsShut());
  EnterMarked(Log(), kMarkExcluded, true);
  EXPECT_TRUE(IsShut());
  LeaveMarked(Log(), kMarkExcluded);
  EXPECT_EQ(g_openings, 2);
  // What the consumer opens is told by nobody: until then the gate is not shut.
  std::atomic<GateWord>* gate = &Log().segment->gate;
  LeaveMarked(Log(), kMarkStage);
  LeaveMarked(Log(), kMarkStage);
  ChangeGate(gate, [](GateWord word) { return WithReason(word, kTooEarly, true); });
  EnterMarked(Log(), kMarkStage, true);
  EXPECT_EQ(g_openings, 3);
  EXPECT_FALSE(IsShut());
  LeaveMarked(Log(), kMarkStage);
  ChangeGate(gate, [](GateWord word) { return WithReason(word, kTooEarly, false); });
  EXPECT_EQ(g_openings, 3);
  WhenOpened(nullptr);
}

TEST_F(StagesTest, AnEndWithoutABeginChangesNothing) {
  const GateWord before = Word();
  LeaveMarked(Log(), kMarkStage);
  LeaveMarked(Log(), kMarkExcluded);
  EXPECT_EQ(Word(), before);
  EXPECT_TRUE(Changes().empty());
}

TEST_F(StagesTest, CountsStopAtTheMost) {
  for (const uint8_t mark : {kMarkStage, kMarkExcluded}) {
    const auto count = [&] { return mark == kMarkStage ? StagesOf(Word()) : ExcludedOf(Word()); };
    for (GateWord i = 0; i < kMostStages + 3; ++i) EnterMarked(Log(), mark, true);
    EXPECT_EQ(count(), kMostStages);
    EXPECT_EQ(mark == kMarkStage ? ExcludedOf(Word()) : StagesOf(Word()), 0u);
    for (GateWord i = 0; i < kMostStages + 3; ++i) LeaveMarked(Log(), mark);
    EXPECT_EQ(count(), 0u);
  }
  EXPECT_EQ(ReasonsOf(Word()), kNoStage);
  EXPECT_EQ(Changes().size(), 2u);
}

// Begins and ends in any order; at last all that it began has ended.
void RunStages(ThreadLog& log, unsigned seed) {
  std::minstd_rand random(seed);
  std::vector<uint8_t> open;
  for (int i = 0; i < 2000; ++i) {
    if (open.empty() || random() % 2 == 0) {
      const uint8_t mark = random() % 4 == 0 ? kMarkExcluded : kMarkStage;
      open.push_back(EnterMarked(log, mark, true));
    } else {
      LeaveMarked(log, open.back());
      open.pop_back();
    }
  }
  for (; !open.empty(); open.pop_back()) LeaveMarked(log, open.back());
}

TEST_F(StagesTest, OfSeveralThreadsEachChangeIsToldOnce) {
  std::vector<std::thread> threads;
  for (unsigned seed = 1; seed <= 4; ++seed)
    threads.emplace_back([seed] { RunStages(*AcquireThreadLog(HookKind::kBegins), seed); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(StagesOf(Word()), 0u);
  EXPECT_EQ(ExcludedOf(Word()), 0u);
  EXPECT_EQ(ReasonsOf(Word()), kNoStage);
  const std::vector<GateRecord> changes = Changes();
  ASSERT_EQ(changes.size(), ChangesOf(Word()) - before_);
  ASSERT_NE(changes.size(), 0u);
  for (size_t i = 0; i < changes.size(); ++i) {
    ASSERT_EQ(changes[i].change, i + 1);
    ASSERT_EQ(changes[i].event, i % 2 == 0 ? GateEvent::kOpened : GateEvent::kClosed) << i;
    ASSERT_EQ(changes[i].head.flags == 0, i % 2 == 0) << i;
  }
}

TEST_F(StagesTest, WhatTheGateKeepsOutIsCountedByKind) {
  ThreadLog& log = Log();
  const uint64_t ranges = log.control->gated[kGatedRanges], calls = log.control->gated[kGatedCalls];
  CountGated(log, kGatedRanges);
  CountGated(log, kGatedCalls);
  CountGated(log, kGatedCalls);
  EXPECT_EQ(log.control->gated[kGatedRanges], ranges + 1);
  EXPECT_EQ(log.control->gated[kGatedCalls], calls + 2);
}

TEST_F(StagesTest, AThreadsOwnGateClosesForItAlone) {
  ThreadLog log = {};
  EXPECT_FALSE(IsClosedFor(log, 5 * kOneStage + kOneChange));
  EXPECT_TRUE(IsClosedFor(log, kNoStep));
  log.busy = kOutsideStage;
  EXPECT_TRUE(IsClosedFor(log, 0));
}

}  // namespace
}  // namespace syncline::gate_test
