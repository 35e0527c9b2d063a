// SPDX-License-Identifier: Apache-2.0
// What was open at the end, of processes that live on a little after they told of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "model/spool/spool_reader.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

using testing::kStartTicks;
using testing::PlausibleProcess;
using testing::RecordBatch;
using testing::Scratch;
using testing::SpoolBuilder;

class EndListener : public RecordSink {
 public:
  void OnLog(std::string_view text) override { lines.emplace_back(text); }
  void OnRange(const RangeEvent& event) override { Add("range", event.stream, event.record.head); }
  void OnOpenRange(const RangeEvent& event) override {
    Add("open", event.stream, event.record.head);
  }
  void OnCall(Stream& stream, const CallRecord& call) override { Add("call", stream, call.head); }
  void OnOpenCall(Stream& stream, const CallRecord& call) override {
    Add("open call", stream, call.head);
  }

  std::vector<std::string> lines;

 private:
  void Add(const std::string& what, Stream& stream, const RecordHead& head) {
    const std::string_view* name = stream.Name(head.id);
    lines.push_back(what + " " + (name == nullptr ? "?" : std::string(*name)));
  }
};

class SpoolOpenTest : public ::testing::Test {
 protected:
  static RecordBatch TwoRanges() {
    RecordBatch batch;
    batch.Stream(1, 4210, true).Name(1, "outer").Name(2, "inner").Name(3, "third");
    batch.Range(2, kStartTicks + 10, kStartTicks + 20).Range(1, kStartTicks, kStartTicks + 30);
    return batch;
  }

  static OpenRange Open(uint32_t name, uint64_t begin, uint8_t flags = 0) {
    OpenRange open = {};
    open.begin = begin;
    open.name = name;
    open.flags = flags;
    open.source = testing::kRangeSource;
    return open;
  }

  SpoolOpenTest() { spool.Process(PlausibleProcess()).Records(0, TwoRanges()); }

  std::vector<std::string> Read() {
    EndListener listener;
    EXPECT_TRUE(reader.Open(spool.Save(scratch / "a.spool")).ok());
    EXPECT_TRUE(reader.Read(&listener).ok());
    EXPECT_FALSE(reader.damage().Any());
    return listener.lines;
  }

  using Lines = std::vector<std::string>;
  Scratch scratch;
  SpoolBuilder spool;
  SpoolReader reader;
};

// A process that drains itself tells at its exit what is open, and its destructors end that.
TEST_F(SpoolOpenTest, WhatEndsAfterTheExitHasBegunIsNotOpen) {
  const OpenRange open[] = {Open(1, kStartTicks + 40), Open(2, kStartTicks + 50)};
  RecordBatch later, end;
  later.Range(3, kStartTicks + 60, kStartTicks + 70).Range(2, kStartTicks + 50, kStartTicks + 80);
  end.Range(1, kStartTicks + 40, kStartTicks + 90).StreamEnd(1, 4210);
  spool.Open(0, 1, 4210, open).Records(0, later).Log("log");
  EXPECT_EQ(Read(), (Lines{"range inner", "range outer", "range third", "range inner", "log",
                           "open outer"}))
      << "behind all that ended";
  spool.Records(0, end);
  EXPECT_EQ(Read(), (Lines{"range inner", "range outer", "range third", "range inner", "log",
                           "range outer"}));
}

TEST_F(SpoolOpenTest, WhatIsOpenIsToldOfAStreamThatEnds) {
  const OpenRange open[] = {Open(1, kStartTicks + 40)};
  spool.Open(0, 1, 4210, open).Records(0, RecordBatch().StreamEnd(1, 4210)).Log("log");
  EXPECT_EQ(Read(), (Lines{"range inner", "range outer", "open outer", "log"})) << "by its name";
}

TEST_F(SpoolOpenTest, OfSeveralTellingsWhatIsOpenTheLastCounts) {
  const OpenRange at_exit[] = {Open(1, kStartTicks + 40), Open(2, kStartTicks + 50)};
  const OpenRange at_end[] = {Open(1, kStartTicks + 40), Open(3, kStartTicks + 90)};
  spool.Open(0, 1, 4210, at_exit).Open(1, 7, 77, at_exit);
  spool.Records(0, RecordBatch().Range(2, kStartTicks + 50, kStartTicks + 80));
  spool.Open(0, 1, 4210, at_end);
  EXPECT_EQ(Read(), (Lines{"range inner", "range outer", "range inner", "open third", "open outer",
                           "open ?", "open ?"}));
}

// They begin at one number of changes of the gate; their depths tell them apart.
TEST_F(SpoolOpenTest, OfRangesBegunWhileTheGateWasClosedTheRightOneIsStruck) {
  const OpenRange open[] = {Open(1, 2, kBegunClosed), Open(2, 2, kBegunClosed),
                            Open(1, 2, kBegunClosed)};
  RecordBatch later;
  later.Raw(RecordKind::kRange, 1, 2, kStartTicks, 0, 0, kBegunClosed | kCrossing, nullptr, 0);
  spool.Open(0, 1, 4210, open).Records(0, later);
  EXPECT_EQ(Read(),
            (Lines{"range inner", "range outer", "range outer", "open outer", "open inner"}));
}

TEST_F(SpoolOpenTest, AFloodOfOpenRangesIsBounded) {
  constexpr size_t kStreams = 300;
  const std::vector<OpenRange> open(kMaxOpenRanges, Open(1, kStartTicks));
  for (uint64_t stream = 2; stream < 2 + kStreams; ++stream) spool.Open(0, stream, 77, open);
  spool.Log("log");
  const Lines lines = Read();
  EXPECT_EQ(std::count(lines.begin(), lines.end(), "open ?"), kStreams * kMaxOpenRanges);
  const auto log = std::find(lines.begin(), lines.end(), "log");
  EXPECT_GT(lines.end() - log, 100000) << "most wait for their end";
  EXPECT_GT(log - lines.begin(), 20000) << "not all";
}

TEST_F(SpoolOpenTest, ACallThatReturnsAfterTheExitHasBegunIsNotOpen) {
  const CallRecord open = {{0, 0, 1, 1}, 30, 0, 9, testing::kSource, 1, 0};
  CallRecord of_another = open, returned = open;
  of_another.source = testing::kSource + 1;
  returned.end = 60;
  spool.OpenCall(0, 1, 4210, open).OpenCall(0, 1, 4210, of_another).OpenCall(0, 1, 4210, open);
  EXPECT_EQ(Read(), (Lines{"range inner", "range outer", "open call outer", "open call outer"}))
      << "one of each source";
  spool.Records(0, RecordBatch().Call(returned));
  EXPECT_EQ(Read(), (Lines{"range inner", "range outer", "call outer", "open call outer"}))
      << "the other source's";
}

}  // namespace
}  // namespace syncline
