// SPDX-License-Identifier: Apache-2.0
// How long devices stayed idle after waits, and the cause of each gap.
#include "analysis/waits/idle.h"

#include <gtest/gtest.h>

#include "analysis/waits/testing.h"

namespace syncline {
namespace {

using testing::FindGaps;
using testing::FindWaits;
using testing::kOtherStream;
using testing::Process;

constexpr uint64_t kThresholdNs = 20'000;

struct Found {
  std::vector<Wait> waits;
  std::vector<Gap> gaps;
};

Found Find(Process& process) {
  Found found;
  found.waits = FindWaits(process.records);
  found.gaps = FindGaps(process.records, found.waits, kThresholdNs);
  return found;
}

void ExpectGap(const Gap& gap, uint64_t begin_us, uint64_t end_us, GapCause cause) {
  EXPECT_EQ(gap.begin_ns, begin_us * 1000);
  EXPECT_EQ(gap.end_ns, end_us * 1000);
  EXPECT_STREQ(GapCauseName(gap.cause), GapCauseName(cause));
}

TEST(IdleAfter, UntilTheNextOperationOfThatDevice) {
  Process process;
  process.Kernel(0, 5, 50);
  process.Call("cudaDeviceSynchronize", 10, 52);
  process.context = 2;
  process.Kernel(55, 60, 65);
  process.context = 1;
  process.Kernel(80, 85, 90);
  EXPECT_EQ(FindWaits(process.records)[0].gpu_idle_after_ns, 33'000u);
}

TEST(IdleAfter, NoneWhileAnotherStreamRuns) {
  Process process;
  process.Kernel(0, 5, 500, kOtherStream);
  process.Kernel(3, 5, 50);
  process.Call("cudaStreamSynchronize", 10, 52);
  process.Sync(GpuSyncKind::kStream, testing::kStream);
  process.Kernel(600, 605, 610);
  EXPECT_EQ(FindWaits(process.records)[0].gpu_idle_after_ns, 0u);
}

TEST(IdleAfter, NothingFollows) {
  Process process;
  process.Kernel(0, 5, 50);
  process.Call("cudaDeviceSynchronize", 10, 52);
  EXPECT_EQ(FindWaits(process.records)[0].gpu_idle_after_ns, kNothingFollows);
}

uint64_t PartUs(const Gap& gap, GapCause cause) {
  return gap.parts_ns[static_cast<size_t>(cause)] / 1000;
}

TEST(Gaps, AreSplitByTime) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaDeviceSynchronize", 10, 102);
  process.Call("cudaMemcpyAsync", 110, 112);
  process.Copy(115, 125, MemoryKind::kPinned, MemoryKind::kDevice, 1 << 20);
  process.Call("cudaStreamSynchronize", 113, 127);
  process.Kernel(160, 165, 170);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 1u);
  const Gap& gap = found.gaps[0];
  ExpectGap(gap, 100, 165, GapCause::kHostBusy);
  EXPECT_EQ(PartUs(gap, GapCause::kHostWaited), 2u + 4u) << "less what was copied meanwhile";
  EXPECT_EQ(PartUs(gap, GapCause::kCopy), 10u);
  EXPECT_EQ(PartUs(gap, GapCause::kHostBusy), 8u + 2u + 1u + 33u);
  EXPECT_EQ(PartUs(gap, GapCause::kLaunchLatency), 5u);
  EXPECT_EQ(gap.host_from_ns, 127'000u) << "the longest time between two calls";
  EXPECT_EQ(gap.host_until_ns, 160'000u);
  EXPECT_FALSE(gap.made_data);
  EXPECT_EQ(gap.tid, 100u);
}

TEST(Gaps, AWaitIsClippedToTheGap) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaDeviceSynchronize", 10, 140);
  process.Kernel(150, 155, 160);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 1u);
  ExpectGap(found.gaps[0], 100, 155, GapCause::kHostWaited);
  EXPECT_EQ(PartUs(found.gaps[0], GapCause::kHostWaited), 40u);
  EXPECT_EQ(found.gaps[0].wait, 0u);
}

// A copy to memory that the program has not touched yet: its call goes on behind the copy.
TEST(Gaps, TheCallInWhichTheHostWasBusyItself) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaMemcpyAsync", 110, 400);
  process.Copy(115, 125, MemoryKind::kDevice, MemoryKind::kPageable, 1 << 20);
  process.Kernel(450, 455, 460);
  process.Call("cudaEventRecord", 470, 500);
  process.Kernel(600, 605, 610);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 2u);
  EXPECT_EQ(PartUs(found.gaps[0], GapCause::kHostBusy), 10u + 275u + 50u);
  EXPECT_EQ(found.gaps[0].call_at_ns, 110'000u);
  EXPECT_EQ(process.records.call_names()[found.gaps[0].call_name], "cudaMemcpyAsync");
  EXPECT_EQ(found.gaps[1].call_at_ns, 0u) << "30 of 138 us";
}

TEST(Gaps, WhatIsCopiedWasMadeBefore) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaMemcpyAsync", 300, 302);
  process.Copy(305, 310, MemoryKind::kPinned, MemoryKind::kDevice, 1 << 20);
  process.Kernel(320, 325, 330);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 1u);
  EXPECT_TRUE(found.gaps[0].made_data);
  EXPECT_EQ(found.gaps[0].host_until_ns, 300'000u);
}

// An allocator of pinned memory keeps what was freed until an event.
TEST(Gaps, WhatSubmitsNothingDoesNotTellWhatWasMade) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaEventRecord", 298, 299);
  process.Call("cudaMemcpyAsync", 300, 302);
  process.Copy(305, 310, MemoryKind::kPinned, MemoryKind::kDevice, 1 << 20);
  process.Kernel(320, 325, 330);
  process.Call("cudaEventRecord", 600, 601);
  process.Kernel(602, 605, 610);
  process.Call("cudaMemcpyAsync", 611, 612);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 2u);
  EXPECT_TRUE(found.gaps[0].made_data);
  EXPECT_EQ(found.gaps[0].host_until_ns, 298'000u);
  EXPECT_FALSE(found.gaps[1].made_data);
}

TEST(Gaps, OnTheWayToTheFirstUseOfCode) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cuLibraryLoadData", 900, 950);
  process.Kernel(960, 965, 970);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 1u);
  ExpectGap(found.gaps[0], 100, 965, GapCause::kFirstUse);
  EXPECT_EQ(PartUs(found.gaps[0], GapCause::kFirstUse), 850u);
  EXPECT_EQ(PartUs(found.gaps[0], GapCause::kHostBusy), 10u);
  EXPECT_EQ(found.gaps[0].host_from_ns, 950'000u);
}

TEST(Gaps, WhereManyTimesAreTheGapTwoMomentsTell) {
  Process process;
  process.Kernel(0, 5, 100);
  for (uint64_t at = 200; at < 1000; at += 100) process.Call("cudaEventRecord", at, at + 1);
  process.Kernel(1000, 1005, 1010);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 1u);
  EXPECT_EQ(PartUs(found.gaps[0], GapCause::kHostBusy), 900u);
  EXPECT_EQ(found.gaps[0].host_from_ns, 301'000u);
  EXPECT_EQ(found.gaps[0].host_until_ns, 400'000u);
  EXPECT_EQ(found.gaps[0].host_later_ns, 800'000u);
}

TEST(Gaps, AfterTheLastKernelEachCopyEndsOne) {
  Process process;
  process.Kernel(0, 5, 100);
  for (uint64_t at = 200; at < 500; at += 100) {
    process.Call("cudaMemcpyAsync", at, at + 10);
    process.Copy(at + 2, at + 8, MemoryKind::kDevice, MemoryKind::kPageable, 1 << 20);
  }
  process.records.end_ns = 700'000;
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 4u);
  ExpectGap(found.gaps[0], 100, 202, GapCause::kHostBusy);
  ExpectGap(found.gaps[1], 208, 302, GapCause::kHostBusy);
  ExpectGap(found.gaps[2], 308, 402, GapCause::kHostBusy);
  ExpectGap(found.gaps[3], 408, 700, GapCause::kNothingLeft);
}

TEST(Gaps, NobodyWaitedLongAndNobodyKnowsTheCall) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaDeviceSynchronize", 90, 102);
  process.Kernel(900, 905, 910);
  process.Op(1000, 1100).correlation = 77;  // --cuda-api none
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 2u);
  ExpectGap(found.gaps[0], 100, 905, GapCause::kHostBusy);
  EXPECT_EQ(PartUs(found.gaps[0], GapCause::kHostWaited), 2u);
  ExpectGap(found.gaps[1], 910, 1000, GapCause::kHostBusy);
  EXPECT_EQ(found.gaps[1].tid, 0u);
  EXPECT_EQ(found.gaps[1].host_until_ns, 0u) << "so it has no line";
}

TEST(Gaps, PartsAreTheWhole) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaMalloc", 90, 130);
  process.Call("cudaMemcpyAsync", 131, 180);
  process.Copy(135, 178, MemoryKind::kPageable, MemoryKind::kDevice, 1 << 20);
  process.Kernel(177, 190, 200);
  process.records.end_ns = 300'000;
  for (const Gap& gap : Find(process).gaps) {
    uint64_t sum = 0;
    for (const uint64_t part : gap.parts_ns) sum += part;
    EXPECT_EQ(sum, gap.end_ns - gap.begin_ns);
  }
}

TEST(Gaps, LaunchLatency) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Kernel(90, 140, 150);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 1u);
  ExpectGap(found.gaps[0], 100, 140, GapCause::kLaunchLatency);
}

// A stream of one device waits for an event of another; a second wait of that kind is for work that
// was over.
TEST(Gaps, AnotherDevicesWork) {
  Process process;
  const auto back = [&](uint64_t launch_us, uint64_t begin_us, uint64_t end_us) {
    process.context = testing::kContext;
    process.Call("cudaEventRecord", launch_us - 6, launch_us - 5);
    process.Record(9, testing::kStream);
    process.context = testing::kContext + 1;
    process.Call("cudaStreamWaitEvent", launch_us - 4, launch_us - 3);
    process.Sync(GpuSyncKind::kStreamWaitEvent, testing::kOtherStream, 9);
    process.Kernel(launch_us, begin_us, end_us, testing::kOtherStream);
  };
  process.context = testing::kContext + 1;
  process.Kernel(0, 5, 20, testing::kOtherStream);
  process.context = testing::kContext;
  const uint32_t front = process.Kernel(3, 6, 500);
  back(20, 510, 600);
  back(700, 720, 730);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 2u);
  ExpectGap(found.gaps[0], 20, 510, GapCause::kOtherDevice);
  EXPECT_EQ(PartUs(found.gaps[0], GapCause::kOtherDevice), 480u)
      << "from 20 on, when it was submitted";
  EXPECT_EQ(PartUs(found.gaps[0], GapCause::kLaunchLatency), 10u);
  EXPECT_EQ(process.records.ops[found.gaps[0].awaited].correlation, front);
  EXPECT_EQ(PartUs(found.gaps[1], GapCause::kOtherDevice), 0u);
  EXPECT_EQ(found.gaps[1].awaited, kNoOp);
}

// From the submission on, or while the thread that submits next waits for the function.
TEST(Gaps, AFunctionOfTheHost) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaLaunchHostFunc", 3, 4);
  process.Function(testing::kStream);
  process.Kernel(150, 400, 500);
  process.Call("cudaLaunchHostFunc", 405, 406);
  process.Function(testing::kStream);
  process.Call("cudaStreamSynchronize", 410, 800);
  process.Sync(GpuSyncKind::kStream, testing::kStream);
  process.Kernel(845, 850, 900);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 2u);
  ExpectGap(found.gaps[0], 100, 400, GapCause::kHostFunction);
  EXPECT_EQ(PartUs(found.gaps[0], GapCause::kHostFunction), 250u);
  EXPECT_EQ(PartUs(found.gaps[0], GapCause::kHostBusy), 50u);
  EXPECT_EQ(found.gaps[0].function, 0u);
  ExpectGap(found.gaps[1], 500, 850, GapCause::kHostFunction);
  EXPECT_EQ(PartUs(found.gaps[1], GapCause::kHostFunction), 300u);
  EXPECT_EQ(PartUs(found.gaps[1], GapCause::kHostWaited), 0u);
  EXPECT_EQ(found.gaps[1].function, 1u);
}

TEST(Gaps, CopyInTheWay) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaMemcpyAsync", 3, 4);
  process.Copy(80, 130, MemoryKind::kPinned, MemoryKind::kDevice, 1 << 20);
  process.Call("cudaMemcpyAsync", 5, 6);
  process.Copy(135, 170, MemoryKind::kPinned, MemoryKind::kDevice, 1 << 20);
  process.Kernel(7, 150, 200);
  process.Kernel(240, 250, 260);  // none of the copies reaches into this gap
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 2u);
  ExpectGap(found.gaps[0], 100, 150, GapCause::kCopy);
  ExpectGap(found.gaps[1], 200, 250, GapCause::kHostBusy);
}

TEST(Gaps, NothingLeftUntilTheEndOfTheProcess) {
  Process process;
  process.Kernel(0, 5, 100);
  process.records.end_ns = 500'000;
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 1u);
  ExpectGap(found.gaps[0], 100, 500, GapCause::kNothingLeft);
}

TEST(Gaps, NobodyKnowsWhatWorkWithoutARecordDid) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaLaunchKernel", 300, 302);
  process.records.end_ns = 500'000;
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 1u);
  ExpectGap(found.gaps[0], 100, 300, GapCause::kNothingLeft);
  process.records.calls.back().result = 1;  // it was refused
  EXPECT_EQ(Find(process).gaps[0].end_ns, 500'000u);
}

TEST(Gaps, OfEachDeviceAndOverTheThresholdOnly) {
  Process process;
  for (const uint32_t context : {1, 2}) {
    process.context = context;
    process.Kernel(0, 5, 100);
    process.Kernel(90, 119, 130, kOtherStream);
    process.Kernel(170, 180, 190);
  }
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 2u);
  for (uint32_t device : {0, 1}) {
    EXPECT_EQ(found.gaps[device].device, device);
    ExpectGap(found.gaps[device], 130, 180, GapCause::kHostBusy);
  }
}

}  // namespace
}  // namespace syncline
