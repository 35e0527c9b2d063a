// SPDX-License-Identifier: Apache-2.0
// What a sink gets of a process with a gate, what it is only told of, and what is left out.
#include "model/run/gate_filter.h"

#include <gtest/gtest.h>

#include <string>

#include "inject/core/domain_marks.h"
#include "model/spool/spool_reader.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline::gate_filter_test {
namespace {

using testing::kStartTicks;
using testing::PlausibleCall;
using testing::PlausibleOp;
using testing::RecordBatch;

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kDevice = 77'000'000'000;  // of the devices' clock, at kStartTicks
constexpr uint32_t kThread = 42, kOther = 43;

using Lines = std::vector<std::string>;

// What it was called for, as text: times in ms from the process's start.
class Seen : public RecordSink {
 public:
  void OnGate(const GateRecord&) override { ++changes; }
  void OnGated(const SpoolGate& counts) override { steps = counts.steps; }
  void OnRange(const RangeEvent& event) override { Add("range", event); }
  void OnRangeStart(const RangeEvent& event) override { AddHalf("start", event.record); }
  void OnRangeEnd(const RangeEvent& event) override { AddHalf("end", event.record); }
  void OnMark(const RangeEvent& event) override { Add("mark", event); }
  void OnOpenRange(const RangeEvent& event) override { Add("open", event); }
  void OnRangeAround(const RangeEvent& event) override {
    EXPECT_EQ(event.attributes, nullptr);
    EXPECT_EQ(event.payloads, nullptr);
    Add("around", event);
  }
  void OnOperator(const RangeEvent& event) override { Add("operator", event); }
  void OnOpenOperator(const RangeEvent& event) override { Add("open operator", event); }
  void OnModule(const RangeEvent& event) override { Add("module", event); }
  void OnOpenModule(const RangeEvent& event) override { Add("open module", event); }
  void OnCall(Stream&, const CallRecord& call) override { AddCall("call", call); }
  void OnOpenCall(Stream&, const CallRecord& call) override { AddCall("open call", call); }
  void OnDeviceOp(Stream&, const DeviceOpRecord& op, const KernelDetails* kernel) override {
    lines.push_back(Outside(op.head.flags) + "op " + std::to_string(op.correlation) +
                    (kernel != nullptr ? " kernel" : ""));
  }
  void OnDeviceEvent(Stream&, const DeviceEventRecord& note) override {
    lines.push_back(Outside(note.head.flags) + "note " + std::to_string(int(note.type)) + " of " +
                    std::to_string(note.correlation));
  }

  Lines lines;
  int changes = 0;
  uint64_t steps = 0;

 private:
  static std::string Outside(uint8_t flags) { return (flags & kOpOutside) != 0 ? "outside " : ""; }
  static std::string At(uint64_t ticks) {
    return ticks == 0 ? "0" : std::to_string((ticks - kStartTicks) / kMs);
  }
  void Add(const char* what, const RangeEvent& event) {
    const std::string_view* name = event.stream.Name(event.record.head.id);
    lines.push_back(std::string(what) + " " + std::string(name == nullptr ? "?" : *name) + " " +
                    At(event.record.begin) + "-" + At(event.record.end));
  }
  void AddHalf(const char* what, const RangeRecord& record) {
    lines.push_back(std::string(what) + " " + std::to_string(record.end) + " " + At(record.begin));
  }
  void AddCall(const char* what, const CallRecord& call) {
    lines.push_back(std::string(what) + " " + std::to_string(call.correlation) + " " +
                    At(call.begin));
  }
};

OpenRange Open(uint32_t name, uint64_t begin, uint8_t flags) {
  OpenRange range{};
  range.name = name;
  range.begin = begin;
  range.flags = flags;
  return range;
}

// Times are ms from the process's start.
class GateFilterTest : public ::testing::Test {
 protected:
  GateFilterTest() : process(testing::PlausibleProcess(42)) {
    process.facts.gate = uint32_t{kIsGated} | kNoStage;
    batch.Stream(1, kThread, true).Name(1, "epoch").Name(2, "step");
    batch.DeviceClock(kStartTicks, kDevice, kStartTicks);
    other.Stream(2, kOther);
    tail.SkipSequence().SkipSequence().SkipSequence();  // the blocks before it
  }

  static uint64_t Ticks(uint64_t ms) { return kStartTicks + ms * kMs; }
  void Gate(GateEvent event, uint64_t at, uint32_t change, uint8_t reasons = 0) {
    batch.Gate(event, Ticks(at), change, kThread, reasons);
  }
  // Open from 10 to 20 and from 30 on, up to the last step's end at 40.
  void TwoWindows() {
    Gate(GateEvent::kOpened, 10, 1);
    Gate(GateEvent::kClosed, 20, 2, kNoStep);
    Gate(GateEvent::kOpened, 30, 3);
    Gate(GateEvent::kLastStepEnds, 40, 3);
  }
  // Begun when the gate had changed so often.
  void BegunClosed(uint64_t changes, uint64_t end, uint16_t depth = 0) {
    batch.Raw(RecordKind::kRange, 1, changes, Ticks(end), 0, 0, kBegunClosed, nullptr, depth);
  }
  void Call(uint64_t begin, uint64_t end, uint32_t correlation) {
    batch.Call(PlausibleCall(CallRole::kLaunch, 0, Ticks(begin), Ticks(end), correlation));
  }
  static DeviceOpRecord Op(uint64_t begin, uint64_t end, uint32_t correlation) {
    return PlausibleOp(DeviceOpType::kKernel, 7, correlation, kDevice + begin * kMs,
                       kDevice + end * kMs);
  }
  void Note(DeviceEventType type, uint32_t correlation, uint8_t detail = 0) {
    DeviceEventRecord note{};
    note.type = type;
    note.detail = detail;
    note.correlation = correlation;
    batch.DeviceEvent(note);
  }
  void Sync(DeviceSyncKind kind, uint32_t correlation) {
    Note(DeviceEventType::kSync, correlation, static_cast<uint8_t>(kind));
  }

  Lines Read(uint64_t most_calls = 100) {
    testing::SpoolBuilder spool;
    spool.Process(process).Records(0, batch).Records(1, other);
    spool.bytes() += tail.bytes();
    SpoolReader reader;
    EXPECT_TRUE(reader.Open(spool.Save(scratch / "s.spool")).ok());
    GateHistory history(most_calls);
    EXPECT_TRUE(reader.Read(&history).ok());
    history.Finish();
    GateFilter filter(history, &seen);
    EXPECT_EQ(filter.Interests(), seen.Interests());
    EXPECT_TRUE(reader.Read(&filter).ok());
    left_out = filter.left_out();
    return seen.lines;
  }

  testing::Scratch scratch;
  SpoolProcess process;
  RecordBatch batch, other;
  testing::SpoolBuilder tail;  // blocks behind the records
  Seen seen;
  GatedCounts left_out{};
};

TEST_F(GateFilterTest, WhatWasRecordedGoesOn) {
  TwoWindows();
  batch.Range(2, Ticks(11), Ticks(12)).Mark(2, Ticks(13));
  batch.Start(2, Ticks(14), 7).End(Ticks(15), 7);
  Call(16, 17, 5);
  tail.Gate({{}, {1, 2, 3}, 4});
  EXPECT_EQ(Read(),
            (Lines{"range step 11-12", "mark step 13-13", "start 7 14", "end 7 15", "call 5 16"}));
  EXPECT_EQ(left_out, GatedCounts());
  EXPECT_EQ(seen.changes, 4);
  EXPECT_EQ(seen.steps, 4u);
}

TEST_F(GateFilterTest, ARangeThatBeganClosedIsOnlyAround) {
  TwoWindows();
  BegunClosed(0, 15);
  BegunClosed(2, 35);
  EXPECT_EQ(Read(), (Lines{"around epoch 10-15", "around epoch 30-35"}));
  EXPECT_EQ(left_out, GatedCounts()) << "the process has counted it";
}

TEST_F(GateFilterTest, OperatorsAndModulesThatBeganClosedAreAroundNothing) {
  constexpr uint16_t kOperators = 5, kModules = 6;
  TwoWindows();
  batch.Text(RecordKind::kDomain, kOperators, 55, "ops", kDomainOfOperators, 1)
      .Text(RecordKind::kDomain, kModules, 66, "modules", kDomainOfModules, 1);
  for (const uint16_t domain : {kOperators, kModules}) {
    batch.Raw(RecordKind::kRange, 1, 0, Ticks(15), domain, 0, kBegunClosed, nullptr);
    batch.Range(2, Ticks(11), Ticks(12), domain).Range(2, Ticks(41), Ticks(42), domain);
  }
  OpenRange ranges[] = {Open(1, 2, kBegunClosed), Open(2, Ticks(35), 0)};
  ranges[0].domain = ranges[1].domain = kModules;
  tail.Open(0, 1, kThread, ranges);
  EXPECT_EQ(Read(), (Lines{"operator step 11-12", "module step 11-12", "open module step 35-0"}));
  EXPECT_EQ(left_out[kGatedRanges], 2u) << "begun after the last step";
}

TEST_F(GateFilterTest, WhereTheGateNeverOpenedNothingIsAround) {
  TwoWindows();
  BegunClosed(3, 45);
  BegunClosed(0, 9);  // ended before the opening
  EXPECT_EQ(Read(), Lines());
}

TEST_F(GateFilterTest, ARangeThatNeverEndedMayBeAroundToo) {
  TwoWindows();
  const OpenRange ranges[] = {Open(1, 2, kBegunClosed | kIsMarked), Open(1, 3, kBegunClosed),
                              Open(2, Ticks(35), kIsMarked), Open(2, Ticks(41), 0)};
  tail.Open(0, 1, kThread, ranges);
  EXPECT_EQ(Read(), (Lines{"open step 35-0", "around epoch 30-0"}));
  EXPECT_EQ(left_out[kGatedRanges], 1u) << "begun after the last step";
}

// Both begun at one change and of one name: the inner one's end is not the outer one's.
TEST_F(GateFilterTest, AnOpenRangeAroundOneOfItsNameStays) {
  TwoWindows();
  BegunClosed(2, 35, 1);
  const OpenRange ranges[] = {Open(1, 2, kBegunClosed)};
  tail.Open(0, 1, kThread, ranges);
  EXPECT_EQ(Read(), (Lines{"around epoch 30-35", "around epoch 30-0"}));
}

TEST_F(GateFilterTest, WhatBeganAfterTheLastStepIsLeftOutAndCounted) {
  TwoWindows();
  batch.Range(2, Ticks(39), Ticks(50)).Range(2, Ticks(40), Ticks(50));
  batch.Range(1, Ticks(45), Ticks(46)).Mark(2, Ticks(39)).Mark(2, Ticks(41));
  Call(39, 50, 5);
  Call(40, 50, 6);
  CallRecord call = PlausibleCall(CallRole::kLaunch, 0, Ticks(55), 0, 8);
  call.head = {static_cast<uint8_t>(RecordKind::kCall), 0, 1, 0};
  tail.OpenCall(0, 1, kThread, call);
  EXPECT_EQ(Read(), (Lines{"range step 39-50", "mark step 39-39", "call 5 39"}));
  EXPECT_EQ(left_out[kGatedRanges], 3u);
  EXPECT_EQ(left_out[kGatedCalls], 2u);
  EXPECT_EQ(left_out[kGatedDeviceOps], 0u);
}

TEST_F(GateFilterTest, ARangeIsLeftOutWithBothItsEnds) {
  TwoWindows();
  batch.Start(2, Ticks(41), 7).Start(2, Ticks(39), 8).Start(2, Ticks(42), 9);
  other.End(Ticks(50), 7).End(Ticks(51), 8).End(Ticks(52), 9).End(Ticks(53), 10);
  EXPECT_EQ(Read(), (Lines{"start 8 39", "end 8 51", "end 10 53"}));
  EXPECT_EQ(left_out[kGatedRanges], 2u);
}

TEST_F(GateFilterTest, WorkGoesWithItsCall) {
  TwoWindows();
  const KernelDetails kernel = testing::PlausibleKernel();
  Call(11, 12, 5);
  Call(41, 42, 7);  // after the last step
  batch.DeviceOp(Op(12, 14, 5), &kernel)
      .DeviceOp(Op(15, 16, 6), &kernel)
      .DeviceOp(Op(25, 26, 6), &kernel)
      .DeviceOp(Op(35, 36, 0))
      .DeviceOp(Op(39, 44, 7))
      .DeviceOp(Op(50, 60, 5))
      .DeviceOp(Op(45, 46, 7));
  EXPECT_EQ(Read(), (Lines{"call 5 11", "op 5 kernel", "outside op 6 kernel", "outside op 0",
                           "outside op 7", "op 5"}));
  EXPECT_EQ(left_out, (GatedCounts{0, 1, 2}));
}

TEST_F(GateFilterTest, WithTooManyCallsWorkGoesOn) {
  TwoWindows();
  Call(11, 12, 5);
  Call(13, 14, 6);
  batch.DeviceOp(Op(50, 60, 9));
  EXPECT_EQ(Read(1), (Lines{"call 5 11", "call 6 13", "op 9"}));
}

TEST_F(GateFilterTest, WhatTellsOfACallGoesWithIt) {
  TwoWindows();
  Call(11, 12, 5);
  for (const uint32_t correlation : {5u, 6u, 0u}) {
    Sync(DeviceSyncKind::kContext, correlation);
    Note(DeviceEventType::kOverhead, correlation);
  }
  EXPECT_EQ(Read(), (Lines{"call 5 11", "note 1 of 5", "note 3 of 5", "outside note 3 of 6",
                           "note 1 of 0", "note 3 of 0"}));
}

TEST_F(GateFilterTest, ThatAStreamWaitsForAnEventStays) {
  TwoWindows();
  Call(11, 12, 5);
  Sync(DeviceSyncKind::kStreamWaitEvent, 5);
  Sync(DeviceSyncKind::kStreamWaitEvent, 6);
  Note(DeviceEventType::kOverhead, 6, static_cast<uint8_t>(DeviceSyncKind::kStreamWaitEvent));
  EXPECT_EQ(Read(),
            (Lines{"call 5 11", "note 1 of 5", "outside note 1 of 6", "outside note 3 of 6"}));
}

TEST_F(GateFilterTest, WhatLastsStays) {
  TwoWindows();
  const DeviceEventType types[] = {DeviceEventType::kEvent,        DeviceEventType::kStream,
                                   DeviceEventType::kContext,      DeviceEventType::kAllocation,
                                   DeviceEventType::kStreamHandle, DeviceEventType::kContextHandle,
                                   DeviceEventType::kSettings,     DeviceEventType::kDeviceAddress};
  for (const DeviceEventType type : types) Note(type, 6);
  EXPECT_EQ(Read(), (Lines{"note 2 of 6", "note 4 of 6", "note 5 of 6", "note 6 of 6",
                           "note 7 of 6", "note 8 of 6", "note 9 of 6", "note 11 of 6"}));
}

TEST_F(GateFilterTest, WithoutALastStepNothingIsCut) {
  process.facts.gate = kIsGated;
  batch.Range(2, Ticks(400), UINT64_MAX).Mark(2, Ticks(500));
  Call(600, 700, 5);
  EXPECT_EQ(Read().size(), 3u);
  EXPECT_EQ(left_out, GatedCounts());
}

TEST_F(GateFilterTest, AnyTimesAndNumbersMayStandInARecord) {
  batch.Gate(GateEvent::kOpened, UINT64_MAX, UINT32_MAX, UINT32_MAX, 0xff)
      .Gate(GateEvent::kClosed, 0, 0, 0)
      .Gate(GateEvent::kLastStepEnds, UINT64_MAX, 1u << 27, 0, 0, UINT32_MAX);
  for (const uint64_t begin : {uint64_t{0}, uint64_t{1} << 63, UINT64_MAX})
    batch.Raw(RecordKind::kRange, 1, begin, UINT64_MAX, 0, 0, kBegunClosed, nullptr);
  DeviceOpRecord op = Op(0, 0, 6);
  op.begin = 0;
  op.end = UINT64_MAX;
  batch.DeviceOp(op).Mark(2, UINT64_MAX);
  Read();
  EXPECT_EQ(seen.changes, 3);
  EXPECT_LE(left_out[kGatedRanges] + left_out[kGatedDeviceOps], 5u);
}

TEST_F(GateFilterTest, AChangeOfNoKindIsDamaged) {
  batch.Gate(static_cast<GateEvent>(0), Ticks(1), 1, kThread)
      .Gate(static_cast<GateEvent>(8), Ticks(1), 1, kThread);
  BegunClosed(0, 15);
  EXPECT_EQ(Read(), Lines());
  EXPECT_EQ(seen.changes, 0);
}

}  // namespace
}  // namespace syncline::gate_filter_test
