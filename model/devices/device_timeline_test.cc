// SPDX-License-Identifier: Apache-2.0
// The device clock on the job's line: slewed, set, read badly, never read.
#include "model/devices/device_timeline.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "model/testing/spool_builder.h"

namespace syncline {
namespace {

using testing::kStartRealtime;
using testing::kStartTicks;

constexpr uint64_t kMs = 1000000;
constexpr uint64_t kSecond = 1000 * kMs;
// What a device clock of these tests shows at kStartTicks.
constexpr uint64_t kDevice = kStartRealtime - 37 * kSecond;

// The device clock shows `device_ns` in the middle of two ticks `bracket` apart.
DeviceClockRecord Reading(uint64_t after, uint64_t device_ns, uint64_t bracket = 40) {
  DeviceClockRecord record{};
  record.before = kStartTicks + after - bracket / 2;
  record.device_ns = device_ns;
  record.after = kStartTicks + after + bracket / 2;
  return record;
}

class DeviceTimelineTest : public ::testing::Test {
 protected:
  DeviceTimelineTest() {
    const SpoolProcess process = testing::PlausibleProcess();
    host.Build(process, {}, process.consumer_start);
  }

  Timeline host;
  DeviceTimeline line;
};

TEST_F(DeviceTimelineTest, OneReadingIsAnOffset) {
  line.Build({{Reading(kSecond, kDevice + kSecond, 200)}}, &host);
  ASSERT_TRUE(line.valid());
  EXPECT_EQ(line.Convert(kDevice), kStartRealtime);
  EXPECT_EQ(line.Convert(kDevice + 9 * kSecond), kStartRealtime + 9 * kSecond);
  EXPECT_EQ(line.ErrorNs(), 100u);
  EXPECT_EQ(line.steps(), 0u);
}

TEST_F(DeviceTimelineTest, WithoutAReadingThereIsNoLine) {
  line.Build({}, &host);
  EXPECT_FALSE(line.valid());
  EXPECT_EQ(line.steps(), 0u);
  DeviceClockRecord bad = Reading(kSecond, kDevice);
  std::swap(bad.before, bad.after);
  line.Build({{bad}}, &host);
  EXPECT_FALSE(line.valid());
  Timeline unknown;
  line.Build({{Reading(kSecond, kDevice)}}, &unknown);
  EXPECT_FALSE(line.valid());
}

// A clock that is slewed runs up to 1000 ppm fast or slow.
TEST_F(DeviceTimelineTest, BetweenReadingsItIsLinearEvenWhenSlewed) {
  std::vector<DeviceClockRecord> readings;
  for (uint64_t i = 0; i <= 20; ++i)
    readings.push_back(Reading(i * kSecond, kDevice + i * (kSecond + kMs)));
  line.Build(readings, &host);
  EXPECT_EQ(line.steps(), 0u);
  EXPECT_EQ(line.ErrorNs(), 20u);
  for (uint64_t i = 0; i < 20; ++i) {
    EXPECT_EQ(line.Convert(kDevice + i * (kSecond + kMs)), kStartRealtime + i * kSecond);
    const uint64_t middle = kDevice + i * (kSecond + kMs) + (kSecond + kMs) / 2;
    EXPECT_NEAR(static_cast<double>(line.Convert(middle) - kStartRealtime),
                static_cast<double>(i * kSecond + kSecond / 2), 2);
  }
  // Outside it goes on as fast as time does.
  const uint64_t last = kDevice + 20 * (kSecond + kMs);
  EXPECT_EQ(line.Convert(last + kSecond), kStartRealtime + 21 * kSecond);
  EXPECT_EQ(line.Convert(kDevice - kSecond), kStartRealtime - kSecond);
}

TEST_F(DeviceTimelineTest, ReadingsComeInAnyOrder) {
  std::vector<DeviceClockRecord> readings;
  for (uint64_t i = 0; i < 30; ++i)
    readings.push_back(Reading(i * kSecond, kDevice + i * (kSecond - 900'000)));
  DeviceTimeline sorted;
  sorted.Build(readings, &host);
  std::shuffle(readings.begin(), readings.end(), std::mt19937(4));
  line.Build(readings, &host);
  EXPECT_EQ(line.steps(), 0u);
  EXPECT_EQ(line.ErrorNs(), sorted.ErrorNs());
  for (uint64_t at = 0; at < 30 * kSecond; at += 123 * kMs + 7)
    ASSERT_EQ(line.Convert(kDevice + at), sorted.Convert(kDevice + at));
}

// The clock is set ahead, or back, by 500 s between 9 and 10 s.
TEST_F(DeviceTimelineTest, AClockThatIsSetGivesAStep) {
  for (const int64_t step : {int64_t{500}, int64_t{-500}}) {
    const uint64_t moved = static_cast<uint64_t>(step) * kSecond;
    std::vector<DeviceClockRecord> readings;
    for (uint64_t i = 0; i < 20; ++i)
      readings.push_back(Reading(i * kSecond, kDevice + i * kSecond + (i < 10 ? 0 : moved)));
    line.Build(readings, &host);
    EXPECT_EQ(line.steps(), 1u);
    EXPECT_EQ(line.ErrorNs(), 20u);
    for (uint64_t at = 0; at <= 9 * kSecond; at += 77 * kMs)
      ASSERT_EQ(line.Convert(kDevice + at), kStartRealtime + at) << step;
    for (uint64_t at = 10 * kSecond; at <= 30 * kSecond; at += 77 * kMs)
      ASSERT_EQ(line.Convert(kDevice + at + moved), kStartRealtime + at) << step;
    // In between as well, on both sides of the step.
    EXPECT_EQ(line.Convert(kDevice + 9 * kSecond + 400 * kMs), kStartRealtime + 9400 * kMs);
    EXPECT_EQ(line.Convert(kDevice + 9 * kSecond + 600 * kMs + moved), kStartRealtime + 9600 * kMs);
  }
}

// Set back by less than the run: times in the overlap belong to two epochs, the later one wins.
TEST_F(DeviceTimelineTest, OfTwoEpochsTheLaterOneWins) {
  std::vector<DeviceClockRecord> readings;
  for (uint64_t i = 0; i < 20; ++i) {
    const uint64_t back = i < 10 ? 0 : 5 * kSecond;
    readings.push_back(Reading(i * kSecond, kDevice + i * kSecond - back));
  }
  line.Build(readings, &host);
  EXPECT_EQ(line.steps(), 1u);
  EXPECT_EQ(line.Convert(kDevice + 2 * kSecond), kStartRealtime + 2 * kSecond);
  EXPECT_EQ(line.Convert(kDevice + 7 * kSecond), kStartRealtime + 12 * kSecond);
}

TEST_F(DeviceTimelineTest, AWideReadingGivesWayToAGoodOneBesideIt) {
  const DeviceClockRecord wide = Reading(kSecond, kDevice + kSecond + 300'000, kMs);
  line.Build({{wide, Reading(kSecond + 20 * kMs, kDevice + kSecond + 20 * kMs)}}, &host);
  EXPECT_EQ(line.steps(), 0u);
  EXPECT_EQ(line.Convert(kDevice + kSecond), kStartRealtime + kSecond);
  EXPECT_EQ(line.ErrorNs(), 20u);
  // Alone it is believed, and says how good it is.
  line.Build(
      {{Reading(kSecond, kDevice + kSecond), Reading(3 * kSecond, kDevice + 3 * kSecond, kMs)}},
      &host);
  EXPECT_EQ(line.ErrorNs(), kMs / 2);
}

TEST_F(DeviceTimelineTest, AReadingOffTheLineIsInTheError) {
  const uint64_t off = 50'000;
  line.Build({{Reading(kSecond, kDevice + kSecond),
               Reading(kSecond + 50 * kMs, kDevice + kSecond + 50 * kMs - off)}},
             &host);
  EXPECT_EQ(line.steps(), 0u);
  EXPECT_EQ(line.ErrorNs(), off - 20);
}

TEST_F(DeviceTimelineTest, OrderIsKept) {
  std::mt19937_64 random(5);
  std::vector<DeviceClockRecord> readings;
  uint64_t device = kDevice;
  for (uint64_t at = 0; at < 60 * kSecond; at += kSecond) {
    readings.push_back(Reading(at, device + random() % 2000, 40 + random() % 4000));
    device += kSecond - kMs + random() % (2 * kMs);
  }
  line.Build(readings, &host);
  EXPECT_EQ(line.steps(), 0u);
  std::vector<uint64_t> times;
  for (int i = 0; i < 1000; ++i) {
    const uint64_t begin = kDevice - kSecond + random() % (62 * kSecond);
    const uint64_t end = begin + random() % (i % 2 == 0 ? 100 : kSecond);
    EXPECT_LE(line.Convert(begin), line.Convert(end));
    times.insert(times.end(), {begin, end});
  }
  std::sort(times.begin(), times.end());
  for (size_t i = 1; i < times.size(); ++i)
    ASSERT_LE(line.Convert(times[i - 1]), line.Convert(times[i]));
}

// A damaged spool holds any numbers: nothing to expect of the line but that it is one.
TEST_F(DeviceTimelineTest, AnyNumbersGiveSomeLine) {
  std::mt19937_64 random(6);
  const uint64_t odd[] = {0,
                          1,
                          kStartTicks,
                          kStartRealtime,
                          uint64_t{1} << 63,
                          (uint64_t{1} << 63) - 1,
                          UINT64_MAX - 1,
                          UINT64_MAX};
  for (int round = 0; round < 3000; ++round) {
    std::vector<DeviceClockRecord> readings(1 + random() % 6);
    for (DeviceClockRecord& reading : readings) {
      reading.before = odd[random() % std::size(odd)] + random() % 2;
      reading.after = odd[random() % std::size(odd)] - random() % 2;
      reading.device_ns = odd[random() % std::size(odd)] + random() % 3;
    }
    line.Build(readings, &host);
    EXPECT_LT(line.steps(), readings.size());
    if (!line.valid()) continue;
    for (const uint64_t ns : odd) line.Convert(ns);
  }
}

}  // namespace
}  // namespace syncline
