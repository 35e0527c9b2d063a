// SPDX-License-Identifier: Apache-2.0
// Blocks as PyTorch's allocators tell of them: by functions of the names that PyTorch gives these.
#include "collectors/torch/memory_reports.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <thread>
#include <vector>

#include "inject/core/call_stacks.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/record_walk.h"

// As in PyTorch's header.
namespace c10 {

struct Device {
  int8_t type;
  int8_t index;
};
void reportMemoryUsageToProfiler(void* ptr, int64_t alloc_size, size_t allocated, size_t reserved,
                                 Device device);
void reportOutOfMemoryToProfiler(int64_t alloc_size, size_t allocated, size_t reserved,
                                 Device device);

}  // namespace c10

namespace syncline::torch {
namespace {

constexpr c10::Device kCpu = {0, -1}, kGpu = {1, 3};
void* const kBlock = reinterpret_cast<void*>(0x7f0012345600);  // NOLINT: an address of a GPU

std::vector<MemoryRecord> Recorded() {
  std::vector<MemoryRecord> found;
  for (const test::ThreadRecords& thread : test::RecordsOfThreads()) {
    EXPECT_TRUE(test::ForEachRecord(thread, [&](const test::RecordView& record) {
      if (record.kind() == RecordKind::kMemory) found.push_back(record.Load<MemoryRecord>());
    }));
  }
  return found;
}

uint32_t TakeThird(ThreadLog&) { return 3; }

class MemoryReports : public ::testing::Test {
 protected:
  void SetUp() override { test::ResetSession(); }
  void TearDown() override { TakeStacksOf(0, nullptr); }
};

TEST_F(MemoryReports, NothingIsRecordedBeforeItIsAskedFor) {
  c10::reportMemoryUsageToProfiler(kBlock, 512, 512, 2 << 20, kGpu);
  EXPECT_TRUE(Recorded().empty());
}

TEST_F(MemoryReports, ABlockIsRecordedAsItWasTold) {
  RecordMemory();
  TakeStacksCheaply(TakeThird);
  TakeStacksOf(1, TakeThird);
  c10::reportMemoryUsageToProfiler(kBlock, 512, 1024, 2 << 20, kGpu);
  c10::reportMemoryUsageToProfiler(kBlock, -512, 512, 4 << 20, kGpu);
  const std::vector<MemoryRecord> found = Recorded();
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].address, reinterpret_cast<uintptr_t>(kBlock));
  EXPECT_EQ(found[0].bytes, 512);
  EXPECT_EQ(found[0].allocated, 1024u);
  EXPECT_EQ(found[0].held, 2u << 20);
  EXPECT_EQ(found[0].device, 3u);
  EXPECT_EQ(found[0].device_type, 1u);
  EXPECT_EQ(found[0].head.id, 3u);
  EXPECT_EQ(found[1].bytes, -512);
  EXPECT_EQ(found[1].head.id, 0u) << "who took it is known";
  EXPECT_LE(found[0].ticks, found[1].ticks);
}

TEST_F(MemoryReports, MemoryOfTheHostIsLeftOut) {
  RecordMemory();
  c10::reportMemoryUsageToProfiler(kBlock, 512, 512, 0, kCpu);
  EXPECT_TRUE(Recorded().empty());
}

TEST_F(MemoryReports, ThatThereIsNoneIsRecorded) {
  RecordMemory();
  c10::reportOutOfMemoryToProfiler(1 << 30, 512, 2 << 20, kGpu);
  const std::vector<MemoryRecord> found = Recorded();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].head.flags, kOutOfMemory);
  EXPECT_EQ(found[0].bytes, 1 << 30);
  EXPECT_EQ(found[0].address, 0u);
}

TEST_F(MemoryReports, EachThreadHasItsOwn) {
  RecordMemory();
  c10::reportMemoryUsageToProfiler(kBlock, 512, 512, 2 << 20, kGpu);
  std::thread([] { c10::reportMemoryUsageToProfiler(kBlock, -512, 0, 2 << 20, kGpu); }).join();
  EXPECT_EQ(Recorded().size(), 2u);
  EXPECT_EQ(test::RecordsOfThreads().size(), 2u);
}

TEST_F(MemoryReports, WhatHasNoRoomIsCounted) {
  RecordMemory();
  test::LimitRings(4096);
  for (int i = 0; i < 200; ++i) c10::reportMemoryUsageToProfiler(kBlock, 512, 512, 2 << 20, kGpu);
  EXPECT_EQ(Recorded().size() + test::Losses(kLoss_ring_full), 200u);
  EXPECT_GT(test::Losses(kLoss_ring_full), 0u);
}

}  // namespace
}  // namespace syncline::torch
