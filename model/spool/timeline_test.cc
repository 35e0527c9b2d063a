// SPDX-License-Identifier: Apache-2.0
// The line through anchors: exact where it must be, monotone always.
#include "model/spool/timeline.h"

#include <gtest/gtest.h>

#include <random>

#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

using testing::kStartRealtime;
using testing::kStartTicks;
using testing::PlausibleAnchor;
using testing::PlausibleProcess;

constexpr double kTscPerNs = 2.6;
constexpr uint64_t kSecond = 1000000000;

// An anchor of a TSC of 2.6 GHz that began with the machine, `after` ns after kStartTicks, off by
// `noise` ns.
Anchor TscAnchor(uint64_t after, int64_t noise = 0) {
  Anchor anchor = PlausibleAnchor(kStartTicks + after);
  anchor.ticks = static_cast<uint64_t>(static_cast<double>(kStartTicks + after) * kTscPerNs);
  anchor.monotonic_ns += static_cast<uint64_t>(noise);
  anchor.error_ticks = 50;
  return anchor;
}

SpoolProcess TscProcess() {
  SpoolProcess process = PlausibleProcess();
  process.clock = static_cast<uint32_t>(ClockId::kTsc);
  process.start = TscAnchor(0);
  process.consumer_start = TscAnchor(50000);
  return process;
}

TEST(Timeline, MonotonicIsTheJobsLine) {
  const SpoolProcess process = PlausibleProcess();
  Timeline line;
  line.Build(process, {}, process.consumer_start);
  ASSERT_TRUE(line.valid());
  EXPECT_EQ(line.Convert(kStartTicks), kStartRealtime);
  EXPECT_EQ(line.Convert(kStartTicks + 123456789), kStartRealtime + 123456789);
  EXPECT_EQ(line.Convert(kStartTicks - 1000), kStartRealtime - 1000);
  EXPECT_EQ(line.namespace_offset_ns(), 0);
}

TEST(Timeline, MonotonicOfAnotherTimeNamespaceIsCorrected) {
  SpoolProcess process = PlausibleProcess();
  const uint64_t shift = 7 * 86400 * kSecond;
  process.start.monotonic_ns += shift;
  process.start.ticks += shift;
  Timeline line;
  line.Build(process, {}, process.consumer_start);
  EXPECT_EQ(line.namespace_offset_ns(), -static_cast<int64_t>(shift));
  EXPECT_EQ(line.Convert(kStartTicks + shift + 5), kStartRealtime + 5);
  EXPECT_GT(line.ErrorNs(0, UINT64_MAX), 0u);
}

TEST(Timeline, TscGoesThroughTheAnchors) {
  std::vector<Anchor> anchors;
  for (uint64_t second = 1; second <= 20; ++second) anchors.push_back(TscAnchor(second * kSecond));
  Timeline line;
  line.Build(TscProcess(), anchors, TscAnchor(0));
  ASSERT_TRUE(line.valid());
  for (const Anchor& anchor : anchors) {
    EXPECT_NEAR(static_cast<double>(line.Convert(anchor.ticks) - kStartRealtime),
                static_cast<double>(anchor.monotonic_ns - kStartTicks), 2);
  }
  EXPECT_NEAR(line.ticks_per_second(), 2.6e9, 1e3);
}

TEST(Timeline, NeverDecreases) {
  std::mt19937_64 random(3);
  std::vector<Anchor> anchors;
  for (uint64_t second = 1; second <= 50; ++second) {
    anchors.push_back(TscAnchor(second * kSecond, static_cast<int64_t>(random() % 2000) - 1000));
  }
  Timeline line;
  line.Build(TscProcess(), anchors, TscAnchor(0));
  std::vector<uint64_t> ticks = {0, 1, UINT64_MAX, UINT64_MAX - 1};
  for (int i = 0; i < 20000; ++i) ticks.push_back(TscAnchor(random() % (60 * kSecond)).ticks);
  for (const Anchor& anchor : anchors) {
    for (const uint64_t near : {anchor.ticks - 1, anchor.ticks, anchor.ticks + 1})
      ticks.push_back(near);
  }
  std::sort(ticks.begin(), ticks.end());
  uint64_t before = 0;
  for (const uint64_t tick : ticks) {
    const uint64_t ns = line.Convert(tick);
    ASSERT_GE(ns, before) << tick;
    before = ns;
  }
}

TEST(Timeline, StatesTheDistanceOfAnAnchorFromItsNeighboursLine) {
  std::vector<Anchor> anchors = {TscAnchor(kSecond), TscAnchor(2 * kSecond, 5000),
                                 TscAnchor(3 * kSecond)};
  Timeline line;
  line.Build(TscProcess(), anchors, TscAnchor(0));
  const uint64_t error = line.ErrorNs(TscAnchor(0).ticks, TscAnchor(3 * kSecond).ticks);
  EXPECT_GE(error, 5000u);
  EXPECT_LE(error, 5100u);
}

TEST(Timeline, SaysThatTheTicksWereSetBack) {
  std::vector<Anchor> anchors = {TscAnchor(kSecond), TscAnchor(2 * kSecond),
                                 TscAnchor(3 * kSecond)};
  Timeline line;
  line.Build(TscProcess(), anchors, TscAnchor(0));
  EXPECT_FALSE(line.set_back());
  anchors[2].ticks = 1000;  // counts from 0 again
  line.Build(TscProcess(), anchors, TscAnchor(0));
  EXPECT_TRUE(line.set_back());
  anchors[2].ticks = anchors[1].ticks - 10;  // two readings at once
  line.Build(TscProcess(), anchors, TscAnchor(0));
  EXPECT_FALSE(line.set_back());
}

TEST(Timeline, ExtrapolationFromCloseAnchorsSaysSo) {
  SpoolProcess process = TscProcess();
  Timeline line;
  line.Build(process, {}, TscAnchor(0));
  ASSERT_TRUE(line.valid());
  EXPECT_LT(line.ErrorNs(process.start.ticks, process.consumer_start.ticks), 100u);
  EXPECT_GT(line.ErrorNs(process.start.ticks, TscAnchor(10 * kSecond).ticks), 100000u);
}

TEST(Timeline, AKnownRateReplacesCloseAnchors) {
  SpoolProcess process = TscProcess();
  process.consumer_start.monotonic_ns += 500;  // 1 % of the distance
  Timeline line;
  line.Build(process, {}, TscAnchor(0), 2.6e9);
  const uint64_t at = line.Convert(TscAnchor(10 * kSecond).ticks);
  EXPECT_NEAR(static_cast<double>(at - kStartRealtime), 10e9, 1000);
}

TEST(Timeline, AnchorsThatStepBackAreLeftOut) {
  Anchor back = TscAnchor(2 * kSecond);
  back.monotonic_ns = kStartTicks;
  std::vector<Anchor> anchors = {TscAnchor(kSecond), back, TscAnchor(3 * kSecond)};
  Timeline line;
  line.Build(TscProcess(), anchors, TscAnchor(0));
  EXPECT_NEAR(static_cast<double>(line.Convert(TscAnchor(2 * kSecond).ticks) - kStartRealtime), 2e9,
              5);
}

TEST(Timeline, HostileAnchorsNeverCrash) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 2000; ++round) {
    auto any = [&random] {
      const uint64_t shift = random() % 64;
      return random() >> shift;
    };
    SpoolProcess process{};
    process.clock = static_cast<uint32_t>(random() % 4);
    process.start = {any(), any(), any(), any(), any(), any()};
    process.consumer_start = {any(), any(), any(), any(), any(), any()};
    std::vector<Anchor> anchors;
    for (uint64_t n = random() % 6; n > 0; --n)
      anchors.push_back({any(), any(), any(), any(), any(), any()});
    Timeline line;
    line.Build(process, anchors, process.consumer_start, random() % 2 == 0 ? 0 : 2.6e9);
    if (!line.valid()) continue;
    uint64_t ticks[3] = {any(), any(), any()};
    std::sort(ticks, ticks + 3);
    EXPECT_LE(line.Convert(ticks[0]), line.Convert(ticks[1]));
    EXPECT_LE(line.Convert(ticks[1]), line.Convert(ticks[2]));
    (void)line.ErrorNs(ticks[0], ticks[2]);
  }
}

}  // namespace
}  // namespace syncline
