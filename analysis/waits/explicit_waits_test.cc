// SPDX-License-Identifier: Apache-2.0
// Rows E1 to E9, N1 to N8 of docs/waits.md, and its rules, as hand-made records.
#include <gtest/gtest.h>

#include "analysis/waits/idle.h"
#include "analysis/waits/testing.h"
#include "analysis/waits/waits.h"

namespace syncline {
namespace {

using testing::FindGaps;
using testing::FindWaits;
using testing::kOtherStream;
using testing::kStream;
using testing::kUnblocked;
using testing::Process;

Wait Only(Process& process) {
  const std::vector<Wait> waits = FindWaits(process.records);
  EXPECT_EQ(waits.size(), 1u);
  return waits.empty() ? Wait{} : waits[0];
}

void ExpectWait(const Wait& wait, WaitClass wait_class, uint32_t waited_for, bool already_done) {
  EXPECT_STREQ(WaitClassName(wait.wait_class), WaitClassName(wait_class));
  EXPECT_EQ(wait.waited_for, waited_for);
  EXPECT_EQ(wait.already_done, already_done);
}

TEST(ExplicitWaits, E1DeviceSynchronizeWaitsForAllStreamsOfItsContextOnly) {
  Process process;
  process.Kernel(0, 5, 50);
  const uint32_t last = process.Kernel(3, 5, 90, kUnblocked);
  process.context = 2;
  process.Kernel(6, 10, 500);
  process.context = 1;
  process.Call("cudaDeviceSynchronize", 10, 92);
  process.Sync(GpuSyncKind::kContext);
  const Wait wait = Only(process);
  ExpectWait(wait, WaitClass::kDevice, last, false);
  EXPECT_EQ(wait.begin_ns, 10'000u);
  EXPECT_EQ(wait.end_ns, 92'000u);
  EXPECT_EQ(wait.device, 0u);
  EXPECT_EQ(wait.tid, 100u);
}

TEST(ExplicitWaits, E1WithoutSynchronizationRecordTakesTheThreadsContext) {
  Process process;
  const uint32_t kernel = process.Kernel(0, 5, 50);
  process.tid = 101;
  process.context = 2;
  process.Kernel(3, 10, 20);
  process.tid = 100;
  process.Call("cuCtxSynchronize_v2", 10, 52);
  ExpectWait(Only(process), WaitClass::kDevice, kernel, false);
}

TEST(ExplicitWaits, E2StreamSynchronizeWaitsForThatStream) {
  Process process;
  const uint32_t kernel = process.Kernel(0, 5, 50);
  process.Kernel(3, 5, 90, kOtherStream);
  process.Call("cudaStreamSynchronize_ptsz", 10, 52);
  process.Sync(GpuSyncKind::kStream, kStream);
  ExpectWait(Only(process), WaitClass::kStream, kernel, false);
}

TEST(ExplicitWaits, E2IdleStreamReturnsAtOnceWhileTheLegacyStreamIsBusy) {
  Process process;
  process.Kernel(0, 5, 90, testing::kLegacyStream);
  process.Call("cudaStreamSynchronize", 10, 11);
  process.Sync(GpuSyncKind::kStream, kStream);
  ExpectWait(Only(process), WaitClass::kStream, 0, true);
}

TEST(ExplicitWaits, E2StreamThatWaitsForAnEventWaitsForWhatItCaptured) {
  Process process;
  const uint32_t kernel = process.Kernel(0, 5, 90, kOtherStream);
  process.Call("cudaEventRecord", 3, 4);
  process.Record(1, kOtherStream);
  process.Call("cudaStreamWaitEvent", 5, 6);
  process.Sync(GpuSyncKind::kStreamWaitEvent, kStream, 1);
  process.Call("cudaStreamSynchronize", 10, 92);
  process.Sync(GpuSyncKind::kStream, kStream);
  ExpectWait(Only(process), WaitClass::kStream, kernel, false);
}

TEST(ExplicitWaits, E2WithoutSynchronizationRecordTakesTheTailThatEndedMeanwhile) {
  Process process;
  process.Kernel(0, 5, 200, kOtherStream);
  const uint32_t kernel = process.Kernel(3, 5, 90);
  process.Call("cuStreamSynchronize", 10, 92);
  ExpectWait(Only(process), WaitClass::kStream, kernel, false);
}

TEST(ExplicitWaits, E2HostFunctionsAreWaitedForToo) {
  Process process;
  process.Kernel(0, 5, 50);
  const uint32_t function = process.Call("cudaLaunchHostFunc", 3, 4);
  process.Call("cudaStreamSynchronize", 60, 1500);
  process.Sync(GpuSyncKind::kStream, kStream);
  const Wait wait = Only(process);
  ExpectWait(wait, WaitClass::kStream, function, false);
  EXPECT_EQ(wait.op, kNoOp);
}

// Of another stream, or with work behind it, it was not what was waited for.
TEST(ExplicitWaits, E2OnlyFunctionsOfTheStreamThatNothingStandsBehind) {
  Process process;
  const uint32_t kernel = process.Kernel(0, 5, 50);
  process.Call("cudaLaunchHostFunc", 3, 4);
  process.Function(kOtherStream);
  process.Call("cudaStreamSynchronize", 60, 1500);
  process.Sync(GpuSyncKind::kStream, kStream);
  ExpectWait(Only(process), WaitClass::kStream, kernel, true);
  Process behind;
  behind.Call("cudaLaunchHostFunc", 1, 2);
  behind.Function(kStream);
  const uint32_t last = behind.Kernel(3, 500, 550);
  behind.Call("cudaStreamSynchronize", 60, 1500);
  behind.Sync(GpuSyncKind::kStream, kStream);
  ExpectWait(Only(behind), WaitClass::kStream, last, false);
}

TEST(ExplicitWaits, E4AnEventStandsForTheFunctionBeforeIt) {
  Process process;
  process.Kernel(0, 5, 50);
  const uint32_t function = process.Call("cudaLaunchHostFunc", 3, 4);
  process.Function(kStream);
  process.Call("cudaEventRecord", 5, 6);
  process.Record(1, kStream);
  process.Call("cudaLaunchHostFunc", 7, 8);
  process.Function(kStream);
  process.Call("cudaEventSynchronize", 60, 1500);
  process.Sync(GpuSyncKind::kEvent, kNoId, 1);
  ExpectWait(Only(process), WaitClass::kEvent, function, false);
}

TEST(ExplicitWaits, E3LegacyStreamGathersBlockingStreamsOnly) {
  Process process;
  process.Kernel(0, 5, 50, testing::kLegacyStream);
  const uint32_t kernel = process.Kernel(3, 5, 90, kOtherStream);
  process.Kernel(6, 9, 200, kUnblocked);
  process.Call("cudaStreamSynchronize", 10, 92);
  process.Sync(GpuSyncKind::kStream, testing::kLegacyStream);
  ExpectWait(Only(process), WaitClass::kLegacyStream, kernel, false);
}

TEST(ExplicitWaits, E4EventSynchronizeWaitsForWhatTheLastRecordCaptured) {
  Process process;
  process.Kernel(0, 5, 20);
  process.Call("cudaEventRecord", 2, 3);
  process.Record(1, kStream);
  const uint32_t kernel = process.Kernel(4, 20, 50);
  process.Call("cudaEventRecord", 6, 7);
  process.Record(1, kStream);
  process.Kernel(8, 50, 90);
  process.Call("cudaEventSynchronize", 10, 52);
  process.Sync(GpuSyncKind::kEvent, kNoId, 1);
  ExpectWait(Only(process), WaitClass::kEvent, kernel, false);
}

TEST(ExplicitWaits, E5EventCompleteOrNeverRecorded) {
  Process process;
  const uint32_t kernel = process.Kernel(0, 5, 20);
  process.Call("cudaEventRecord", 2, 3);
  process.Record(1, kStream);
  process.Call("cudaEventSynchronize", 30, 31);
  process.Sync(GpuSyncKind::kEvent, kNoId, 1);
  process.Call("cuEventSynchronize", 40, 41);
  process.Sync(GpuSyncKind::kEvent, kNoId, 2);
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 2u);
  ExpectWait(waits[0], WaitClass::kEvent, kernel, true);
  ExpectWait(waits[1], WaitClass::kEvent, 0, true);
}

TEST(ExplicitWaits, E6LoneQueriesAreNoWait) {
  Process process;
  process.Kernel(0, 5, 90);
  for (const uint64_t at : {10, 20, 30}) {
    process.Call("cudaStreamQuery", at, at + 1, 600);
    process.Call("cudaGetDevice", at + 2, at + 3);
  }
  EXPECT_TRUE(FindWaits(process.records).empty());
}

TEST(ExplicitWaits, E7ASpinMayClearTheErrorOfEachQuery) {
  Process process;
  const uint32_t kernel = process.Kernel(0, 5, 38);
  for (const uint64_t at : {10, 20, 30}) {
    process.Call("cudaStreamQuery", at, at + 1, 600);
    process.Call("cudaGetLastError", at + 2, at + 3);
  }
  process.Call("cudaStreamQuery", 40, 41);
  const Wait wait = Only(process);
  ExpectWait(wait, WaitClass::kQuerySpin, kernel, false);
  EXPECT_EQ(wait.count, 4u);
}

TEST(ExplicitWaits, E7SpinIsOneWait) {
  Process process;
  const uint32_t kernel = process.Kernel(0, 5, 38);
  process.Call("cudaEventQuery", 5, 6, 600);  // of something else: by its name
  for (const uint64_t at : {10, 20, 30}) process.Call("cudaStreamQuery", at, at + 1, 600);
  process.tid = 101;
  process.Call("cudaGetLastError", 35, 36);  // of another thread: does not end it
  process.tid = 100;
  const uint32_t last = process.Call("cudaStreamQuery", 40, 41);
  process.Call("cudaStreamQuery", 42, 43);
  const Wait wait = Only(process);
  ExpectWait(wait, WaitClass::kQuerySpin, kernel, false);
  EXPECT_EQ(wait.begin_ns, 10'000u);
  EXPECT_EQ(wait.end_ns, 41'000u);
  EXPECT_EQ(wait.count, 4u);
  EXPECT_EQ(wait.correlation, last);
}

TEST(ExplicitWaits, E7OneNotReadyIsNoSpinAndTwoObjectsAreNone) {
  Process process;
  process.Kernel(0, 5, 90);
  process.Call("cudaStreamQuery", 10, 11, 600);
  process.Call("cudaStreamQuery", 95, 96);
  for (const uint32_t event : {1, 2, 1, 2}) {
    process.Call("cudaEventQuery", 100, 101, 600);
    process.Sync(GpuSyncKind::kEvent, kNoId, event);
  }
  EXPECT_TRUE(FindWaits(process.records).empty());
}

// PyTorch's allocator asks for one event of each stream in a row, some of them of unknown number.
TEST(ExplicitWaits, E7QueriesOfSeveralEventsAreNone) {
  Process process;
  process.Kernel(0, 5, 50);
  for (uint8_t event = 1; event <= 8; ++event) {
    process.Call("cudaEventQuery", 10u + event, 11u + event, 600);
    process.records.calls.back().queried = event & 0x3f;
  }
  EXPECT_TRUE(FindWaits(process.records).empty());
  for (SourceCall& call : process.records.calls) call.queried = call.queried == 0 ? 0 : 7;
  EXPECT_EQ(Only(process).count, 8u);
}

// As PyTorch's allocator does, which asks for its oldest event whenever it is asked for memory.
TEST(ExplicitWaits, E7WhoAsksAFewTimesAndGoesOnDidNotWait) {
  Process process;
  process.Kernel(0, 5, 900);
  for (uint64_t at = 10; at < 17; ++at) process.Call("cudaEventQuery", at, at + 1, 600);
  process.Kernel(20, 905, 910);
  EXPECT_TRUE(FindWaits(process.records).empty());
}

TEST(ExplicitWaits, E7SpinThatTheProcessDidNotFinish) {
  Process process;
  process.Kernel(0, 5, 900);
  for (uint64_t at = 10; at < 18; ++at) process.Call("cudaEventQuery", at, at + 1, 600);
  ExpectWait(Only(process), WaitClass::kQuerySpin, 0, false);
}

TEST(ExplicitWaits, E8ResetWaitsForTheContext) {
  Process process;
  const uint32_t kernel = process.Kernel(0, 5, 50);
  process.Call("cudaDeviceReset", 10, 80);
  ExpectWait(Only(process), WaitClass::kDevice, kernel, false);
}

TEST(ExplicitWaits, E8ReleaseOnlyIfItWasHeldUp) {
  Process process;
  process.Kernel(0, 5, 50);
  process.Call("cuDevicePrimaryCtxRelease_v2", 10, 11);
  const uint32_t last = process.Call("cuDevicePrimaryCtxRelease_v2", 20, 55);
  EXPECT_EQ(Only(process).correlation, last);
}

TEST(ExplicitWaits, E9LaunchBlockingWhereItIsKnown) {
  Process process;
  process.records.launch_blocking = LaunchBlocking::kOn;
  const uint32_t launch = process.Call("cudaLaunchKernel", 0, 60);
  process.Op(5, 50);
  ExpectWait(Only(process), WaitClass::kStream, launch, false);
}

TEST(ExplicitWaits, E9WhereItIsNotKnownAllLaunchesMustBlock) {
  for (const bool blocking : {true, false}) {
    Process process;
    process.records.launch_blocking = LaunchBlocking::kUnknown;
    for (uint64_t i = 0; i < 20; ++i) {
      process.Call("cudaLaunchKernel", i * 100, i * 100 + (blocking || i == 3 ? 60 : 3));
      process.Op(i * 100 + 5, i * 100 + 50);
    }
    EXPECT_EQ(FindWaits(process.records).size(), blocking ? 20u : 0u);
  }
}

TEST(ExplicitWaits, NeverWhatTheDeviceWaitsForOrTheDriverDoes) {
  for (const char* name :
       {"cudaStreamWaitEvent", "cudaLaunchHostFunc", "cudaStreamDestroy", "cudaEventDestroy",
        "cudaEventElapsedTime", "cudaMemPrefetchAsync", "cudaStreamCreate", "cudaMallocHost",
        "cudaMemPoolDestroy", "cuModuleLoadData", "cudaFreeAsync", "cudaGraphExecDestroy"}) {
    Process process;
    process.Kernel(0, 5, 50);
    process.Call(name, 10, 55);
    EXPECT_TRUE(FindWaits(process.records).empty()) << name;
  }
}

TEST(ExplicitWaits, RefusedCallsAndCallsInsideOthersAreNone) {
  Process process;
  process.Kernel(0, 5, 50);
  process.Call("cudaStreamSynchronize", 10, 11, 400);
  process.Call("cuStreamSynchronize", 20, 55);
  process.records.calls.back().inner = true;
  EXPECT_TRUE(FindWaits(process.records).empty());
}

TEST(ExplicitWaits, AlreadyDoneIsJudgedWhereTheVendorBeganToWait) {
  Process process;
  process.Kernel(0, 5, 12);
  process.Call("cudaDeviceSynchronize", 10, 15);
  process.Sync(GpuSyncKind::kContext);
  process.records.syncs.back().begin_ns = 13'000;
  EXPECT_TRUE(Only(process).already_done);
}

TEST(ExplicitWaits, ThatNeverEnded) {
  Process process;
  process.Kernel(0, 5, 50);
  const uint32_t hung = process.Call("cudaLaunchKernel", 60, 62);
  process.Call("cudaDeviceSynchronize", 70, 900);
  process.records.calls.back().open = true;
  process.tid = 101;
  process.Call("cudaStreamSynchronize", 71, 900);
  process.records.calls.back().open = true;
  process.tid = 102;
  process.Call("cudaMalloc", 72, 900);  // nobody knows what it was doing
  process.records.calls.back().open = true;
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 2u);
  ExpectWait(waits[0], WaitClass::kDevice, hung, false);
  ExpectWait(waits[1], WaitClass::kStream, 0, false);
  for (const Wait& wait : waits) {
    EXPECT_TRUE(wait.open);
    EXPECT_EQ(wait.end_ns, 900'000u);
  }
}

TEST(ExplicitWaits, AfterTheLastRecordNothingIsClaimed) {
  Process process;
  process.Kernel(0, 5, 50);
  process.Call("cudaLaunchKernel", 60, 62);
  process.Call("cudaStreamSynchronize", 70, 90);
  process.Sync(GpuSyncKind::kStream, kStream);
  const Wait wait = Only(process);
  EXPECT_TRUE(wait.lost);
  EXPECT_FALSE(wait.already_done);
  EXPECT_EQ(wait.waited_for, 0u);
  EXPECT_EQ(wait.op, kNoOp);
}

// Of a kernel that ran from 65 to 10,000 us there is no record.
Process WithoutAKernel() {
  Process process;
  process.Kernel(0, 5, 50);
  process.Call("cudaLaunchKernel", 60, 62);
  process.Call("cudaDeviceSynchronize", 70, 10'002);
  process.Kernel(10'010, 10'055, 10'060);
  process.records.end_ns = 10'060'000;
  return process;
}

TEST(ExplicitWaits, ThatNothingExplainsAreNotJudgedIfRecordsWereLost) {
  Process process = WithoutAKernel();
  process.records.device_records_lost = true;
  const Wait wait = Only(process);
  EXPECT_TRUE(wait.lost);
  EXPECT_FALSE(wait.already_done);
  EXPECT_EQ(wait.waited_for, 0u);
  EXPECT_EQ(wait.op, kNoOp);
  EXPECT_TRUE(
      FindGaps(process.records, std::vector<Wait>{wait}, 20'000).empty());  // the kernel ran there
  // With all records there it was a thread that lost its processor.
  Process whole = WithoutAKernel();
  ExpectWait(Only(whole), WaitClass::kDevice, 1, true);
}

TEST(ExplicitWaits, ThatRecordsExplainAreJudgedThoughOthersWereLost) {
  Process process;
  process.records.device_records_lost = true;
  const uint32_t kernel = process.Kernel(0, 5, 9'950);
  process.Call("cudaDeviceSynchronize", 70, 10'002);
  ExpectWait(Only(process), WaitClass::kDevice, kernel, false);
  Process needless;
  needless.records.device_records_lost = true;
  needless.Kernel(0, 5, 50);
  needless.Call("cudaDeviceSynchronize", 70, 90);
  ExpectWait(Only(needless), WaitClass::kDevice, 1, true);
  Process function;
  function.records.device_records_lost = true;
  function.Kernel(0, 5, 50);
  const uint32_t launched = function.Call("cudaLaunchHostFunc", 60, 62);
  function.Call("cudaDeviceSynchronize", 70, 10'002);
  ExpectWait(Only(function), WaitClass::kDevice, launched, false);
}

TEST(ExplicitWaits, RecordsInAnyOrderAndEndsBeforeBegins) {
  Process process;
  const uint32_t kernel = process.Kernel(0, 5, 50);
  process.Call("cudaDeviceSynchronize", 10, 52);
  process.Call("cudaFree", 70, 60);
  process.Op(90, 80);
  std::swap(process.records.calls[0], process.records.calls[2]);
  std::swap(process.records.ops[0], process.records.ops[1]);
  ExpectWait(Only(process), WaitClass::kDevice, kernel, false);
}

}  // namespace
}  // namespace syncline
