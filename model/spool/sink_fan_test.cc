// SPDX-License-Identifier: Apache-2.0
// Which sink gets what of a reading.
#include "model/spool/sink_fan.h"

#include <gtest/gtest.h>

#include "model/spool/spool_reader.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

using testing::kStartTicks;
using testing::RecordBatch;

class Counting : public RecordSink {
 public:
  explicit Counting(unsigned interests) : interests_(interests) {}
  unsigned Interests() const override { return interests_; }
  void OnProcess(const SpoolProcess&) override { ++facts; }
  void OnRange(const RangeEvent& event) override { begins.push_back(event.record.begin); }
  void OnCall(Stream&, const CallRecord&) override { ++calls; }
  void OnDeviceOp(Stream&, const DeviceOpRecord&, const KernelDetails*) override { ++ops; }
  bool OnBlockDone(uint64_t, uint64_t) override { return ++blocks < most_blocks; }

  std::vector<uint64_t> begins;
  int facts = 0, calls = 0, ops = 0, blocks = 0, most_blocks = 1000;

 private:
  unsigned interests_;
};

class SinkFanTest : public ::testing::Test {
 protected:
  // Read by one sink for everything and one for `interests`.
  Status Read(const RecordBatch& batch, Counting* other) {
    testing::SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess(4210)).Records(0, batch);
    spool.End(kStartTicks + 1000, true, 0);
    SpoolReader reader;
    EXPECT_TRUE(reader.Open(spool.Save(scratch_ / "s.spool")).ok());
    SinkFan fan;
    fan.Add(&all_);
    fan.Add(other);
    return reader.Read(&fan);
  }
  static RecordBatch Thread() {
    return RecordBatch().Stream(1, 4210, true).Name(1, "step").Name(2, "cudaLaunchKernel");
  }
  static CallRecord CallAt(uint64_t at) {
    return testing::PlausibleCall(CallRole::kLaunch, 2, kStartTicks + at, kStartTicks + at + 1, 5);
  }

  testing::Scratch scratch_;
  Counting all_{kFacts | kRanges | kCalls | kDevices};
};

TEST_F(SinkFanTest, EachGetsWhatItAskedFor) {
  RecordBatch batch = Thread();
  batch.Call(CallAt(10)).Range(1, kStartTicks, kStartTicks + 20);
  batch.DeviceOp(testing::PlausibleOp(DeviceOpType::kCopy, 7, 5, 100, 200));
  Counting calls(kCalls);
  ASSERT_TRUE(Read(batch, &calls).ok());
  EXPECT_EQ(calls.calls, 1);
  EXPECT_EQ(calls.facts + calls.ops, 0);
  EXPECT_TRUE(calls.begins.empty());
  EXPECT_GT(calls.blocks, 0);
  EXPECT_EQ(all_.facts, 1);
  EXPECT_EQ(all_.calls, 1);
  EXPECT_EQ(all_.ops, 1);
  EXPECT_EQ(all_.begins.size(), 1u);
}

TEST_F(SinkFanTest, RangesThatNoCallCanLieInAreKeptFromWhoAsksForCalls) {
  RecordBatch batch = Thread();
  batch.Range(1, kStartTicks, kStartTicks + 5).Call(CallAt(10));
  batch.Range(1, kStartTicks + 8, kStartTicks + 20);
  Counting late(kRangesAfterCalls);
  ASSERT_TRUE(Read(batch, &late).ok());
  EXPECT_EQ(late.begins, std::vector<uint64_t>{kStartTicks + 8});
  EXPECT_EQ(all_.begins.size(), 2u);
}

// The ring that the thread left may be read last.
TEST_F(SinkFanTest, ARangeFromBeforeTheThreadMovedMayHoldCalls) {
  RecordBatch batch = Thread();
  batch.Stream(1, 4210, true, 1, kStartTicks + 10);
  batch.Range(1, kStartTicks + 4, kStartTicks + 20);
  batch.Range(1, kStartTicks + 30, kStartTicks + 40);
  Counting late(kRangesAfterCalls);
  ASSERT_TRUE(Read(batch, &late).ok());
  EXPECT_EQ(late.begins, std::vector<uint64_t>{kStartTicks + 4});
}

TEST_F(SinkFanTest, AnyOfThemStopsTheReading) {
  Counting other(kCalls);
  other.most_blocks = 1;
  EXPECT_FALSE(Read(Thread(), &other).ok());
  EXPECT_EQ(all_.blocks, 1);
}

}  // namespace
}  // namespace syncline
