// SPDX-License-Identifier: Apache-2.0
// Cycle counters, and the way from CLOCK_MONOTONIC to CLOCK_MONOTONIC_RAW.
#include "tests/simulated_gpu/level_zero/device_clock.h"

#include <gtest/gtest.h>

#include <ctime>

#include "tests/simulated_gpu/engine/clock.h"

namespace simgpu::level_zero {
namespace {

constexpr uint64_t kWrap = 5'000'000'000;

TEST(CycleCounter, WrapsWhenItIsTold) {
  const CycleCounter counter(19'200'000, 0, 32, kWrap);
  EXPECT_EQ(MaskTo(counter.At(kWrap), 32), 0u);
  EXPECT_GT(MaskTo(counter.At(kWrap - 1000), 32), 0xfffffff0u - 20);
  EXPECT_EQ(MaskTo(counter.At(kWrap + 1'000'000'000), 32), 19'200'000u);
  // The whole counter goes on.
  EXPECT_GT(counter.At(kWrap), counter.At(kWrap - 1000));
}

TEST(CycleCounter, CountsItsFrequency) {
  const CycleCounter counter(12'500'000, 0, 32, kWrap);
  const uint64_t before = counter.At(kWrap - 2'000'000'000), after = counter.At(kWrap + kWrap);
  EXPECT_NEAR(static_cast<double>(after - before), 12.5e6 * 7, 2);
}

TEST(CycleCounter, MaySlew) {
  const CycleCounter exact(10'000'000, 0, 32, kWrap), fast(10'000'000, 100, 32, kWrap);
  const uint64_t second = kWrap + 1'000'000'000;
  EXPECT_NEAR(static_cast<double>(fast.At(second) - exact.At(second)), 1000, 2);
}

TEST(CycleCounter, NeverRunsBackwards) {
  const CycleCounter counter(19'200'000, 0, 32, kWrap);
  uint64_t before = 0;
  for (uint64_t ns = kWrap - 1000; ns < kWrap + 1000; ++ns) {
    EXPECT_GE(counter.At(ns), before);
    before = counter.At(ns);
  }
}

TEST(MaskTo, KeepsTheLowBits) {
  EXPECT_EQ(MaskTo(0x1'2345'6789, 32), 0x2345'6789u);
  EXPECT_EQ(MaskTo(~uint64_t{0}, 64), ~uint64_t{0});
}

TEST(RawAt, IsBetweenReadingsOfTheClock) {
  const uint64_t raw_before = RawNow();
  const uint64_t at = Now();
  const uint64_t raw_after = RawNow();
  const uint64_t raw = RawAt(at);
  // The two clocks are read one after the other, so that a pair of them is not exact.
  constexpr uint64_t kSlack = 5'000'000;
  EXPECT_GE(raw + kSlack, raw_before);
  EXPECT_LE(raw, raw_after + kSlack);
}

// A kernel's time stamps are read now and again later.
TEST(RawAt, DoesNotForgetWhatItSaid) {
  uint64_t asked[5], said[5];
  for (int i = 0; i < 5; ++i) {
    asked[i] = Now();
    said[i] = RawAt(asked[i]);
    timespec pause = {0, 12'000'000};
    nanosleep(&pause, nullptr);
  }
  for (int i = 0; i < 5; ++i) EXPECT_EQ(RawAt(asked[i]), said[i]);
}

TEST(RawAt, KeepsTheOrderOfTimes) {
  const uint64_t first = Now();
  SleepUntil(first + 25'000'000);
  const uint64_t last = Now();
  uint64_t before = 0;
  for (uint64_t ns = first; ns < last; ns += 1'000'000) {
    EXPECT_GT(RawAt(ns), before);
    before = RawAt(ns);
  }
}

}  // namespace
}  // namespace simgpu::level_zero
