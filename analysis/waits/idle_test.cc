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

TEST(Gaps, HostWaited) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaDeviceSynchronize", 10, 102);
  process.Kernel(140, 145, 150);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 1u);
  ExpectGap(found.gaps[0], 100, 145, GapCause::kHostWaited);
  EXPECT_EQ(found.gaps[0].wait, 0u);
  EXPECT_EQ(found.gaps[0].tid, 100u);
}

TEST(Gaps, HostBusyThoughItWaitedABit) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Call("cudaDeviceSynchronize", 90, 102);
  process.Kernel(900, 905, 910);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 1u);
  ExpectGap(found.gaps[0], 100, 905, GapCause::kHostBusy);
  EXPECT_EQ(found.gaps[0].wait, kNoWait);
}

TEST(Gaps, LaunchLatency) {
  Process process;
  process.Kernel(0, 5, 100);
  process.Kernel(90, 140, 150);
  const Found found = Find(process);
  ASSERT_EQ(found.gaps.size(), 1u);
  ExpectGap(found.gaps[0], 100, 140, GapCause::kLaunchLatency);
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
