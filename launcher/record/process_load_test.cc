// SPDX-License-Identifier: Apache-2.0
// Busy times and peaks against a plain count; what is known of work that has not come.
#include "launcher/record/process_load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>
#include <vector>

namespace syncline::process_load_test {
namespace {

constexpr Source kOne = 2, kOther = 3;

template <typename Record>
void Take(ProcessLoad* load, const Record& record) {
  load->TakeRecord(record.head, {reinterpret_cast<const char*>(&record), sizeof(record)});
}

void Call(ProcessLoad* load, uint32_t correlation, uint64_t begin,
          CallRole role = CallRole::kLaunch) {
  CallRecord call{};
  call.head = {static_cast<uint8_t>(RecordKind::kCall), kGaveWork, 1, 0};
  call.begin = begin;
  call.end = begin + 5;
  call.correlation = correlation;
  call.source = kOne;
  call.role = static_cast<uint8_t>(role);
  Take(load, call);
}

void Operation(ProcessLoad* load, uint32_t correlation, uint64_t begin, uint64_t end,
               DeviceOpType type = DeviceOpType::kKernel, Source source = kOne) {
  DeviceOpRecord op{};
  op.head.kind = static_cast<uint8_t>(RecordKind::kDeviceOp);
  op.begin = begin;
  op.end = end;
  op.correlation = correlation;
  op.source = source;
  op.type = type;
  Take(load, op);
}

// The device's clock is 1000 ns ahead at tick 100.
void Clock(ProcessLoad* load, Source source = kOne) {
  DeviceClockRecord clock{};
  clock.head = {static_cast<uint8_t>(RecordKind::kDeviceClock), source, 1, 0};
  clock.before = 90;
  clock.after = 110;
  clock.device_ns = 1100;
  Take(load, clock);
}

TEST(BusyLine, IsTheLengthOfAllThatIsCovered) {
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    BusyLine line;
    std::vector<bool> covered(6000);
    for (int i = 0; i < 400; ++i) {
      const uint64_t begin = random() % 5000, end = begin + random() % 40;
      line.Add(begin, end);
      std::fill(covered.begin() + static_cast<long>(begin),
                covered.begin() + static_cast<long>(end), true);
      const uint64_t from = random() % 5000, to = from + random() % 1000;
      const auto true_one = std::count(covered.begin() + static_cast<long>(from),
                                       covered.begin() + static_cast<long>(to), true);
      ASSERT_EQ(line.Within(from, to), static_cast<uint64_t>(true_one));
    }
    EXPECT_EQ(line.spoiled_until(), 0u);
  }
}

TEST(BusyLine, OfLongAgoIsNearlyRight) {
  BusyLine line;
  constexpr uint64_t kCount = 1'000'000;
  for (uint64_t i = 0; i < kCount; ++i) line.Add(10 * i, 10 * i + (i % 2000 < 1000 ? 2 : 8));
  EXPECT_EQ(line.Within(0, 10 * kCount), 5 * kCount);
  for (uint64_t begin = 0; begin < 9 * kCount; begin += 123457) {
    uint64_t busy = 0;
    for (uint64_t at = begin; at < 10 * kCount; ++at)
      busy += at % 10 < (at / 10 % 2000 < 1000 ? 2 : 8);
    EXPECT_NEAR(static_cast<double>(line.Within(begin, 10 * kCount)), static_cast<double>(busy),
                0.005 * static_cast<double>(busy));
  }
  line.Add(5, 20);
  EXPECT_EQ(line.spoiled_until(), 20u);
}

TEST(MemoryPeaks, AreThoseOfAPlainCount) {
  std::mt19937 random(5);
  MemoryPeaks peaks;
  std::vector<uint64_t> totals = {0};  // after each tick
  uint64_t of_device[2] = {};
  std::vector<MemoryRecord> coming;
  for (uint64_t tick = 1; tick < 20000; ++tick) {
    MemoryRecord record{};
    record.ticks = tick;
    record.device = random() % 2;
    record.allocated = of_device[record.device] = random() % 1000;
    coming.push_back(record);
    totals.push_back(of_device[0] + of_device[1]);
    if (tick % 100 != 0) continue;
    std::shuffle(coming.begin(), coming.end(), random);
    for (const MemoryRecord& one : coming) peaks.Take(one);
    coming.clear();
    const uint64_t end = tick - random() % 50, begin = random() % (end - 1) + 1;
    peaks.PassTo(end);
    const auto first = totals.begin() + static_cast<long>(begin);
    ASSERT_EQ(peaks.Since(begin),
              *std::max_element(first, totals.begin() + static_cast<long>(end) + 1));
  }
}

TEST(MemoryPeaks, AreUnknownWhereRecordsAreMissing) {
  MemoryPeaks peaks;
  EXPECT_FALSE(peaks.Since(5)) << "there is no allocator";
  MemoryRecord record{};
  record.ticks = 100;
  record.allocated = 7;
  peaks.Take(record);
  peaks.PassTo(200);
  EXPECT_EQ(peaks.Since(150), 7u);
  peaks.Take(record);  // late
  EXPECT_FALSE(peaks.Since(150));
  record.ticks = 300;
  peaks.Take(record);
  peaks.PassTo(400);
  EXPECT_EQ(peaks.Since(250), 7u);
}

TEST(ProcessLoad, AnOperationThatIsToComeIsOwed) {
  ProcessLoad load;
  EXPECT_FALSE(load.HasDevices());
  Clock(&load);
  Call(&load, 1, 100);
  Call(&load, 2, 200);
  EXPECT_TRUE(load.HasDevices());
  EXPECT_FALSE(load.IsOwed(99));
  EXPECT_TRUE(load.IsOwed(100));
  Operation(&load, 1, 1110, 1130);
  EXPECT_FALSE(load.IsOwed(199));
  EXPECT_TRUE(load.IsOwed(200));
  Operation(&load, 3, 1140, 1150);  // comes before its call
  Operation(&load, 2, 1130, 1140);
  Call(&load, 3, 150);
  EXPECT_FALSE(load.IsOwed(UINT64_MAX));
  EXPECT_EQ(load.BusyWithin(0, 1000), 40u);
  EXPECT_EQ(load.BusyWithin(120, 145), 25u);
  EXPECT_FALSE(load.IsInPart(0));
}

TEST(ProcessLoad, AGraphIsOwedUntilItCameAsAWhole) {
  ProcessLoad load;
  Clock(&load);
  Call(&load, 1, 100, CallRole::kGraphLaunch);
  Operation(&load, 1, 1110, 1120);
  EXPECT_TRUE(load.IsOwed(500));
  Operation(&load, 1, 1110, 1130, DeviceOpType::kGraph);
  EXPECT_FALSE(load.IsOwed(500));
}

TEST(ProcessLoad, WhatIsNotSeenIsMissing) {
  ProcessLoad load;
  Clock(&load);
  Call(&load, 1, 100);
  GpuCoverageRecord coverage{};
  coverage.head.kind = static_cast<uint8_t>(RecordKind::kGpuCoverage);
  coverage.source = kOne;
  coverage.coverage = GpuCoverage::kAll;
  coverage.ticks = 10;
  Take(&load, coverage);
  EXPECT_FALSE(load.IsInPart(5)) << "nothing was there before";
  coverage.coverage = GpuCoverage::kLent;
  Take(&load, coverage);
  EXPECT_TRUE(load.IsInPart(500));
  coverage.coverage = GpuCoverage::kAll;
  coverage.ticks = 600;
  Take(&load, coverage);
  EXPECT_TRUE(load.IsInPart(599));
  EXPECT_FALSE(load.IsInPart(600));
  Clock(&load, kOther);
  Operation(&load, 1, 1110, 1120, DeviceOpType::kKernel, kOther);
  EXPECT_TRUE(load.IsInPart(600)) << "the other source does not say what it owes";
}

TEST(ProcessLoad, TimesWithoutAClockAreMissing) {
  ProcessLoad load;
  Call(&load, 1, 100);
  Operation(&load, 1, 1110, 1120);
  EXPECT_TRUE(load.IsInPart(50));
  EXPECT_EQ(load.BusyWithin(0, 10000), 0u);
}

TEST(ProcessLoad, BearsAnyRecord) {
  ProcessLoad load;
  std::mt19937 random(11);
  for (int i = 0; i < 200000; ++i) {
    char bytes[160];
    for (char& byte : bytes) byte = static_cast<char>(random());
    RecordHead head;
    bytes[0] = static_cast<char>(random() % 30);
    std::memcpy(&head, bytes, sizeof(head));
    load.SetRate(i % 2 == 0 ? 1 : 0.3);
    load.TakeRecord(head, {bytes, random() % sizeof(bytes)});
    load.memory().PassTo(random());
    (void)load.BusyWithin(random(), random());
    (void)load.IsOwed(random());
  }
}

}  // namespace
}  // namespace syncline::process_load_test
