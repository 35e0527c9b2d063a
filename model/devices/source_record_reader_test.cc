// SPDX-License-Identifier: Apache-2.0
// What is kept of a process's GPU records, and how much.
#include "model/devices/source_record_reader.h"

#include <gtest/gtest.h>

#include "model/run/range_log.h"
#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

class NoNames : public NameSource {
 public:
  bool LoadName(const NamePlace&, uint64_t, uint32_t, std::string*) override { return false; }
};

class GpuRecordReaderTest : public ::testing::Test {
 protected:
  void Op(SourceRecordReader* reader, uint32_t correlation) {
    reader->OnDeviceOp(stream_,
                       testing::PlausibleOp(DeviceOpType::kKernel, 7, correlation, 10, 20));
  }
  void Event(SourceRecordReader* reader) {
    DeviceEventRecord note{};
    note.type = DeviceEventType::kEvent;
    reader->OnDeviceEvent(note);
  }

  NamePool pool_;
  NoNames names_;
  Stream stream_{1, &pool_, &names_};
};

TEST_F(GpuRecordReaderTest, BeyondTheLimitTheFirstPartIsKept) {
  const auto room = std::make_shared<uint64_t>(2);
  SourceRecordReader reader(room);
  Op(&reader, 1);
  Event(&reader);
  Op(&reader, 2);
  EXPECT_FALSE(reader.too_many());
  EXPECT_EQ(reader.kept(), 2u);
  EXPECT_EQ(reader.records().events.size(), 1u);
  for (uint32_t i = 3; i < 1000; ++i) {
    Op(&reader, i);
    Event(&reader);
  }
  EXPECT_TRUE(reader.too_many());
  EXPECT_EQ(reader.kept(), 2u);
  EXPECT_EQ(reader.records().events.size(), 1u);
  EXPECT_EQ(*room, 0u);
  EXPECT_EQ(reader.WholeUntilNs(), 0u) << "others may come two seconds late";
  reader.KeepUntil(0);
  EXPECT_EQ(reader.kept(), 0u);
  EXPECT_EQ(*room, 2u);
}

TEST_F(GpuRecordReaderTest, AnEighthIsLeftToThoseThatFollow) {
  const auto room = std::make_shared<uint64_t>(80);
  SourceRecordReader large(room), small(room);
  for (uint32_t i = 1; i < 100; ++i) Op(&large, i);
  EXPECT_TRUE(large.too_many());
  EXPECT_EQ(large.kept(), 70u);
  SourceRecordReader next(room);
  for (uint32_t i = 1; i < 9; ++i) Op(&next, i);
  EXPECT_FALSE(next.too_many());
}

TEST_F(GpuRecordReaderTest, TheRoomComesBack) {
  const auto room = std::make_shared<uint64_t>(5);
  {
    SourceRecordReader reader(room);
    Op(&reader, 1);
    EXPECT_EQ(*room, 4u);
  }
  EXPECT_EQ(*room, 5u);
}

TEST_F(GpuRecordReaderTest, RangesBeyondTheLimitAreCounted) {
  const Survey survey;
  RangeLog log(survey, std::make_shared<uint64_t>(2));
  for (uint64_t i = 0; i < 5; ++i) {
    log.OnCall(stream_,
               testing::PlausibleCall(CallRole::kLaunch, 1, 100 * i + 10, 100 * i + 20, 5));
    const RangeRecord record{{}, 100 * i, 100 * i + 50, 0, 0, 1, 0, 0};
    log.OnRange({stream_, record, nullptr, nullptr});
  }
  const RangeRecord without_a_call{{}, 1000, 1050, 0, 0, 1, 0, 0};
  log.OnRange({stream_, without_a_call, nullptr, nullptr});
  EXPECT_EQ(log.ranges.size(), 2u);
  EXPECT_EQ(log.left_out, 3u);
}

TEST_F(GpuRecordReaderTest, EachSourceIsKeptForItself) {
  const auto room = std::make_shared<uint64_t>(10);
  SourceRecordReaders readers(room);
  for (const Source source : {Source{2}, Source{5}}) {
    DeviceOpRecord op = testing::PlausibleOp(DeviceOpType::kKernel, 7, 1, 10, 20);
    op.source = source;
    readers.OnDeviceOp(stream_, op, nullptr);
  }
  EXPECT_EQ(readers.Of(2).kept(), 1u);
  EXPECT_EQ(readers.Of(5).kept(), 1u);
  EXPECT_EQ(*room, 8u);
}

}  // namespace
}  // namespace syncline
