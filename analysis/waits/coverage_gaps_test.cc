// SPDX-License-Identifier: Apache-2.0
// Waits and gaps of a process that was recorded for a part of its life.
#include "model/devices/coverage_gaps.h"

#include <gtest/gtest.h>

#include <utility>

#include "analysis/waits/idle.h"
#include "analysis/waits/testing.h"
#include "analysis/waits/waits.h"

namespace syncline {
namespace {

using testing::FindGaps;
using testing::FindWaits;
using testing::kStream;
using testing::Process;

void NotRecorded(Process* process, uint64_t begin_us, uint64_t end_us) {
  process->records.unseen.push_back({begin_us * 1000, end_us * 1000});
}

std::vector<Gap> GapsOf(Process& process) {
  return FindGaps(process.records, FindWaits(process.records), 20'000);
}

void ExpectLost(const Wait& wait) {
  EXPECT_TRUE(wait.lost);
  EXPECT_FALSE(wait.already_done);
  EXPECT_EQ(wait.waited_for, 0u);
  EXPECT_EQ(wait.op, kNoOp);
}

TEST(CoverageGap, PeriodsThatMeetAreJoined) {
  std::vector<CoverageGap> periods = {{50, 60}, {10, 20}, {20, 30}, {12, 15}, {90, 80}};
  JoinCoverageGaps(&periods);
  ASSERT_EQ(periods.size(), 3u);
  EXPECT_EQ(periods[0].begin_ns, 10u);
  EXPECT_EQ(periods[0].end_ns, 30u);
  for (const auto& [from, until] : {std::pair(0u, 11u), {29u, 30u}, {15u, 16u}, {0u, 100u}})
    EXPECT_TRUE(MeetsCoverageGap(periods, from, until)) << from;
  for (const auto& [from, until] : {std::pair(0u, 10u), {30u, 50u}, {60u, 90u}, {91u, 99u}})
    EXPECT_FALSE(MeetsCoverageGap(periods, from, until)) << from;
}

TEST(CoverageGap, HowMuchOfAStretchTheyCover) {
  const std::vector<CoverageGap> periods = {{10, 30}, {50, 60}, {70, 70}, {80, UINT64_MAX}};
  struct {
    uint64_t from, until, covered;
  } const stretches[] = {{0, 10, 0},  {0, 11, 1},   {10, 30, 20}, {15, 20, 5}, {29, 50, 1},
                         {30, 50, 0}, {20, 55, 15}, {0, 80, 30},  {65, 75, 0}, {55, 100, 25},
                         {40, 40, 0}, {20, 20, 0},  {90, 95, 5},  {5, 100, 50}};
  for (const auto& [from, until, covered] : stretches)
    EXPECT_EQ(CoveredBy(periods, from, until), covered) << from << " " << until;
  EXPECT_EQ(CoveredBy(periods, 100, UINT64_MAX), UINT64_MAX - 100);
  EXPECT_EQ(CoveredBy({}, 0, UINT64_MAX), 0u);
}

// A kernel; nothing is recorded for 47 ms; a wait for who knows what; a kernel; then nothing again.
Process Lent() {
  Process process;
  process.Kernel(500, 1'000, 2'000);
  NotRecorded(&process, 3'000, 50'000);
  process.Call("cudaDeviceSynchronize", 51'000, 60'000);
  process.Kernel(61'000, 61'010, 62'000);
  NotRecorded(&process, 64'000, 100'000);
  process.records.end_ns = 100'000'000;
  return process;
}

TEST(CoverageGap, NoGapCrossesIt) {
  Process process = Lent();
  EXPECT_TRUE(GapsOf(process).empty());
  Process whole = Lent();
  whole.records.unseen.clear();
  EXPECT_EQ(GapsOf(whole).size(), 2u);
}

TEST(CoverageGap, GapsBesideItAreTold) {
  Process process = Lent();
  process.Kernel(62'000, 62'100, 62'200);
  const std::vector<Gap> gaps = GapsOf(process);
  ASSERT_EQ(gaps.size(), 1u);
  EXPECT_EQ(gaps[0].begin_ns, 62'000'000u);
  EXPECT_EQ(gaps[0].end_ns, 62'100'000u);
}

TEST(CoverageGap, AWaitAfterItIsForNobodyKnowsWhat) {
  Process process = Lent();
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 1u);
  ExpectLost(waits[0]);
  EXPECT_EQ(waits[0].gpu_idle_after_ns, kNothingFollows);
}

TEST(CoverageGap, WhatIsRecordedAgainIsKnown) {
  Process process = Lent();
  const uint32_t kernel = process.Kernel(62'100, 62'110, 62'500);
  process.Call("cudaDeviceSynchronize", 62'120, 62'510);
  process.Call("cudaDeviceSynchronize", 62'600, 62'605);
  process.Kernel(62'700, 62'710, 62'800);
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 3u);
  EXPECT_EQ(waits[1].waited_for, kernel);
  EXPECT_EQ(waits[1].gpu_idle_after_ns, 200'000u);
  EXPECT_TRUE(waits[2].already_done);
  EXPECT_FALSE(waits[1].lost || waits[2].lost);
}

TEST(CoverageGap, IdleAfterAWaitDoesNotCrossIt) {
  Process process;
  process.Kernel(0, 5, 50);
  process.Call("cudaDeviceSynchronize", 10, 52);
  NotRecorded(&process, 60, 900);
  process.Kernel(910, 915, 920);
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_FALSE(waits[0].lost);
  EXPECT_EQ(waits[0].gpu_idle_after_ns, kNothingFollows);
}

// What stood in the stream before it is not known: it waited for that until it began, at most.
TEST(CoverageGap, ACopyBehindIt) {
  Process process;
  process.Kernel(0, 5, 50);
  NotRecorded(&process, 60, 100);
  process.Call("cudaMemcpyAsync", 110, 900);
  process.Copy(500, 1000, MemoryKind::kPageable, MemoryKind::kDevice, 1 << 20, kStream);
  process.Call("cudaMemcpy", 1000, 1100);
  process.Copy(1010, 1090, MemoryKind::kDevice, MemoryKind::kPageable, 1 << 10);
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 2u);
  ExpectLost(waits[0]);
  EXPECT_EQ(waits[0].end_ns, 500'000u);
  EXPECT_FALSE(waits[1].lost);
}

TEST(CoverageGap, ASpinForAnEventRecordedInIt) {
  Process process;
  process.Kernel(0, 5, 50);
  process.Call("cudaEventRecord", 6, 8);
  process.Record(3, kStream);
  NotRecorded(&process, 60, 100);
  for (uint64_t at = 110; at < 150; at += 10) {
    process.Call("cudaEventQuery", at, at + 2, at < 140 ? 600 : 0);
    process.Sync(GpuSyncKind::kEvent, kNoId, 3);
  }
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 1u);
  ExpectLost(waits[0]);
}

TEST(CoverageGap, AHungWaitBehindItIsNotForTheLastLaunch) {
  for (const bool unseen : {false, true}) {
    Process process;
    process.Kernel(0, 5, 50);
    const uint32_t launch = process.Call("cudaLaunchKernel", 60, 62);
    if (unseen) NotRecorded(&process, 64, 100);
    process.Call("cudaDeviceSynchronize", 110, 900);
    process.records.calls.back().open = true;
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].waited_for, unseen ? 0 : launch);
  }
}

}  // namespace
}  // namespace syncline
