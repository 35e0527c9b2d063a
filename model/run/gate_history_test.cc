// SPDX-License-Identifier: Apache-2.0
// When a process recorded, from the changes of its gate in any order and with holes; which device
// work belongs to that.
#include "model/run/gate_history.h"

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "model/spool/spool_reader.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline::gate_history_test {
namespace {

using testing::kSource;
using testing::kStartRealtime;
using testing::kStartTicks;
using testing::PlausibleCall;
using testing::PlausibleOp;
using testing::RecordBatch;

constexpr uint64_t kNever = UINT64_MAX;
constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kDevice = 77'000'000'000;  // of the devices' clock, at kStartTicks
constexpr uint32_t kLastNumber = (1 << 28) - 1;
constexpr uint32_t kThread = 42, kOther = 43;

using Windows = std::vector<std::pair<uint64_t, uint64_t>>;

// Times count from the process's start.
class GateHistoryTest : public ::testing::Test {
 protected:
  GateHistoryTest() : process(testing::PlausibleProcess(42)) {
    process.facts.gate = uint32_t{kIsGated} | kNoStage;
    batch.Stream(1, kThread, true);
    other.Stream(2, kOther);
  }

  // A process that waits for nothing, or whose threads wait each for a stage of its own.
  void BeginOpen() { process.facts.gate = kIsGated; }
  void BeginByThread() { process.facts.gate = kIsGated | kStagesOfThreads; }

  void Gate(GateEvent event, uint64_t at, uint32_t change, uint8_t reasons = 0) {
    batch.Gate(event, kStartTicks + at, change, kThread, reasons);
  }
  void Opened(uint64_t at, uint32_t change) { Gate(GateEvent::kOpened, at, change); }
  void Closed(uint64_t at, uint32_t change, uint8_t reasons = kNoStage) {
    Gate(GateEvent::kClosed, at, change, reasons);
  }
  // Of the other thread.
  void OtherGate(GateEvent event, uint64_t at, uint32_t change, uint8_t reasons = 0) {
    other.Gate(event, kStartTicks + at, change, kOther, reasons);
  }
  void Call(uint64_t begin, uint64_t end, uint32_t correlation) {
    batch.Call(
        PlausibleCall(CallRole::kLaunch, 0, kStartTicks + begin, kStartTicks + end, correlation));
  }
  void Clock() { batch.DeviceClock(kStartTicks, kDevice, kStartTicks); }
  static DeviceOpRecord Op(uint64_t begin, uint64_t end, uint32_t correlation = 0) {
    DeviceOpRecord op =
        PlausibleOp(DeviceOpType::kKernel, 7, correlation, kDevice + begin, kDevice + end);
    op.source = kSource;
    return op;
  }

  const GateHistory& Read(uint64_t most_calls = 100) {
    spool.Process(process).Records(1, other).Records(0, batch);
    spool.End(kStartTicks + 1000 * kMs, true, 0);
    SpoolReader reader;
    EXPECT_TRUE(reader.Open(spool.Save(scratch / "s.spool")).ok());
    history = std::make_unique<GateHistory>(most_calls);
    EXPECT_TRUE(reader.Read(history.get()).ok());
    history->Finish();
    return *history;
  }
  static uint64_t Since(uint64_t ticks) { return ticks == kNever ? kNever : ticks - kStartTicks; }
  Windows ReadWindows() {
    Windows windows;
    for (const OpenWindow& window : Read().windows())
      windows.emplace_back(Since(window.begin), Since(window.end));
    return windows;
  }

  testing::Scratch scratch;
  SpoolProcess process;
  RecordBatch batch, other;
  testing::SpoolBuilder spool;
  std::unique_ptr<GateHistory> history;
};

TEST_F(GateHistoryTest, AWindowIsFromAnOpeningToAClosing) {
  Opened(10, 1);
  Closed(20, 2);
  Opened(30, 3);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 20}, {30, kNever}}));
  EXPECT_EQ(history->end_ticks(), kNever);
}

TEST_F(GateHistoryTest, AProcessMayBeginOpen) {
  BeginOpen();
  Closed(20, 1);
  Opened(30, 2);
  Closed(40, 3);
  EXPECT_EQ(ReadWindows(), (Windows{{0, 20}, {30, 40}}));
}

TEST_F(GateHistoryTest, WithoutAChangeItStaysAsItBegan) { EXPECT_EQ(ReadWindows(), Windows()); }

TEST_F(GateHistoryTest, WithoutAChangeAnOpenOneStaysOpen) {
  BeginOpen();
  EXPECT_EQ(ReadWindows(), (Windows{{0, kNever}}));
}

TEST_F(GateHistoryTest, TheConsumersChangesCountToo) {
  process.facts.gate = uint32_t{kIsGated} | kTooEarly;
  SpoolGate gate = {
      testing::PlausibleGate(GateEvent::kClosed, kStartTicks + 20, 2, 0, kTooLate), {1, 2, 3}, 4};
  spool.Gate(gate);
  gate.change = testing::PlausibleGate(GateEvent::kOpened, kStartTicks + 10, 1, 0);
  spool.Gate(gate);
  gate.change = {};
  spool.Gate(gate);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 20}}));
}

// An opening's time is taken before it and a closing's after it.
TEST_F(GateHistoryTest, NumbersTellTheOrderWhereTimesDoNot) {
  Opened(10, 1);
  OtherGate(GateEvent::kClosed, 20, 2, kNoStage);
  Opened(15, 3);
  OtherGate(GateEvent::kClosed, 18, 4, kNoStage);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 20}, {15, 18}}));
}

TEST_F(GateHistoryTest, NumbersWrap) {
  Opened(10, kLastNumber);
  Closed(20, 0);
  Opened(30, 1);
  Closed(40, 2);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 20}, {30, 40}}));
}

TEST_F(GateHistoryTest, NumbersThatWrapTellTheOrder) {
  Opened(10, kLastNumber - 1);
  OtherGate(GateEvent::kClosed, 20, kLastNumber, kNoStage);
  Opened(15, 0);
  OtherGate(GateEvent::kClosed, 18, 1, kNoStage);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 20}, {15, 18}}));
}

TEST_F(GateHistoryTest, ALostClosingMakesAWindowNoLonger) {
  Opened(10, 1);
  Opened(30, 3);
  Closed(40, 4);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 10}, {30, 40}}));
}

TEST_F(GateHistoryTest, TheFirstClosingMayBeLost) {
  BeginOpen();
  Opened(30, 2);
  EXPECT_EQ(ReadWindows(), (Windows{{0, 0}, {30, kNever}}));
}

TEST_F(GateHistoryTest, ALostOpeningIsNoWindow) {
  Opened(10, 1);
  Closed(20, 2);
  Closed(40, 4);
  Opened(50, 5);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 20}, {50, kNever}}));
}

// It was closed and opened again in between, nobody knows when.
TEST_F(GateHistoryTest, AClosingAndAnOpeningMayBothBeLost) {
  Opened(10, 1);
  Closed(40, 4);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 10}}));
}

TEST_F(GateHistoryTest, WithAGateOfItsOwnEachThreadOpensIt) {
  BeginByThread();
  Gate(GateEvent::kThreadOpened, 10, 1);
  OtherGate(GateEvent::kThreadOpened, 20, 2);
  Gate(GateEvent::kThreadClosed, 30, 3);
  OtherGate(GateEvent::kThreadClosed, 40, 4);
  Gate(GateEvent::kThreadOpened, 50, 5);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 40}, {50, kNever}}));
}

TEST_F(GateHistoryTest, TheProcesssGateClosesForAllThreads) {
  process.facts.gate = kIsGated | kStagesOfThreads | kTooEarly;
  Gate(GateEvent::kThreadOpened, 10, 1, kTooEarly);
  Gate(GateEvent::kOpened, 20, 2);
  OtherGate(GateEvent::kThreadOpened, 30, 3);
  Gate(GateEvent::kThreadClosed, 35, 4);
  Gate(GateEvent::kClosed, 40, 5, kTooLate);
  OtherGate(GateEvent::kThreadClosed, 50, 6, kTooLate);
  EXPECT_EQ(ReadWindows(), (Windows{{20, 40}}));
}

TEST_F(GateHistoryTest, ALostClosingOfAThreadMakesAWindowNoLonger) {
  BeginByThread();
  Gate(GateEvent::kThreadOpened, 10, 1);
  OtherGate(GateEvent::kThreadOpened, 30, 3);
  OtherGate(GateEvent::kThreadClosed, 40, 4);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 10}, {30, 40}}));
}

// --exclude-stages alone: all other threads go on.
TEST_F(GateHistoryTest, AThreadThatIsKeptOutClosesForItselfAlone) {
  BeginOpen();
  Gate(GateEvent::kThreadClosed, 10, 1);
  Gate(GateEvent::kThreadOpened, 20, 2);
  Gate(GateEvent::kThreadClosed, 30, 3);
  EXPECT_EQ(ReadWindows(), (Windows{{0, kNever}}));
}

TEST_F(GateHistoryTest, WhereNoThreadOpensItsGateThereIsNoWindow) {
  BeginByThread();
  EXPECT_EQ(ReadWindows(), Windows());
}

TEST_F(GateHistoryTest, TheLastStepsEndIsTheEnd) {
  Opened(10, 1);
  Gate(GateEvent::kStepBegins, 11, 1);
  Gate(GateEvent::kLastStepEnds, 20, 1);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 20}}));
  EXPECT_EQ(history->end_ticks(), kStartTicks + 20);
}

TEST_F(GateHistoryTest, AStepThatFollowsIsTheEndOfTheOneBefore) {
  Opened(10, 1);
  Gate(GateEvent::kLastStepEnds, 20, 1);
  Closed(25, 2, kNoStep);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 25}}));
  EXPECT_EQ(history->end_ticks(), kNever);
}

TEST_F(GateHistoryTest, OnlyTheLastCycleIsCut) {
  Opened(10, 1);
  Gate(GateEvent::kLastStepEnds, 20, 1);
  Closed(25, 2, kNoStep);
  Opened(30, 3);
  Gate(GateEvent::kStepBegins, 31, 3);
  Gate(GateEvent::kLastStepEnds, 40, 3);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 25}, {30, 40}}));
  EXPECT_EQ(history->end_ticks(), kStartTicks + 40);
}

TEST_F(GateHistoryTest, AStepThatIsRecordedIsNotCut) {
  Opened(10, 1);
  Gate(GateEvent::kLastStepEnds, 20, 1);
  Gate(GateEvent::kStepBegins, 31, 3);  // the changes between are lost
  EXPECT_EQ(ReadWindows(), (Windows{{10, kNever}}));
}

// --duration is over, or a stage ends: no step has followed.
TEST_F(GateHistoryTest, TheLastStepsEndHoldsWhateverClosesTheGateThen) {
  Opened(10, 1);
  Gate(GateEvent::kLastStepEnds, 20, 1);
  Closed(30, 2, kTooLate);
  EXPECT_EQ(ReadWindows(), (Windows{{10, 20}}));
  EXPECT_EQ(history->end_ticks(), kStartTicks + 20);
}

TEST_F(GateHistoryTest, WhatBeganClosedWasThereFromTheNextOpeningOn) {
  Opened(10, 1);
  Closed(20, 2);
  Gate(GateEvent::kThreadOpened, 30, 3);
  Gate(GateEvent::kThreadClosed, 40, 4);
  const GateHistory& gate = Read();
  EXPECT_EQ(gate.OpenedAfter(0), kStartTicks + 10);
  EXPECT_EQ(gate.OpenedAfter(1), kStartTicks + 30);
  EXPECT_EQ(gate.OpenedAfter(2), kStartTicks + 30);
  EXPECT_EQ(gate.OpenedAfter(3), 0u);
  EXPECT_EQ(gate.OpenedAfter(1'000'000), 0u);
}

TEST_F(GateHistoryTest, WhatBeganClosedBeforeNumbersWrapped) {
  Opened(10, kLastNumber);
  Closed(20, 0);
  Opened(30, 1);
  const GateHistory& gate = Read();
  EXPECT_EQ(gate.OpenedAfter(kLastNumber - 1), kStartTicks + 10);
  EXPECT_EQ(gate.OpenedAfter(kLastNumber), kStartTicks + 30);
  EXPECT_EQ(gate.OpenedAfter(0), kStartTicks + 30);
  EXPECT_EQ(gate.OpenedAfter(1), 0u);
}

TEST_F(GateHistoryTest, WorkIsRecordedIfItsCallIs) {
  Call(10, 20, 5);
  Call(30, 40, 7);
  const GateHistory& gate = Read();
  EXPECT_TRUE(gate.IsRecorded(kSource, 5));
  EXPECT_TRUE(gate.IsRecorded(kSource, 7));
  EXPECT_FALSE(gate.IsRecorded(kSource, 6));
  EXPECT_FALSE(gate.IsRecorded(kSource, 0));
  EXPECT_FALSE(gate.IsRecorded(kSource, UINT32_MAX));
  EXPECT_FALSE(gate.IsRecorded(kSource + 1, 5)) << "another source's";
  EXPECT_TRUE(gate.IsRecorded(Op(0, 1, 7)));
  EXPECT_FALSE(gate.IsRecorded(Op(10, 11, 6)));
}

TEST_F(GateHistoryTest, ACallThatDidNotReturnCounts) {
  CallRecord call = PlausibleCall(CallRole::kLaunch, 0, kStartTicks + 10, 0, 5);
  call.head = {static_cast<uint8_t>(RecordKind::kCall), 0, 1, 0};
  spool.Process(process).Records(0, batch).OpenCall(0, 1, kThread, call);
  EXPECT_TRUE(Read().IsRecorded(kSource, 5));
}

TEST_F(GateHistoryTest, WorkOfACallAfterTheLastStepIsNotAskedFor) {
  Opened(1, 1);
  Gate(GateEvent::kLastStepEnds, 20, 1);
  Call(19, 30, 5);
  Call(20, 30, 6);
  Call(21, 22, 7);  // inside the next one
  Call(18, 23, 7);
  const GateHistory& gate = Read();
  EXPECT_TRUE(gate.IsRecorded(kSource, 5));
  EXPECT_FALSE(gate.IsRecorded(kSource, 6));
  EXPECT_TRUE(gate.IsRecorded(kSource, 7)) << "the outer one decides";
}

TEST_F(GateHistoryTest, WithTooManyCallsAllWorkCountsAsRecorded) {
  Call(10, 20, 5);
  Call(30, 40, 6);
  EXPECT_FALSE(Read(2).IsRecorded(kSource, 9));
}

TEST_F(GateHistoryTest, OneCallMoreIsTooMany) {
  Call(10, 20, 5);
  Call(30, 40, 6);
  Call(50, 60, 7);
  EXPECT_TRUE(Read(2).IsRecorded(kSource, 9));
  EXPECT_TRUE(history->IsRecorded(Op(1, 2, 9)));
}

TEST_F(GateHistoryTest, WithoutCallsTheTimeDecides) {
  Clock();
  Opened(10 * kMs, 1);
  Closed(20 * kMs, 2);
  const GateHistory& gate = Read();
  EXPECT_TRUE(gate.IsRecorded(Op(10 * kMs, 30 * kMs)));
  EXPECT_TRUE(gate.IsRecorded(Op(20 * kMs - 1, 30 * kMs)));
  EXPECT_FALSE(gate.IsRecorded(Op(20 * kMs, 30 * kMs)));
  EXPECT_FALSE(gate.IsRecorded(Op(10 * kMs - 1, 30 * kMs)));
}

TEST_F(GateHistoryTest, CallsThatTheProcessLeftOutAreCallsToo) {
  Clock();
  Opened(10 * kMs, 1);
  spool.Process(process).Gate({{}, {0, 1, 0}, 0});
  EXPECT_FALSE(Read().IsRecorded(Op(15 * kMs, 16 * kMs)));
}

TEST_F(GateHistoryTest, WorkIsNearAMillisecondBefore) {
  Clock();
  Opened(10 * kMs, 1);
  Closed(20 * kMs, 2);
  const GateHistory& gate = Read();
  EXPECT_TRUE(gate.IsNear(Op(1 * kMs, 9 * kMs)));
  EXPECT_FALSE(gate.IsNear(Op(1 * kMs, 9 * kMs - 1)));
  EXPECT_TRUE(gate.IsNear(Op(1 * kMs, 90 * kMs)));
  EXPECT_TRUE(gate.IsNear(Op(20 * kMs - 1, 90 * kMs)));
  EXPECT_FALSE(gate.IsNear(Op(20 * kMs, 90 * kMs)));
  DeviceOpRecord other_source = Op(12 * kMs, 13 * kMs);
  other_source.source = kSource + 1;
  EXPECT_FALSE(gate.IsNear(other_source));
}

TEST_F(GateHistoryTest, WithoutAClockNothingIsNear) {
  BeginOpen();
  Call(10, 20, 5);
  EXPECT_FALSE(Read().IsNear(Op(10, 20)));
}

TEST_F(GateHistoryTest, RangesThatWereNotRecordedHaveNames) {
  batch.Name(1, "forward").Name(2, "cudaLaunchKernel", 211).Name(3, "_Z4gemmPfi");
  DeviceOpRecord op = Op(1, 2, 5);
  op.head.id = 3;
  batch.DeviceOp(op);
  other.Name(1, "load").Name(2, "forward");
  EXPECT_EQ(Read().range_names(), (std::set<std::string>{"forward", "load"}));
}

// Pairs of begin and end, from the process's start.
Windows ClosedBetween(const GateHistory& gate, uint64_t begin, uint64_t end) {
  const SpoolProcess process = testing::PlausibleProcess(42);
  Timeline line;
  line.Build(process, {}, process.consumer_start);
  Windows times;
  for (const CoverageGap& gap :
       ClosedTimes(gate, &line, kStartRealtime + begin, kStartRealtime + end))
    times.emplace_back(gap.begin_ns - kStartRealtime, gap.end_ns - kStartRealtime);
  return times;
}

TEST_F(GateHistoryTest, BetweenTheWindowsNothingWasRecorded) {
  Opened(10, 1);
  Closed(20, 2);
  Opened(30, 3);
  Closed(40, 4);
  const GateHistory& gate = Read();
  EXPECT_EQ(ClosedBetween(gate, 5, 50), (Windows{{5, 10}, {20, 30}, {40, 50}}));
}

TEST_F(GateHistoryTest, AWindowMayReachToTheEnd) {
  Opened(10, 1);
  Closed(20, 2);
  Opened(30, 3);
  EXPECT_EQ(ClosedBetween(Read(), 0, 50), (Windows{{0, 10}, {20, 30}}));
}

// Changes of two threads at about one time.
TEST_F(GateHistoryTest, WhereWindowsOverlapNothingIsClosed) {
  Opened(10, 1);
  OtherGate(GateEvent::kClosed, 20, 2, kNoStage);
  Opened(15, 3);
  OtherGate(GateEvent::kClosed, 18, 4, kNoStage);
  EXPECT_EQ(ClosedBetween(Read(), 0, 50), (Windows{{0, 10}, {20, 50}}));
}

TEST_F(GateHistoryTest, OnlyTimesOfALifeAreClosed) {
  BeginOpen();
  Closed(20, 1);
  Opened(60, 2);
  EXPECT_EQ(ClosedBetween(Read(), 0, 50), (Windows{{20, 50}}));
}

TEST_F(GateHistoryTest, WithoutAWindowAllOfALifeIsClosed) {
  EXPECT_EQ(ClosedBetween(Read(), 5, 50), (Windows{{5, 50}}));
}

TEST_F(GateHistoryTest, AnythingMayStandInARecord) {
  std::mt19937_64 random(1);
  const uint64_t ticks[] = {0, 1, kStartTicks, kStartTicks + 5, kNever - 1, kNever};
  const uint32_t numbers[] = {0, 1, 2, kLastNumber, 1u << 27, (1u << 27) + 1, UINT32_MAX};
  for (int round = 0; round < 500; ++round) {
    GateHistory gate(10);
    process.facts.gate = static_cast<uint32_t>(random());
    gate.OnProcess(process);
    for (int i = 0; i < 20; ++i) {
      gate.OnGate(testing::PlausibleGate(
          static_cast<GateEvent>(random() % 8), ticks[random() % std::size(ticks)],
          numbers[random() % std::size(numbers)], static_cast<uint32_t>(random() % 3),
          static_cast<uint8_t>(random() % 3), UINT32_MAX));
    }
    gate.Finish();
    for (const OpenWindow& window : gate.windows()) ASSERT_LE(window.begin, window.end);
    for (const uint32_t number : numbers) gate.OpenedAfter(number);
    gate.OpenedAfter(kNever);
    EXPECT_FALSE(gate.IsNear(Op(0, 0)));
  }
}

// Four steps of 10 us that are recorded, with two calls each, and then some that are not.
struct RecordedSteps : GateHistoryTest {
  RecordedSteps() {
    process.facts.gate = uint32_t{kIsGated} | kNoStep;
    Opened(10'000, 1);
    for (uint32_t step = 1; step <= 4; ++step) {
      const uint64_t begin = 10'000u * step;
      Step(GateEvent::kStepBegins, begin, step);
      Call(begin + 1000, begin + 2000, 2 * step);
      Call(begin + 3000, begin + 4000, 2 * step + 1);
    }
    Closed(50'000, 2, kNoStep);
  }
  void Step(GateEvent event, uint64_t at, uint32_t number) {
    batch.Gate(event, kStartTicks + at, 2, kThread, 0, number);
  }
  void BareSteps(uint32_t count, uint64_t length) {
    for (uint32_t i = 0; i <= count; ++i)
      Step(GateEvent::kBareStepBegins, 100'000 + i * length, 10 + i);
  }
  RecordingCost Cost() {
    Timeline line;
    line.Build(process, {}, process.consumer_start);
    return Read().CostOfRecording(&line);
  }
};

TEST_F(RecordedSteps, CostWhatTheyTakeLonger) {
  BareSteps(3, 6000);
  const RecordingCost cost = Cost();
  EXPECT_EQ(cost, (RecordingCost{0, 4, 10'000, 3, 6000, 8, true}));
  EXPECT_EQ(cost.CallsOfStep(), 2u);
  EXPECT_EQ(cost.CallNs(), 2000u);
}

TEST_F(RecordedSteps, AreComparedWithThreeAtLeast) {
  BareSteps(2, 6000);
  EXPECT_EQ(Cost(), RecordingCost());
}

TEST_F(RecordedSteps, ThatAreNoLongerCostNothing) {
  BareSteps(5, 10'000);
  const RecordingCost cost = Cost();
  EXPECT_EQ(cost.bare, 5u);
  EXPECT_EQ(cost.CallNs(), 0u);
}

TEST_F(RecordedSteps, ThatAreLongerWithinTheScatterCostNothing) {
  const uint64_t begins[] = {0, 6000, 12'000, 18'000, 30'000, 42'000, 54'000};
  for (uint32_t i = 0; i < 7; ++i) Step(GateEvent::kBareStepBegins, 100'000 + begins[i], 10 + i);
  const RecordingCost cost = Cost();
  EXPECT_EQ(cost.bare_ns, 6000u);
  EXPECT_EQ(cost.CallNs(), 0u);
}

// A step between the two is not known: where it was left out (the ring was full), nobody knows when
// the one before it ended.
TEST_F(RecordedSteps, OnlyStepsWhoseNextOneIsKnownCount) {
  BareSteps(3, 6000);
  Step(GateEvent::kBareStepBegins, 200'000, 20);
  EXPECT_EQ(Cost().bare, 3u);
}

TEST_F(RecordedSteps, TheFirstOfAProcessDoesNotCount) {
  Step(GateEvent::kStepBegins, 9000, 0);
  BareSteps(3, 6000);
  EXPECT_EQ(Cost().recorded, 4u);
}

TEST_F(RecordedSteps, ThatWereRecordedInPartDoNotCount) {
  BareSteps(3, 6000);
  Gate(GateEvent::kClosed, 25'000, 2, kTooLate);
  EXPECT_EQ(Cost(), RecordingCost()) << "one is whole";
}

}  // namespace
}  // namespace syncline::gate_history_test
