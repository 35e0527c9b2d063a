// SPDX-License-Identifier: Apache-2.0
// Windows of steps and schedules: what their texts mean, and which steps are recorded.
#include "inject/core/step_schedule.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace syncline::step_schedule_test {
namespace {

std::vector<uint64_t> StepsBelow(uint64_t end, const StepSchedule& schedule) {
  std::vector<uint64_t> steps;
  for (uint64_t step = 0; step < end; ++step) {
    if (schedule.Records(step)) steps.push_back(step);
  }
  return steps;
}

void ExpectWindow(const char* text, const std::vector<uint64_t>& recorded_of_ten) {
  StepSchedule window;
  ASSERT_TRUE(ParseStepWindow(text, &window)) << text;
  EXPECT_EQ(StepsBelow(10, window), recorded_of_ten) << text;
}

TEST(StepWindow, TheEndIsNotIncluded) {
  ExpectWindow("5:8", {5, 6, 7});
  ExpectWindow("0:1", {0});
  ExpectWindow("7:", {7, 8, 9});
  ExpectWindow(":3", {0, 1, 2});
  ExpectWindow("0:", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  ExpectWindow("005:6", {5});
}

TEST(StepWindow, WhatIsRecordedHasOneBeginAndOneEnd) {
  StepSchedule window;
  ASSERT_TRUE(ParseStepWindow("5:8", &window));
  for (const uint64_t step : {uint64_t{4}, uint64_t{8}, uint64_t{1000}, UINT64_MAX})
    EXPECT_FALSE(window.Records(step)) << step;
  ASSERT_TRUE(ParseStepWindow("999999998:999999999", &window));
  EXPECT_FALSE(window.Records(999'999'997));
  EXPECT_TRUE(window.Records(999'999'998));
  EXPECT_FALSE(window.Records(999'999'999));
}

TEST(StepWindow, OtherFormsAreRefusedAndChangeNothing) {
  for (const char* bad :
       {"",     "5",    "8:5",   "5:5",         ":",           ":0",  "0:0",   "a:b",
        "5:b",  "a:8",  "5:8:9", "1234567890:", ":1234567890", "5-8", " 5:8",  "5:8 ",
        "5 :8", "-5:8", "+5:8",  "5:-8",        "0x5:8",       "5,8", "5:8,9", "::"}) {
    StepSchedule window = {1, 2, 3, 4};
    EXPECT_FALSE(ParseStepWindow(bad, &window)) << bad;
    EXPECT_EQ(window.skip_first, 1u) << bad;
    EXPECT_EQ(window.idle, 2u) << bad;
    EXPECT_EQ(window.active, 3u) << bad;
    EXPECT_EQ(window.repeat, 4u) << bad;
  }
}

TEST(StepWindow, ANumberIsAtMostNineDigits) {
  uint64_t number = 7;
  EXPECT_TRUE(ParseSteps("999999999", &number));
  EXPECT_EQ(number, 999'999'999u);
  for (const char* bad : {"", "1234567890", "0000000001", "1e3", "-1", "1 ", "1.0"})
    EXPECT_FALSE(ParseSteps(bad, &number)) << bad;
  EXPECT_EQ(number, 999'999'999u);
}

TEST(Schedule, EachKeyCounts) {
  const ParsedSchedule parsed = ParseSchedule("wait=4 warmup=1 active=3 repeat=2 skip-first=10");
  ASSERT_EQ(parsed.error, ScheduleError::kNone);
  EXPECT_EQ(parsed.schedule.idle, 5u);
  EXPECT_EQ(parsed.schedule.active, 3u);
  EXPECT_EQ(parsed.schedule.repeat, 2u);
  EXPECT_EQ(parsed.schedule.skip_first, 10u);
  EXPECT_EQ(StepsBelow(100, parsed.schedule), (std::vector<uint64_t>{15, 16, 17, 23, 24, 25}));
}

TEST(Schedule, OrderAndSeparatorsDoNotMatter) {
  for (const char* text : {"wait=2 active=1 skip-first=3", "active=1,wait=2,skip-first=3",
                           "skip_first=3 wait=2,active=1", " ,  active=1 , , wait=2 skip_first=3 ,",
                           "wait=9 active=1 skip_first=3 wait=2"}) {
    const ParsedSchedule parsed = ParseSchedule(text);
    EXPECT_EQ(parsed.error, ScheduleError::kNone) << text;
    EXPECT_EQ(StepsBelow(12, parsed.schedule), (std::vector<uint64_t>{5, 8, 11})) << text;
  }
}

TEST(Schedule, WhatIsNotNamedIsZero) {
  const ParsedSchedule parsed = ParseSchedule("active=1");
  ASSERT_EQ(parsed.error, ScheduleError::kNone);
  EXPECT_EQ(StepsBelow(3, parsed.schedule), (std::vector<uint64_t>{0, 1, 2}));
}

void ExpectWrong(const char* text, ScheduleError error, const char* word) {
  const ParsedSchedule parsed = ParseSchedule(text);
  EXPECT_EQ(parsed.error, error) << text;
  EXPECT_EQ(parsed.word, word) << text;
}

TEST(Schedule, TheFirstWordThatIsWrongIsNamed) {
  ExpectWrong("wait=1 warm-up=2 active=x", ScheduleError::kUnknownKey, "warm-up=2");
  ExpectWrong("active=1 Wait=1", ScheduleError::kUnknownKey, "Wait=1");
  ExpectWrong("=3", ScheduleError::kUnknownKey, "=3");
  ExpectWrong("active=1,skipfirst=2", ScheduleError::kUnknownKey, "skipfirst=2");
  ExpectWrong("active", ScheduleError::kBadNumber, "active");
  ExpectWrong("active=", ScheduleError::kBadNumber, "active=");
  ExpectWrong("active=1 wait=-1", ScheduleError::kBadNumber, "wait=-1");
  ExpectWrong("active=3=4", ScheduleError::kBadNumber, "active=3=4");
  ExpectWrong("active=1234567890", ScheduleError::kBadNumber, "active=1234567890");
}

TEST(Schedule, WithoutAnActiveStepThereIsNone) {
  for (const char* text : {"", " , ", "wait=4", "active=0", "wait=1 warmup=1 repeat=3"})
    EXPECT_EQ(ParseSchedule(text).error, ScheduleError::kNoActive) << text;
}

TEST(Schedule, NoScheduleRecordsAll) {
  const StepSchedule none;
  EXPECT_TRUE(none.empty());
  EXPECT_TRUE(none.Records(0));
  EXPECT_TRUE(none.Records(UINT64_MAX));
}

TEST(Schedule, ItIsOverBehindItsLastStep) {
  StepSchedule window;
  ASSERT_TRUE(ParseStepWindow("5:8", &window));
  EXPECT_FALSE(window.IsOver(0));
  EXPECT_FALSE(window.IsOver(7));
  EXPECT_TRUE(window.IsOver(8));
  const StepSchedule cycles = ParseSchedule("wait=2 active=1 repeat=2 skip-first=3").schedule;
  EXPECT_FALSE(cycles.IsOver(6)) << "between two cycles";
  EXPECT_FALSE(cycles.IsOver(8));
  EXPECT_TRUE(cycles.IsOver(9));
}

TEST(Schedule, WithoutAnEndItIsNeverOver) {
  StepSchedule open;
  ASSERT_TRUE(ParseStepWindow("5:", &open));
  EXPECT_FALSE(open.IsOver(1'000'000));
  EXPECT_FALSE(ParseSchedule("wait=2 active=1").schedule.IsOver(UINT64_MAX));
  EXPECT_FALSE(StepSchedule().IsOver(UINT64_MAX));
}

struct Torch {
  uint64_t skip_first, wait, warmup, active, repeat;
};

// What torch.profiler.schedule documents, step by step: "skip the first `skip_first` steps, then
// wait for `wait` steps, then do the warmup for the next `warmup` steps, then do the active
// recording for the next `active` steps and then repeat the cycle"; repeat 0: until the end.
std::vector<uint64_t> Documented(const Torch& torch, uint64_t end) {
  std::vector<bool> records(torch.skip_first, false);
  for (uint64_t cycle = 0; records.size() < end; ++cycle) {
    const bool over = torch.repeat != 0 && cycle >= torch.repeat;
    records.insert(records.end(), torch.wait + torch.warmup, false);
    records.insert(records.end(), torch.active, !over);
  }
  std::vector<uint64_t> steps;
  for (uint64_t step = 0; step < end; ++step) {
    if (records[step]) steps.push_back(step);
  }
  return steps;
}

StepSchedule Parsed(const Torch& torch) {
  const std::string text =
      "skip_first=" + std::to_string(torch.skip_first) + " wait=" + std::to_string(torch.wait) +
      " warmup=" + std::to_string(torch.warmup) + " active=" + std::to_string(torch.active) +
      " repeat=" + std::to_string(torch.repeat);
  const ParsedSchedule parsed = ParseSchedule(text);
  EXPECT_EQ(parsed.error, ScheduleError::kNone) << text;
  return parsed.schedule;
}

TEST(Schedule, IsTheOneOfTorchProfiler) {
  constexpr uint64_t kEnd = 80;
  for (uint64_t number = 0; number < 4 * 4 * 3 * 4 * 4; ++number) {
    const Torch torch = {number % 4 * 5, number / 4 % 4, number / 16 % 3, 1 + number / 48 % 4,
                         number / 192 % 4};
    ASSERT_EQ(StepsBelow(kEnd, Parsed(torch)), Documented(torch, kEnd))
        << torch.skip_first << " " << torch.wait << " " << torch.warmup << " " << torch.active
        << " " << torch.repeat;
  }
}

}  // namespace
}  // namespace syncline::step_schedule_test
