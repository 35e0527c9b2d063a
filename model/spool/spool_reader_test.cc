// SPDX-License-Identifier: Apache-2.0
// The reader on good, damaged, cut and foreign spools.
#include "model/spool/spool_reader.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "inject/core/crc32c.h"
#include "inject/core/domain_marks.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

using testing::kStartTicks;
using testing::PlausibleOp;
using testing::PlausibleProcess;
using testing::RecordBatch;
using testing::Scratch;
using testing::SpoolBuilder;

// Writes down what it is called with.
class Listener : public RecordSink {
 public:
  void OnProcess(const SpoolProcess& process) override {
    Add("process " + std::to_string(process.outer_pid));
  }
  void OnAnchors(std::span<const Anchor> anchors) override {
    Add("anchors " + std::to_string(anchors.size()));
  }
  void OnCounters(const SpoolCounters& counters) override {
    Add("lost " + std::to_string(counters.losses[0]));
  }
  void OnLog(std::string_view text) override { Add("log " + std::string(text)); }
  void OnEnd(const SpoolEnd& end) override { Add("end " + std::to_string(end.wait_status)); }
  void OnStream(Stream& stream, const StreamRecord& record) override {
    Add("stream " + std::to_string(stream.id()) + " part " + std::to_string(record.part));
  }
  unsigned Interests() const override { return interests; }
  void OnRange(const RangeEvent& event) override { Add("range " + Describe(event)); }
  void OnRangeStart(const RangeEvent& event) override { Add("start " + Describe(event)); }
  void OnRangeEnd(const RangeEvent& event) override {
    Add("finish " + std::to_string(event.record.end));
  }
  void OnMark(const RangeEvent& event) override { Add("mark " + Describe(event)); }
  void OnOpenRange(const RangeEvent& event) override { Add("open " + Describe(event)); }
  void OnOperator(const RangeEvent& event) override { Add("operator " + Describe(event)); }
  void OnOpenOperator(const RangeEvent& event) override { Add("open operator " + Describe(event)); }
  void OnCall(Stream&, const CallRecord& call) override {
    Add("call " + std::to_string(call.correlation));
  }
  void OnOpenCall(Stream& stream, const CallRecord& call) override {
    const std::string_view* name = stream.Name(call.head.id);
    Add("open call " + std::to_string(call.correlation) + " " +
        (name == nullptr ? "(lost)" : std::string(*name)));
  }
  void OnDeviceOp(Stream&, const DeviceOpRecord& op, const KernelDetails* kernel) override {
    Add("op " + std::to_string(op.correlation) + (kernel != nullptr ? " kernel" : ""));
  }
  void OnDeviceClock(Stream&, const DeviceClockRecord& reading) override {
    Add("clock " + std::to_string(reading.device_ns));
  }
  void OnDevice(Source, uint64_t device, const DeviceFacts& facts, std::string_view name) override {
    Add("device " + std::to_string(device) + " " + std::to_string(facts.multiprocessors) + " " +
        std::string(name));
  }
  void OnThreadName(uint32_t tid, std::string_view name) override {
    Add("thread " + std::to_string(tid) + " " + std::string(name));
  }
  void OnCategory(uint64_t domain, uint32_t category, std::string_view name) override {
    Add("category " + std::to_string(domain) + "/" + std::to_string(category) + " " +
        std::string(name));
  }

  size_t Count(const std::string& prefix) const {
    return static_cast<size_t>(std::count_if(lines.begin(), lines.end(),
                                             [&](const auto& l) { return l.starts_with(prefix); }));
  }
  std::vector<std::string> lines;
  unsigned interests = RecordSink::Interests();

 private:
  void Add(std::string line) { lines.push_back(std::move(line)); }
  static std::string Describe(const RangeEvent& event) {
    const std::string_view* name = event.stream.Name(event.record.head.id);
    std::string text = name == nullptr ? "?" : std::string(*name);
    if (event.payloads != nullptr) text += " payloads " + std::to_string(event.payloads->size());
    if (event.stream.uncertain()) text += " uncertain";
    return text;
  }
};

class SpoolReaderTest : public ::testing::Test {
 protected:
  Status Read(const SpoolBuilder& spool) {
    listener = Listener();
    reader = std::make_unique<SpoolReader>();
    Status status = reader->Open(spool.Save(scratch / "a.spool"));
    return status.ok() ? reader->Read(&listener) : status;
  }

  Scratch scratch;
  std::unique_ptr<SpoolReader> reader;
  Listener listener;
};

RecordBatch TwoRanges() {
  RecordBatch batch;
  batch.Stream(1, 4210, true).Name(1, "outer").Name(2, "inner");
  batch.Range(2, kStartTicks + 10, kStartTicks + 20).Range(1, kStartTicks, kStartTicks + 30);
  return batch;
}

TEST(Crc32c, KnownValuesBothWays) {
  EXPECT_EQ(Crc32c(0, "123456789", 9), 0xe3069283u);
  EXPECT_EQ(Crc32cByTable(0, "123456789", 9), 0xe3069283u);
  std::string bytes;
  for (int i = 0; i < 1000; ++i) bytes.push_back(static_cast<char>(i * 7 + i / 13));
  for (size_t length = 0; length < bytes.size(); length += 17) {
    EXPECT_EQ(Crc32c(5, bytes.data() + 3, length - std::min<size_t>(length, 3)),
              Crc32cByTable(5, bytes.data() + 3, length - std::min<size_t>(length, 3)));
  }
  EXPECT_EQ(Crc32c(Crc32c(0, bytes.data(), 333), bytes.data() + 333, 667),
            Crc32c(0, bytes.data(), 1000));
}

TEST_F(SpoolReaderTest, HandsOverEverything) {
  RecordBatch batch = TwoRanges();
  batch.Domain(1, 9, "NCCL").Text(RecordKind::kCategory, 1, 3, "collective", 1);
  batch.Text(RecordKind::kThreadName, 99, 0, "loader").Pad(3).Mark(1, kStartTicks + 40);
  batch.Start(2, kStartTicks + 50, 77).End(kStartTicks + 60, 77).StreamEnd(1, 4210);
  const Anchor anchors[2] = {testing::PlausibleAnchor(kStartTicks + 1),
                             testing::PlausibleAnchor(kStartTicks + 2)};
  SpoolCounters counters{};
  counters.losses[0] = 12;
  SpoolBuilder spool;
  spool.Process(PlausibleProcess())
      .Records(0, batch)
      .Anchors(anchors)
      .Counters(counters)
      .Log("hello");
  spool.End(kStartTicks + 100, true, 9);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.lines,
            (std::vector<std::string>{"process 4210", "stream 1 part 0", "range inner",
                                      "range outer", "category 9/3 collective", "thread 99 loader",
                                      "mark outer", "start inner", "finish 77", "anchors 2",
                                      "lost 12", "log hello", "end 9"}));
  EXPECT_FALSE(reader->damage().Any());
  EXPECT_TRUE(reader->EndsComplete());
}

TEST_F(SpoolReaderTest, AStreamGoesOnInALargerRing) {
  RecordBatch more;
  more.Stream(1, 4210, true, 1).Name(3, "third").Range(1, 40, 50).Range(3, 41, 42);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, TwoRanges()).Records(5, more);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.lines.back(), "range third");
  EXPECT_EQ(listener.lines[listener.lines.size() - 2], "range outer");
  EXPECT_FALSE(reader->damage().Any());
}

// The consumer looked at the larger ring after the thread had moved and ended there, and only then
// at the rest of the smaller one.
TEST_F(SpoolReaderTest, TheRestOfASmallerRingMayComeAfterTheStreamsEnd) {
  RecordBatch larger, rest, next;
  larger.Stream(1, 4210, true, 1).Range(2, kStartTicks + 60, kStartTicks + 70).StreamEnd(1, 4210);
  rest.Range(2, kStartTicks + 40, kStartTicks + 50);
  next.Stream(2, 4300).Name(1, "other").Range(1, kStartTicks + 80, kStartTicks + 90);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess(4210)).Records(0, TwoRanges());
  spool.Records(1, larger).Records(0, rest).Records(0, next);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(reader->damage().records_damaged, 0u);
  EXPECT_EQ(listener.Count("range inner"), 3u);
  EXPECT_EQ(listener.Count("range other"), 1u);
}

TEST_F(SpoolReaderTest, ARingPassesToAnotherStreamWhoseIdsAreItsOwn) {
  RecordBatch batch = TwoRanges();
  batch.StreamEnd(1, 4210).Stream(2, 4300).Name(1, "other").Range(1, 50, 60).Range(2, 50, 60);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, batch);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.Count("range other"), 1u);
  EXPECT_EQ(listener.lines.back(), "range ?");  // id 2 is not defined in stream 2
}

TEST_F(SpoolReaderTest, PayloadsComeWithTheirRange) {
  RecordBatch batch = TwoRanges();
  batch.Text(RecordKind::kPayload, 0, 100, "outer's", 0, kRawPayload);
  batch.Text(RecordKind::kPayload, 0, 110, "inner's", 0, kRawPayload);
  batch.Text(RecordKind::kPayload, 0, 110, "inner's second", 0, kRawPayload);
  batch.Range(2, 110, 120, 0, kHasPayload).Range(1, 100, 130, 0, kHasPayload);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, batch);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.Count("range inner payloads 2"), 1u);
  EXPECT_EQ(listener.Count("range outer payloads 1"), 1u);
  EXPECT_EQ(listener.Count("range"), 4u);
  listener.lines.clear();
  listener.interests |= kNoPlainRanges;
  ASSERT_TRUE(reader->Read(&listener).ok());
  EXPECT_EQ(listener.Count("range outer payloads 1"), 1u);
  EXPECT_EQ(listener.Count("range"), 2u) << "not the plain ones";
}

TEST_F(SpoolReaderTest, OpenRangesButNotTheOneThatJustFinished) {
  OpenRange open[2] = {};
  open[0].begin = kStartTicks - 5;
  open[0].name = 2;
  open[1].begin = kStartTicks;  // name 1, the last finished range of TwoRanges
  open[1].name = 1;
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, TwoRanges()).Open(0, 1, 4210, open);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.Count("open"), 1u);
  EXPECT_EQ(listener.lines.back(), "open inner");
  // Also when it was popped from between others, and with more that are really open.
  OpenRange more[3] = {open[0], open[1], open[0]};
  more[0].name = 7;  // not defined
  SpoolBuilder second;
  second.Process(PlausibleProcess()).Records(0, TwoRanges()).Open(0, 1, 4210, more);
  ASSERT_TRUE(Read(second).ok());
  EXPECT_EQ(listener.lines[listener.lines.size() - 2], "open inner") << "the inner one first";
  EXPECT_EQ(listener.lines.back(), "open ?");
}

TEST_F(SpoolReaderTest, OperatorsAreToldApartFromRanges) {
  RecordBatch batch;
  batch.Stream(1, 4210, true).Name(1, "step").Name(2, "add").Domain(1, 7, "torch");
  batch.Text(RecordKind::kDomain, 2, 8, "aten", kDomainOfOperators, testing::kRangeSource);
  batch.Range(2, kStartTicks + 10, kStartTicks + 20, 2).Range(1, kStartTicks, kStartTicks + 30, 1);
  OpenRange open[2] = {};
  open[0].begin = open[1].begin = kStartTicks + 40;
  open[0].name = open[0].domain = 1;
  open[1].name = open[1].domain = 2;
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, batch).Open(0, 1, 4210, open);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.Count("operator add"), 1u);
  EXPECT_EQ(listener.Count("range"), 1u);
  EXPECT_EQ(listener.Count("range step"), 1u);
  EXPECT_EQ(listener.Count("open operator add"), 1u);
  EXPECT_EQ(listener.Count("open step"), 1u);
}

TEST_F(SpoolReaderTest, LostBlocksMakeStreamsUncertain) {
  RecordBatch more;
  more.Range(1, 40, 50);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess())
      .Records(0, TwoRanges())
      .SkipSequence()
      .SkipSequence()
      .Records(0, more);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.lines.back(), "range outer uncertain");
  EXPECT_EQ(reader->damage().blocks_lost, 2u);
}

TEST_F(SpoolReaderTest, ADamagedBlockIsSkippedAndTheRestIsRead) {
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, TwoRanges());
  const size_t middle = spool.bytes().size();
  spool.Records(0, TwoRanges()).Log("after");
  spool.bytes()[middle + sizeof(BlockHead) + 9] ^= 1;
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.lines.back(), "log after");
  EXPECT_EQ(listener.Count("range"), 2u);
  EXPECT_EQ(reader->damage().blocks_lost, 1u);
  EXPECT_GT(reader->damage().bytes_skipped, 0u);
}

TEST_F(SpoolReaderTest, ADamagedHeadIsSkippedToo) {
  SpoolBuilder spool;
  spool.Process(PlausibleProcess());
  const size_t middle = spool.bytes().size();
  spool.Records(0, TwoRanges()).Log("after");
  for (size_t byte = 0; byte < sizeof(BlockHead); ++byte) {
    SpoolBuilder copy = spool;
    copy.bytes()[middle + byte] ^= 0x40;
    ASSERT_TRUE(Read(copy).ok());
    EXPECT_EQ(listener.lines.back(), "log after") << byte;
    EXPECT_EQ(listener.Count("range"), 0u) << byte;
    EXPECT_TRUE(reader->damage().Any()) << byte;
  }
}

TEST_F(SpoolReaderTest, CutAnywhereGivesTheWholeBlocksBefore) {
  SpoolBuilder whole;
  std::vector<size_t> ends;
  whole.Process(PlausibleProcess());
  ends.push_back(whole.bytes().size());
  whole.Records(0, TwoRanges());
  ends.push_back(whole.bytes().size());
  whole.Log("the tail");
  ends.push_back(whole.bytes().size());
  for (size_t length = ends[0] - 4; length < whole.bytes().size(); ++length) {
    SpoolBuilder cut = whole;
    cut.bytes().resize(length);
    const Status status = Read(cut);
    const size_t blocks = static_cast<size_t>(
        std::count_if(ends.begin(), ends.end(), [&](size_t e) { return e <= length; }));
    ASSERT_EQ(status.ok(), blocks > 0) << length;
    ASSERT_EQ(listener.Count("process"), blocks > 0 ? 1u : 0u);
    ASSERT_EQ(listener.Count("range"), blocks > 1 ? 2u : 0u);
    const bool at_end = std::find(ends.begin(), ends.end(), length) != ends.end();
    if (blocks > 0) {
      ASSERT_EQ(reader->damage().truncated_bytes != 0, !at_end) << length;
    }
    ASSERT_FALSE(blocks > 0 && reader->EndsComplete());
  }
}

TEST_F(SpoolReaderTest, EachKindOfWrongFileHasItsMessage) {
  auto message = [&](const std::string& bytes) {
    SpoolBuilder spool;
    spool.bytes() = bytes;
    return Read(spool).message();
  };
  EXPECT_NE(message("").find("is empty"), std::string::npos);
  EXPECT_NE(message("{\"traceEvents\": [ and so on, long enough for a head")
                .find("is not a Syncline spool"),
            std::string::npos);
  SpoolBuilder good;
  good.Process(PlausibleProcess());
  EXPECT_NE(message(good.bytes().substr(0, 100)).find("cut off in its first block"),
            std::string::npos);
  std::string other = good.bytes();
  other[6] = 9;
  EXPECT_NE(message(other).find("format version 9"), std::string::npos);
  std::string damaged = good.bytes();
  damaged[200] ^= 1;
  EXPECT_NE(message(damaged).find("is damaged from its first block"), std::string::npos);
  SpoolReader absent;
  EXPECT_NE(absent.Open(scratch / "absent.spool").message().find("No such file"),
            std::string::npos);
  SpoolReader directory;
  EXPECT_NE(directory.Open(scratch.path()).message().find("not a regular file"), std::string::npos);
}

TEST_F(SpoolReaderTest, BlocksOfALaterVersionAreLeftOut) {
  SpoolBuilder spool;
  spool.Process(PlausibleProcess());
  BlockHead head{kBlockMagic, 42, kSpoolVersion, 8, 0, 0, 1};
  head.checksum = Crc32c(Crc32c(0, &head, sizeof(head)), "12345678", 8);
  spool.bytes().append(reinterpret_cast<const char*>(&head), sizeof(head)).append("12345678");
  spool.SkipSequence().Log("after");
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.lines.back(), "log after");
  EXPECT_EQ(reader->damage().blocks_unknown, 1u);
  EXPECT_EQ(reader->damage().blocks_lost, 0u);
}

TEST_F(SpoolReaderTest, RecordsThatLieAreCounted) {
  RecordBatch batch = TwoRanges();
  batch.Range(1, 50, 40);                                   // ends before it begins
  batch.Text(RecordKind::kThreadName, 1u << 23, 0, "tid");  // no such tid
  batch.Text(RecordKind::kDomain, 1u << 20, 0, "domain");   // no such id
  batch.Text(RecordKind::kCategory, 5, 0, "of no domain");
  batch.Text(RecordKind::kSchema, 1, 1, "too short", 0, kStructSchema);
  batch.Range(1, 60, 70, 0, kHasPayload);  // whose payload never came
  std::vector<char> raw = batch.bytes();
  TextRecord text{};
  text.head = {static_cast<uint8_t>(RecordKind::kName), 0, 1, 9};
  text.bytes = 4000000000;
  raw.insert(raw.end(), reinterpret_cast<char*>(&text),
             reinterpret_cast<char*>(&text) + sizeof(text));
  raw.insert(raw.end(), 32, '\x7f');  // an unknown kind, of more slots than there are
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Block(BlockType::kRecords, 0, raw.data(), raw.size());
  spool.Block(BlockType::kRecords, kMaxRings, raw.data(), 64)
      .Block(BlockType::kCounters, 0, "x", 1);
  spool.Block(BlockType::kOpen, 0, "x", 1).Process(PlausibleProcess());
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(reader->damage().records_damaged, 12u);
  EXPECT_EQ(listener.Count("range"), 3u);
}

TEST_F(SpoolReaderTest, HandsOverWhatAGpuDid) {
  const KernelDetails kernel = testing::PlausibleKernel();
  RecordBatch batch = TwoRanges();
  batch.Device(255, testing::PlausibleDevice(), "H")
      .DeviceClock(10, 77, 20)
      .Call({{}, 5, 5, 3, 0, 1, 0});
  batch.DeviceOp(PlausibleOp(DeviceOpType::kKernel, 7, 3, 8, 8), &kernel)
      .DeviceOp(PlausibleOp(DeviceOpType::kSet, 7, UINT32_MAX, 8, 9))
      .Device(0, DeviceFacts{}, "");
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, batch);
  ASSERT_TRUE(Read(spool).ok());
  listener.lines.erase(listener.lines.begin(), listener.lines.begin() + 4);
  EXPECT_EQ(listener.lines,
            (std::vector<std::string>{"device 255 132 H", "clock 77", "call 3", "op 3 kernel",
                                      "op 4294967295", "device 0 0 "}));
  EXPECT_FALSE(reader->damage().Any());
}

TEST_F(SpoolReaderTest, ACallThatDidNotReturn) {
  const CallRecord open = {{0, 0, 1, 1}, 30, 0, 9, testing::kSource, 1, 0};
  CallRecord returned = open, never_begun = open;
  returned.end = 31;
  never_begun.begin = 0;
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, TwoRanges());
  spool.OpenCall(0, 1, 100, open).OpenCall(0, 77, 200, open);  // the other's stream is lost
  spool.OpenCall(0, 1, 100, returned).OpenCall(0, 1, 100, never_begun);
  spool.OpenCall(0, 0, 100, open).OpenCall(0, 1, 0, open).Block(BlockType::kOpenCall, 0, "x", 1);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.Count("open call"), 2u);
  EXPECT_EQ(listener.Count("open call 9 (lost)"), 1u);
  EXPECT_EQ(reader->damage().records_damaged, 5u);
}

TEST_F(SpoolReaderTest, ACallWhoseEndNobodyCouldSeeIsNotClaimed) {
  CallRecord before = {{0, 0, 1, 1}, 30, 0, 9, testing::kSource, 1, 0}, after = before;
  after.begin = 50;
  SpoolBuilder spool;
  spool.Process(PlausibleProcess());
  spool.Records(0,
                TwoRanges().Coverage(40, GpuCoverage::kLent, 0).Coverage(45, GpuCoverage::kAll, 0));
  spool.OpenCall(0, 1, 100, before).OpenCall(0, 1, 100, after);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.Count("open call"), 1u);
  EXPECT_FALSE(reader->damage().Any());
}

// One wrong record between good ones: it alone is left out.
TEST_F(SpoolReaderTest, GpuRecordsThatLieAreCounted) {
  const KernelDetails kernel = testing::PlausibleKernel();
  const DeviceOpRecord good = PlausibleOp(DeviceOpType::kKernel, 7, 3, 8, 9);
  const auto with = [&good](auto change) {
    DeviceOpRecord op = good;
    change(&op);
    return op;
  };
  RecordBatch slots;  // half of a DeviceOpRecord
  slots.DeviceOp(good);
  std::vector<char> half(slots.bytes().begin(), slots.bytes().begin() + kSlotBytes);
  half[2] = 1;
  const std::vector<char> bad[] = {
      half,
      RecordBatch().DeviceOp(with([](auto* op) { op->end = 7; })).bytes(),
      RecordBatch().DeviceOp(with([](auto* op) { op->device = 256; })).bytes(),
      RecordBatch().DeviceOp(with([](auto* op) { op->device = UINT32_MAX; }), &kernel).bytes(),
      RecordBatch().DeviceOp(with([](auto* op) { op->head.flags = kHasKernel; })).bytes(),
      RecordBatch().Call({{}, 6, 5, 3, 0, 1, 0}).bytes(),
      RecordBatch().DeviceClock(20, 77, 19).bytes(),
      RecordBatch().Device(256, DeviceFacts{}, "beyond").bytes(),
      RecordBatch().Device(UINT64_MAX, DeviceFacts{}, "beyond").bytes(),
      RecordBatch()
          .Text(RecordKind::kDevice, 0, 1, std::string(sizeof(DeviceFacts) - 1, 'x'))
          .bytes(),
      RecordBatch().Text(RecordKind::kDevice, 0, 1, "").bytes()};
  for (size_t i = 0; i < std::size(bad); ++i) {
    std::vector<char> raw = TwoRanges().bytes();
    const std::vector<char> after = RecordBatch().Call({{}, 5, 6, 99, 0, 1, 0}).bytes();
    raw.insert(raw.end(), bad[i].begin(), bad[i].end());
    raw.insert(raw.end(), after.begin(), after.end());
    SpoolBuilder spool;
    spool.Process(PlausibleProcess()).Block(BlockType::kRecords, 0, raw.data(), raw.size());
    ASSERT_TRUE(Read(spool).ok());
    EXPECT_EQ(reader->damage().records_damaged, 1u) << i;
    EXPECT_EQ(listener.lines.size(), 5u) << i;
    EXPECT_EQ(listener.lines.back(), "call 99") << i;
  }
  RecordBatch lost;  // of no stream
  lost.Call({{}, 5, 6, 1, 0, 1, 0})
      .DeviceOp(good)
      .DeviceClock(1, 2, 3)
      .Device(0, DeviceFacts{}, "");
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, lost);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(reader->damage().records_damaged, 4u);
}

TEST_F(SpoolReaderTest, RecordsBeforeAnyStreamAreDamage) {
  RecordBatch batch;
  batch.Name(1, "x").Range(1, 1, 2);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, batch);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(reader->damage().records_damaged, 2u);
}

TEST_F(SpoolReaderTest, OldNamesAreReadAgainFromTheFile) {
  SpoolBuilder spool;
  spool.Process(PlausibleProcess());
  RecordBatch batch;
  batch.Stream(1, 4210, true).Name(1, "the outermost range");
  uint32_t id = 1;
  for (int block = 0; block < 50; ++block) {
    for (int i = 0; i < 100; ++i) {
      ++id;
      batch.Name(id, "step " + std::to_string(id));
      batch.Range(id, id * 10, id * 10 + 5);
    }
    spool.Records(0, batch);
    batch.Clear();
  }
  batch.Range(1, 0, id * 20).Range(777, 0, id * 20).Range(1, 0, id * 20);
  spool.Records(0, batch);
  listener = Listener();
  SpoolReader small;
  ASSERT_TRUE(small.Open(spool.Save(scratch / "names.spool")).ok());
  small.SetNameLimit(4096);
  ASSERT_TRUE(small.Read(&listener).ok());
  ASSERT_EQ(listener.lines.size(), 5005u);
  EXPECT_EQ(listener.lines[2], "range step 2");
  EXPECT_EQ(listener.lines[5001], "range step 5001");
  EXPECT_EQ(listener.lines[5002], "range the outermost range");
  EXPECT_EQ(listener.lines[5003], "range step 777");
  EXPECT_EQ(listener.lines[5004], "range the outermost range");
}

TEST_F(SpoolReaderTest, NamesThatAreNotReadAgainAreCounted) {
  SpoolBuilder spool;
  spool.Process(PlausibleProcess());
  RecordBatch batch;
  batch.Stream(1, 4210, true);
  for (uint32_t id = 1; id <= 2000; ++id) {
    batch.Name(id, "step " + std::to_string(id));
    if (id % 1000 == 0) spool.Records(0, batch);
    if (id % 1000 == 0) batch.Clear();
  }
  for (uint32_t id = 1; id <= 500; ++id) batch.Range(id, 10, 15);
  spool.Records(0, batch);
  listener = Listener();
  SpoolReader small;
  ASSERT_TRUE(small.Open(spool.Save(scratch / "names.spool")).ok());
  small.SetNameLimit(4096, 0);
  ASSERT_TRUE(small.Read(&listener).ok());
  const uint64_t left_out = small.damage().names_left_out;
  EXPECT_GT(left_out, 100u);
  EXPECT_LT(left_out, 500u);
  EXPECT_EQ(left_out, 500 - static_cast<uint64_t>(std::count_if(
                                listener.lines.begin(), listener.lines.end(),
                                [](const auto& line) { return line.starts_with("range step "); })));
  EXPECT_FALSE(small.damage().Any()) << "nothing is wrong with it";
}

TEST_F(SpoolReaderTest, AFloodOfStreamsIsBounded) {
  RecordBatch batch;
  for (uint64_t stream = 1; stream <= 20000; ++stream)
    batch.Stream(stream, 5000).Name(1, "x").Range(1, 1, 2);
  SpoolBuilder spool;
  spool.Process(PlausibleProcess()).Records(0, batch);
  ASSERT_TRUE(Read(spool).ok());
  EXPECT_EQ(listener.Count("range x"), 20000u);
}

}  // namespace
}  // namespace syncline
