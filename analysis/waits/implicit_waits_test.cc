// SPDX-License-Identifier: Apache-2.0
// Rows C, A, M, L, Q, D and G of docs/waits.md as hand-made records.
#include <gtest/gtest.h>

#include <string>

#include "analysis/waits/testing.h"
#include "analysis/waits/waits.h"

namespace syncline {
namespace {

using testing::FindWaits;
using testing::kOtherStream;
using testing::kStream;
using testing::kUnblocked;
using testing::Process;

constexpr MemoryKind kPageable = MemoryKind::kPageable, kPinned = MemoryKind::kPinned,
                     kDevice = MemoryKind::kDevice, kManaged = MemoryKind::kManaged,
                     kArray = MemoryKind::kArray;
constexpr uint64_t kSmall = 65536, kBig = 65537;

// What is waited for: nothing, the kernel before the copy, or the copy.
enum Target { kNothing, kKernel, kItself };

struct CopyRow {
  const char* row;
  const char* call;
  MemoryKind from, to;
  uint64_t bytes;
  Target target;
  WaitClass wait_class;
};

constexpr WaitClass kSync = WaitClass::kSyncCopy, kPaged = WaitClass::kPageableCopy;

constexpr CopyRow kCopies[] = {
    {"C1", "cudaMemcpy", kPageable, kDevice, kBig, kKernel, kSync},
    {"C1", "cuMemcpyHtoA_v2", kPageable, kArray, kBig, kKernel, kSync},
    {"C2", "cudaMemcpy", kPageable, kDevice, kSmall, kNothing, kSync},
    {"C3", "cudaMemcpy2D_ptds", kPinned, kDevice, kSmall, kItself, kSync},
    {"C4", "cuMemcpyDtoH_v2", kDevice, kPageable, 4, kItself, kSync},
    {"C4", "cudaMemcpyFromSymbol", kDevice, kPinned, kBig, kItself, kSync},
    {"C5", "cudaMemcpy", kDevice, kDevice, kBig, kNothing, kSync},
    {"C7", "cudaMemcpy", kPageable, kPinned, kSmall, kItself, kSync},
    {"C8", "cudaMemcpy", kManaged, kDevice, kBig, kItself, kSync},
    {"C8", "cudaMemcpy", kPageable, kManaged, kSmall, kItself, kSync},
    {"A1", "cudaMemcpyAsync", kPageable, kDevice, kBig, kKernel, kPaged},
    {"A1", "cudaMemcpyAsync_ptsz", kPageable, kManaged, kBig, kKernel, kPaged},
    {"A2", "cuMemcpyHtoDAsync_v2", kPageable, kDevice, kSmall, kNothing, kPaged},
    {"A3", "cudaMemcpyAsync", kDevice, kPageable, 4, kItself, kPaged},
    {"A3", "cudaMemcpyAsync", kManaged, kPageable, 4, kItself, kPaged},
    {"A4", "cudaMemcpyAsync", kPinned, kDevice, kBig, kNothing, kPaged},
    {"A4", "cudaMemcpyAsync", kDevice, kPinned, kBig, kNothing, kPaged},
    {"A4", "cudaMemcpyAsync", kDevice, kManaged, kBig, kNothing, kPaged},
    {"A5", "cudaMemcpyAsync", kPinned, kPageable, 4, kItself, kPaged},
    {"A6", "cudaMemcpyAsync", kPinned, kPinned, 4, kItself, kSync},
};

TEST(ImplicitWaits, CopiesByMemoryAndSize) {
  for (const CopyRow& row : kCopies) {
    SCOPED_TRACE(std::string(row.row) + " " + row.call);
    Process process;
    const uint32_t kernel = process.Kernel(0, 5, 50, testing::kLegacyStream);
    const uint32_t copy = process.Call(row.call, 10, 120);
    process.Copy(60, 100, row.from, row.to, row.bytes);
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), row.target == kNothing ? 0u : 1u);
    if (waits.empty()) continue;
    EXPECT_STREQ(WaitClassName(waits[0].wait_class), WaitClassName(row.wait_class));
    EXPECT_EQ(waits[0].waited_for, row.target == kKernel ? kernel : copy);
    EXPECT_EQ(waits[0].end_ns, row.target == kKernel ? 50'000u : 100'000u);
    EXPECT_FALSE(waits[0].already_done);
  }
}

TEST(ImplicitWaits, C1GathersAndMayBeAlreadyDone) {
  Process process;
  const uint32_t kernel = process.Kernel(0, 5, 50);  // a blocking stream
  process.Call("cudaMemcpy", 60, 120);
  process.Copy(70, 100, kPageable, kDevice, kBig);
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].waited_for, kernel);
  EXPECT_TRUE(waits[0].already_done);
  EXPECT_EQ(waits[0].end_ns, waits[0].begin_ns);
}

TEST(ImplicitWaits, C6PeerCopiesDoNotWait) {
  Process process;
  process.Call("cudaMemcpyPeer", 10, 120);
  process.Op(20, 100).type = DeviceOpType::kPeerCopy;
  EXPECT_TRUE(FindWaits(process.records).empty());
}

TEST(ImplicitWaits, C9NothingCopiedIsAWaitOnlyIfItWasOne) {
  Process process;
  const uint32_t kernel = process.Kernel(0, 5, 500, testing::kLegacyStream);
  process.Call("cudaMemcpy", 10, 11);
  const uint32_t host = process.Call("cudaMemcpy", 20, 505);  // C7, where it leaves no record
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].correlation, host);
  EXPECT_EQ(waits[0].waited_for, kernel);
}

TEST(ImplicitWaits, UnknownMemoryIsMeasured) {
  Process process;
  process.Call("cudaMemcpyAsync", 10, 12);
  process.Copy(20, 60, MemoryKind::kUnknown, kDevice, kBig);
  const uint32_t held = process.Call("cudaMemcpyAsync", 70, 125);
  process.Copy(80, 120, MemoryKind::kUnknown, kDevice, kBig);
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].waited_for, held);
}

TEST(ImplicitWaits, MSetsOfPinnedAndManagedMemoryWait) {
  struct Row {
    const char* call;
    MemoryKind to;
    bool waits;
  };
  for (const Row& row :
       {Row{"cudaMemset", kDevice, false}, Row{"cudaMemset", kPinned, true},
        Row{"cuMemsetD32_v2", kManaged, true}, Row{"cudaMemsetAsync", kPinned, false}}) {
    Process process;
    const uint32_t set = process.Call(row.call, 10, 60);
    GpuOp& op = process.Op(20, 50);
    op.type = DeviceOpType::kSet;
    op.to = row.to;
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), row.waits ? 1u : 0u) << row.call;
    if (!row.waits) continue;
    EXPECT_EQ(waits[0].wait_class, WaitClass::kSyncCopy);
    EXPECT_EQ(waits[0].waited_for, set);
  }
}

TEST(ImplicitWaits, LFreeingThatHeldUp) {
  for (const char* name : {"cudaFree_v3020", "cudaFreeArray", "cuMemFree_v2", "cudaFreeHost",
                           "cudaHostUnregister", "cudaMemPoolTrimTo", "cuMemUnmap"}) {
    Process process;
    const uint32_t kernel = process.Kernel(0, 5, 50, testing::kUnblocked);
    process.Call(name, 10, 12);  // L2: it left while the kernel ran
    process.Call(name, 20, 58);
    process.Call(name, 60, 68);  // nothing pending
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), 1u) << name;
    EXPECT_EQ(waits[0].wait_class, WaitClass::kAllocation);
    EXPECT_EQ(waits[0].waited_for, kernel);
    EXPECT_EQ(waits[0].begin_ns, 20'000u);
    EXPECT_EQ(waits[0].end_ns, 50'000u);
  }
}

TEST(ImplicitWaits, L1OfTheDeviceWhoseWorkEndedAndL6OfAll) {
  for (const bool host : {false, true}) {
    Process process;
    process.Kernel(0, 5, 50);
    process.context = 2;
    process.Kernel(3, 5, 500);
    process.Call(host ? "cudaFreeHost" : "cudaFree", 20, 58);
    EXPECT_EQ(FindWaits(process.records).size(), host ? 0u : 1u);
  }
}

TEST(ImplicitWaits, L1OfTheDeviceThatARecordNames) {
  for (const uint32_t device : {0, 1, 7}) {
    Process process;
    const uint32_t kernel = process.Kernel(0, 5, 50);
    process.Call("cudaFree", 20, 58);
    process.Memory(device);
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), device == 0 ? 1u : 0u);
    if (device == 0) {
      EXPECT_EQ(waits[0].waited_for, kernel);
    }
  }
}

TEST(ImplicitWaits, L3AndL5AllocationsAreNotHeldUpByChance) {
  Process process;
  for (uint64_t i = 0; i < 10; ++i) process.Call("cudaMalloc", i * 10, i * 10 + 8);
  process.Call("cudaFreeAsync", 150, 152);
  process.Kernel(200, 205, 225);
  process.Call("cudaMalloc", 220, 230);  // the kernel ended meanwhile
  process.Call("cudaMallocHost", 300, 400);
  EXPECT_TRUE(FindWaits(process.records).empty());
}

TEST(ImplicitWaits, L4AndL8AllocationsThatWaitForMemory) {
  for (const char* name : {"cudaMalloc", "cudaMallocAsync", "cuMemAlloc_v2", "cudaMallocPitch"}) {
    Process process;
    for (uint64_t i = 0; i < 10; ++i) process.Call(name, i * 10, i * 10 + 8);
    process.Call("cudaFreeAsync", 150, 152);
    const uint32_t kernel = process.Kernel(200, 205, 525);
    const uint32_t held = process.Call(name, 220, 540);
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), 1u) << name;
    EXPECT_EQ(waits[0].correlation, held);
    EXPECT_EQ(waits[0].waited_for, kernel);
    EXPECT_EQ(waits[0].wait_class, WaitClass::kAllocation);
  }
}

// Of two threads one loses its processor in a call while the other one's work ends.
TEST(ImplicitWaits, L3WithoutAFreeInStreamOrderNoAllocationWaits) {
  Process process;
  for (uint64_t i = 0; i < 10; ++i) process.Call("cudaMalloc", i * 10, i * 10 + 8);
  process.Call("cudaFree", 150, 152);
  process.Kernel(200, 205, 525);
  process.Call("cudaMalloc", 220, 540);
  EXPECT_TRUE(FindWaits(process.records).empty());
}

TEST(ImplicitWaits, OnlyTheTimeUpToTheWorksEndIsAWait) {
  Process process;
  process.Kernel(0, 5, 50);
  process.Call("cudaFree", 20, 5000);
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].end_ns, 50'000u);
}

// Ids are given before calls are seen to begin: of two threads one may lose its processor between.
TEST(ImplicitWaits, AFreeWaitsForWhatBeganBeforeIt) {
  for (const bool later_id_first : {false, true}) {
    Process process;
    const uint32_t before = process.Kernel(0, 5, 50);
    process.tid = 101;
    if (!later_id_first) process.Kernel(90, 95, 120);
    process.tid = 100;
    const uint32_t held = process.Call("cudaFree", 20, 83);
    process.tid = 101;
    const uint32_t overtook = later_id_first ? process.Kernel(15, 50, 80) : 0;
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].correlation, held);
    EXPECT_EQ(waits[0].waited_for, later_id_first ? overtook : before);
  }
}

TEST(ImplicitWaits, AFreeDoesNotWaitForWhatOutlivedIt) {
  Process process;
  const uint32_t before = process.Kernel(0, 5, 50);
  process.tid = 101;
  process.Call("cudaMemcpyAsync", 18, 130);  // under way, and came to it later
  process.Copy(100, 120, kDevice, kPageable, 4, kOtherStream);
  process.tid = 100;
  process.Call("cudaFree", 20, 53);
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[1].wait_class, WaitClass::kAllocation);
  EXPECT_EQ(waits[1].waited_for, before);
}

TEST(ImplicitWaits, AnExceptionMustExplainTheCallsLength) {
  Process process;
  process.Call("cudaMalloc", 0, 8);
  process.Call("cudaFreeAsync", 8, 9);
  process.Kernel(10, 15, 50);
  process.Call("cudaMalloc", 20, 5000);  // 30 of 4980 µs
  EXPECT_TRUE(FindWaits(process.records).empty());
}

TEST(ImplicitWaits, Q1ByTheOverheadRecord) {
  Process process;
  const uint32_t first = process.Kernel(0, 30, 50);
  process.Kernel(3, 50, 90);
  const uint32_t held = process.Call("cudaLaunchKernel", 10, 35);
  process.Op(90, 95);
  process.Overhead(GpuOverheadKind::kQueueFull, 11, 31);
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 1u);
  EXPECT_EQ(waits[0].wait_class, WaitClass::kQueueFull);
  EXPECT_EQ(waits[0].correlation, held);
  EXPECT_EQ(waits[0].waited_for, first);
  EXPECT_EQ(waits[0].end_ns, 30'000u);
}

TEST(ImplicitWaits, Q1WithoutOverheadRecordsByTheQueuesLength) {
  for (const uint64_t queued : {900, 1024}) {
    Process process;
    process.Kernel(0, 1, 9000);
    for (uint64_t i = 0; i < queued; ++i) process.Kernel(3 + i * 3, 9000 + i * 10, 9010 + i * 10);
    process.Call("cudaLaunchKernel", 5000, 9002);
    process.Op(20000, 20010);
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), queued > 1000 ? 1u : 0u);
    if (!waits.empty()) {
      EXPECT_EQ(waits[0].waited_for, 2u);
    }
  }
}

TEST(ImplicitWaits, Q1ThenTheCopysOwnWaitDoNotOverlap) {
  Process process;
  process.Kernel(0, 30, 50);
  process.Call("cudaMemcpyAsync", 10, 120);
  process.Copy(50, 100, kDevice, kPageable, 4, kStream);
  process.Overhead(GpuOverheadKind::kQueueFull, 11, 31);
  const std::vector<Wait> waits = FindWaits(process.records);
  ASSERT_EQ(waits.size(), 2u);
  EXPECT_EQ(waits[0].wait_class, WaitClass::kQueueFull);
  EXPECT_EQ(waits[1].wait_class, WaitClass::kPageableCopy);
  EXPECT_EQ(waits[0].end_ns, waits[1].begin_ns);
}

// Behind few launches a long one was no full queue: the thread lost its processor. A graph's
// operations are of one launch.
TEST(ImplicitWaits, Q2GraphLaunchFarLongerThanOthersBehindMany) {
  for (const uint64_t queued : {10, 70}) {
    Process process;
    for (uint64_t i = 0; i < queued; ++i) {
      process.Call("cudaGraphLaunch", i * 10, i * 10 + 5);
      for (uint64_t node = 0; node < 10; ++node) {
        process.Op(1000 + i * 100 + node * 10, 1010 + i * 100 + node * 10);
      }
    }
    process.Call("cudaGraphLaunch", 900, 1003);
    process.Op(90000, 90100);
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), queued > 64 ? 1u : 0u);
    if (!waits.empty()) {
      EXPECT_EQ(waits[0].wait_class, WaitClass::kGraph);
      EXPECT_EQ(waits[0].waited_for, 1u);
    }
  }
}

TEST(ImplicitWaits, Q3LaunchesDoNotWait) {
  Process process;
  process.Kernel(0, 5, 50);
  process.Call("cudaLaunchKernel", 48, 53);
  process.Op(60, 70);
  EXPECT_TRUE(FindWaits(process.records).empty());
}

TEST(ImplicitWaits, D1FirstLaunchOfAFunctionWhileWorkIsPending) {
  for (const bool recorded : {true, false}) {
    Process process;
    const uint32_t before = process.Kernel(0, 5, 50);
    process.records.ops.back().kernel = 1;
    if (recorded) process.Overhead(GpuOverheadKind::kLoading, 0, 1);
    const uint32_t first = process.Call("cudaLaunchKernel", 10, 60);
    process.Op(62, 70).kernel = 2;
    if (recorded) process.Overhead(GpuOverheadKind::kLoading, 10, 59);
    process.Call("cudaLaunchKernel", 65, 80);
    process.Op(82, 90).kernel = 2;
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), 1u);
    EXPECT_EQ(waits[0].wait_class, WaitClass::kModuleLoad);
    EXPECT_EQ(waits[0].correlation, first);
    EXPECT_EQ(waits[0].waited_for, before);
    EXPECT_EQ(waits[0].end_ns, 50'000u);
  }
}

TEST(ImplicitWaits, D2EagerLoadingOrNothingPending) {
  Process process;
  process.Kernel(0, 5, 50);
  process.records.ops.back().kernel = 1;
  process.Kernel(10, 60, 70);
  process.records.ops.back().kernel = 2;
  process.Kernel(80, 90, 95);
  process.records.ops.back().kernel = 3;
  EXPECT_TRUE(FindWaits(process.records).empty());
}

TEST(ImplicitWaits, D1WhereLoadingIsRecordedAFirstLaunchIsNoProof) {
  Process process;
  process.Kernel(0, 5, 50);
  process.records.ops.back().kernel = 1;
  process.Overhead(GpuOverheadKind::kLoading, 0, 1);
  process.Call("cudaLaunchKernel", 48, 53);  // loaded before, as a graph's node
  process.Op(60, 70).kernel = 2;
  EXPECT_TRUE(FindWaits(process.records).empty());
}

TEST(ImplicitWaits, D1WhatEndedAfterTheLaunchedKernelBeganIsNoReason) {
  Process process;
  process.Kernel(0, 5, 50);
  process.records.ops.back().kernel = 1;
  process.Call("cudaLaunchKernel", 10, 90);  // which blocks, or was not running
  process.Op(30, 80).kernel = 2;             // on another stream, beside the first
  for (const Wait& wait : FindWaits(process.records))
    EXPECT_NE(wait.wait_class, WaitClass::kModuleLoad);
}

TEST(ImplicitWaits, D1WhatAnotherThreadSubmittedMeanwhileIsNoProofAgainstIt) {
  for (const bool meanwhile : {true, false}) {
    Process process;
    const uint32_t before = process.Kernel(0, 5, 50);
    process.records.ops.back().kernel = 1;
    process.tid = 2;  // its correlation is smaller, its kernel runs beside the launched one
    process.Call("cudaLaunchKernel", 8, meanwhile ? 55 : 9);
    process.Op(55, 200, kOtherStream).kernel = 1;
    process.tid = 1;
    const uint32_t first = process.Call("cudaLaunchKernel", 10, 60);
    process.Op(62, 70, kUnblocked).kernel = 2;
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), meanwhile ? 1u : 0u);
    if (!meanwhile) continue;
    EXPECT_EQ(waits[0].wait_class, WaitClass::kModuleLoad);
    EXPECT_EQ(waits[0].correlation, first);
    EXPECT_EQ(waits[0].waited_for, before);
  }
}

TEST(ImplicitWaits, WhatALaterCallSubmittedIsNoReasonWhateverItsCorrelation) {
  Process process;
  process.Call("cudaLaunchKernel", 30,
               40);  // its thread got its correlation and lost the processor
  process.Op(41, 60);
  process.Call("cudaFree", 20, 80);
  EXPECT_TRUE(FindWaits(process.records).empty());
}

TEST(ImplicitWaits, D4UnloadAndG4Upload) {
  struct Row {
    const char* call;
    WaitClass wait_class;
  };
  for (const Row& row : {Row{"cuModuleUnload", WaitClass::kModuleLoad},
                         Row{"cudaGraphInstantiateWithParams", WaitClass::kGraph}}) {
    Process process;
    process.Kernel(0, 5, 500);
    process.Call(row.call, 20, 505);
    const std::vector<Wait> waits = FindWaits(process.records);
    ASSERT_EQ(waits.size(), 1u) << row.call;
    EXPECT_EQ(waits[0].wait_class, row.wait_class);
  }
}

}  // namespace
}  // namespace syncline
