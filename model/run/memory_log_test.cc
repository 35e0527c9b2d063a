// SPDX-License-Identifier: Apache-2.0
// Levels by device, from records as several threads write them.
#include "model/run/memory_log.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/devices/source_facts.h"
#include "model/spool/spool_reader.h"
#include "model/testing/scratch.h"
#include "model/testing/spool_builder.h"

namespace syncline::memory_log_test {
namespace {

using testing::kStartTicks;
using testing::RecordBatch;

MemoryRecord Block(uint64_t at, int64_t bytes, uint64_t allocated, uint32_t device = 0) {
  MemoryRecord record{};
  record.ticks = kStartTicks + at;
  record.address = 4096;
  record.bytes = bytes;
  record.allocated = allocated;
  record.held = 1000;
  record.device = device;
  record.device_type = 1;
  return record;
}

struct Read {
  explicit Read(uint64_t room) : log(std::make_shared<uint64_t>(room)) {
    testing::Scratch scratch;
    testing::SpoolBuilder spool;
    spool.Process(testing::PlausibleProcess());
    RecordBatch first, second;
    first.Stream(1, 42).Memory(Block(10, 5, 5)).Memory(Block(30, -5, 3)).Memory(Block(31, 8, 8, 1));
    second.Stream(2, 43).Memory(Block(20, 3, 8));
    spool.Records(0, first).Records(1, second);
    SpoolReader reader;
    EXPECT_TRUE(reader.Open(spool.Save(scratch / "s.spool")).ok());
    EXPECT_TRUE(reader.Read(&log).ok());
    EXPECT_FALSE(reader.damage().Any());
    log.Finish();
  }
  MemoryLog log;
};

TEST(MemoryLogTest, LevelsOfADeviceAreInTheOrderOfTime) {
  const Read read(100);
  ASSERT_EQ(read.log.levels().size(), 2u);
  const auto& [device, levels] = *read.log.levels().begin();
  EXPECT_EQ(std::get<2>(device), 0u);
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[0].allocated, 5u);
  EXPECT_EQ(levels[1].allocated, 8u) << "another thread's";
  EXPECT_EQ(levels[2].allocated, 3u);
  EXPECT_EQ(levels[2].held, 1000u);
  EXPECT_EQ(read.log.left_out(), 0u);
}

TEST(MemoryLogTest, WhatHasNoRoomIsCounted) {
  const Read read(3);
  EXPECT_EQ(read.log.left_out(), 1u);
}

TEST(MemoryLogTest, ADeviceHasTheFrameworksWord) {
  size_t frameworks = 0;
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const SourceFacts& facts = *kSourceFacts[i];
    if (facts.memory_device == nullptr) continue;
    ++frameworks;
    EXPECT_EQ(MemoryDeviceName({facts.source, 1, 2}), std::string(facts.memory_device(1)) + ":2");
    EXPECT_EQ(MemoryDeviceName({facts.source, 99, 0}), "device type 99:0");
  }
  EXPECT_EQ(frameworks, 1u);
  EXPECT_EQ(MemoryDeviceName({testing::kSource, 1, 2}), "device type 1:2") << "it has none";
}

}  // namespace
}  // namespace syncline::memory_log_test
