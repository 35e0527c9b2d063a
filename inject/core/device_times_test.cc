// SPDX-License-Identifier: Apache-2.0
// Sums of operations in any order against a plain count; regions and launches, also of several
// threads at once.
#include "inject/core/device_times.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <thread>
#include <vector>

#include "inject/core/busy_time.h"
#include "inject/core/emit.h"
#include "tests/fake_session/fake_session.h"

namespace syncline::device_times_test {
namespace {

constexpr Source kOne = 2, kOther = 3;
std::atomic<uint64_t> g_number;
std::atomic<uint32_t> g_correlation;

uint64_t Begin() {
  const HookScope scope;
  return BeginDeviceTime(scope.log(), ++g_number);
}
void End(uint64_t id) {
  const HookScope scope;
  EndDeviceTime(scope.log(), id);
}
uint32_t Launch(bool several = false, Source source = kOne) {
  const HookScope scope;
  FollowLaunch(scope.log(), source, ++g_correlation, several);
  return g_correlation;
}
void Come(uint32_t correlation, uint64_t begin, uint64_t end, Source source = kOne,
          DeviceOpType type = DeviceOpType::kKernel) {
  DeviceOpRecord op{};
  op.correlation = correlation;
  op.begin = begin;
  op.end = end;
  op.source = source;
  op.type = type;
  FollowOperation(op);
}
void Expect(uint64_t id, DeviceTimeState state, uint64_t ns) {
  const DeviceTime time = DeviceTimeOf(id);
  EXPECT_EQ(time.state, state);
  EXPECT_EQ(time.busy_ns, ns);
}

TEST(BusyTime, IsTheLengthOfAllThatIsCovered) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    static BusyTime busy;
    busy.Clear();
    std::map<uint32_t, std::vector<bool>> covered;
    for (int i = 0; i < 250; ++i) {
      const auto device = static_cast<uint32_t>(random() % 3);
      const uint64_t begin = random() % 5000, end = begin + random() % 60;
      EXPECT_TRUE(busy.Add(device, begin, end));
      covered[device].resize(6000);
      for (uint64_t at = begin; at < end; ++at) covered[device][at] = true;
    }
    uint64_t total = 0;
    for (const auto& [device, line] : covered) total += std::count(line.begin(), line.end(), true);
    ASSERT_EQ(busy.ns(), total);
  }
}

TEST(BusyTime, WhatComesInOrderIsExactHoweverMuchItIs) {
  static BusyTime busy;
  busy.Clear();
  for (uint64_t i = 0; i < 100000; ++i) EXPECT_TRUE(busy.Add(0, 10 * i, 10 * i + 4));
  EXPECT_EQ(busy.ns(), 400000u);
}

TEST(BusyTime, WhatComesFarTooLateIsNotCountedTwice) {
  static BusyTime busy;
  busy.Clear();
  for (uint64_t i = 0; i < 1000; ++i) busy.Add(0, 10 * i, 10 * i + 4);
  EXPECT_FALSE(busy.Add(0, 100, 200));
  EXPECT_EQ(busy.ns(), 4000u);
  EXPECT_FALSE(busy.Add(0, 100, 20000));
  EXPECT_LE(busy.ns(), 20000u);
  EXPECT_GE(busy.ns(), 14000u);
}

TEST(DeviceTimes, AreCompleteWhenAllCame) {
  const uint64_t outer = Begin();
  const uint32_t first = Launch();
  const uint64_t inner = Begin();
  const uint32_t second = Launch();
  Come(second, 100, 200);
  Expect(inner, DeviceTimeState::kPending, 100);
  End(inner);
  Expect(inner, DeviceTimeState::kComplete, 100);
  End(outer);
  Launch();  // in no region
  Expect(outer, DeviceTimeState::kPending, 100);
  Come(first, 150, 250, kOther);
  Expect(outer, DeviceTimeState::kPending, 100);
  Come(first, 150, 250);
  Expect(outer, DeviceTimeState::kComplete, 150);
  Come(first, 150, 950);  // not twice
  Expect(outer, DeviceTimeState::kComplete, 150);
}

TEST(DeviceTimes, OfWhatGaveNothingAreUnknown) {
  const uint64_t region = Begin();
  RetractLaunch(kOne, Launch());
  RetractLaunch(kOne, Launch(true));
  End(region);
  Expect(region, DeviceTimeState::kUnknown, 0);
  Expect(0, DeviceTimeState::kUnknown, 0);
  Expect(~uint64_t{0}, DeviceTimeState::kUnknown, 0);
  Expect(region + 1, DeviceTimeState::kUnknown, 0);
}

TEST(DeviceTimes, ALaunchThatIsTakenBackLateIsNoneOfTheRegionInThatPlace) {
  const auto place = [](uint64_t id) { return id >> 48; };
  const uint64_t before = Begin();
  const uint32_t late = Launch();
  End(before);
  uint64_t region = Begin();
  for (uint32_t i = 0; i < kDeviceTimes && place(region) != place(before); ++i) {
    End(region);
    region = Begin();
  }
  ASSERT_EQ(place(region), place(before));
  const uint32_t launch = Launch();
  RetractLaunch(kOne, late);
  Come(launch, 100, 200);
  End(region);
  Expect(region, DeviceTimeState::kComplete, 100);
}

TEST(DeviceTimes, OfManyOperationsOfALaunchAreAPart) {
  const uint64_t nodes = Begin();
  const uint32_t graph = Launch(true);
  End(nodes);
  Expect(nodes, DeviceTimeState::kPending, 0);
  Come(graph, 10, 20);
  Come(graph, 30, 40);
  Expect(nodes, DeviceTimeState::kAtLeast, 20);
  const uint64_t whole = Begin();
  const uint32_t again = Launch(true);
  End(whole);
  Come(again, 10, 40, kOne, DeviceOpType::kGraph);
  Expect(whole, DeviceTimeState::kComplete, 30);
}

TEST(DeviceTimes, OfWhatIsNotSeenAreAPart) {
  const uint64_t missed = Begin();
  const uint32_t seen = Launch();
  {
    const HookScope scope;
    MissLaunch(scope.log());
  }
  End(missed);
  Expect(missed, DeviceTimeState::kPending, 0);
  Come(seen, 5, 10);
  Expect(missed, DeviceTimeState::kAtLeast, 5);
  const uint64_t blind = Begin();
  const uint32_t before = Launch();
  Launch();
  Come(before, 5, 10);
  SetDeviceTimeCoverage(kOne, GpuCoverage::kLent);
  End(blind);
  Expect(blind, DeviceTimeState::kAtLeast, 5);
  const uint64_t all_blind = Begin();
  SetDeviceTimeCoverage(kOne, GpuCoverage::kAll);
  Launch();
  End(all_blind);
  Expect(all_blind, DeviceTimeState::kUnknown, 0);
}

TEST(DeviceTimes, OfTooManyAreRefusedOrForgotten) {
  std::vector<uint64_t> regions;
  for (uint32_t i = 0; i < kNestedDeviceTimes; ++i) regions.push_back(Begin());
  EXPECT_EQ(Begin(), 0u);
  const uint32_t launch = Launch();
  End(regions[0]);
  Come(launch, 1, 3);
  for (const uint64_t region : regions) Expect(region, DeviceTimeState::kComplete, 2);
  const uint64_t kept = Begin();
  const uint32_t late = Launch();
  uint32_t of_forgotten = 0;
  for (uint32_t i = 0; i < kDeviceTimes; ++i) {
    const uint64_t region = Begin();
    if (i == 0) of_forgotten = Launch();
    End(region);
  }
  Expect(regions[3], DeviceTimeState::kUnknown, 0);
  Come(late, 1, 3);
  Come(of_forgotten, 4, 6);
  End(kept);
  Expect(kept, DeviceTimeState::kComplete, 4);
}

TEST(DeviceTimes, OfLaunchesBeyondTheTableAreAPart) {
  const uint64_t region = Begin();
  const uint32_t first = Launch();
  for (uint32_t i = 1; i < 2 * kFollowedLaunches; ++i) Launch();
  const uint32_t last = g_correlation;
  End(region);
  for (uint32_t at = first; at <= last; ++at) Come(at, at, at + 1);
  const DeviceTime time = DeviceTimeOf(region);
  EXPECT_EQ(time.state, DeviceTimeState::kAtLeast);
  EXPECT_GE(time.busy_ns, kFollowedLaunches);
  EXPECT_LT(time.busy_ns, 2 * kFollowedLaunches);
}

// Operations come on two threads while four launch, and are asked for.
TEST(DeviceTimes, AreRightWhileManyThreadsRun) {
  constexpr uint32_t kThreads = 4, kRegions = 40, kLaunches = 20;
  std::atomic<uint32_t> to_come[1 << 12] = {}, wrong{0}, at_least{0};
  std::atomic<bool> done{false};
  const auto bring = [&](uint32_t of) {
    for (; !done.load(); std::this_thread::yield()) {
      for (uint32_t at = of; at < 1 << 12; at += 2) {
        const uint32_t correlation = to_come[at].exchange(0);
        if (correlation != 0)
          Come(correlation, 10 * uint64_t{correlation}, 10 * uint64_t{correlation} + 3);
      }
    }
  };
  const auto run = [&](uint32_t thread) {
    for (uint32_t i = 0; i < kRegions; ++i) {
      const uint64_t id = Begin();
      for (uint32_t j = 0; j < kLaunches; ++j) {
        const uint32_t correlation = ++g_correlation;
        {
          const HookScope scope;
          FollowLaunch(scope.log(), kOne, correlation, false);
        }
        to_come[(thread * kRegions + i) * kLaunches + j] = correlation;
      }
      End(id);
      DeviceTime time{};
      do {
        std::this_thread::yield();
        time = DeviceTimeOf(id);
      } while (time.state == DeviceTimeState::kPending);
      at_least += time.state == DeviceTimeState::kAtLeast;
      wrong += time.state == DeviceTimeState::kComplete
                   ? time.busy_ns != 3 * kLaunches
                   : time.state != DeviceTimeState::kAtLeast || time.busy_ns > 3 * kLaunches;
    }
  };
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < 2; ++i) threads.emplace_back(bring, i);
  for (uint32_t i = 0; i < kThreads; ++i) threads.emplace_back(run, i);
  for (uint32_t i = 2; i < threads.size(); ++i) threads[i].join();
  done = true;
  threads[0].join();
  threads[1].join();
  EXPECT_EQ(wrong, 0u);
  EXPECT_LT(at_least, kThreads * kRegions / 10);
}

TEST(DeviceTimes, OfAParentAreForgotten) {
  const uint64_t region = Begin();
  const uint32_t launch = Launch();
  ForgetDeviceTimes();
  Come(launch, 1, 2);
  Expect(region, DeviceTimeState::kUnknown, 0);
}

}  // namespace
}  // namespace syncline::device_times_test
