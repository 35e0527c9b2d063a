// SPDX-License-Identifier: Apache-2.0
// Buffers and activity records against a pretended CUPTI: all buffers taken, foreign ones, sizes,
// garbage.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <set>
#include <thread>

#include "collectors/cuda/activity_buffers.h"
#include "collectors/cuda/activity_records.h"
#include "collectors/cuda/cuda_source.h"
#include "collectors/cuda/device_clock.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/recorded.h"

namespace syncline::test {
namespace {

constexpr size_t kBuffers = 512;
constexpr size_t kLargest = 1 << 20;
constexpr size_t kSmallest = 16 << 10;
constexpr uint64_t kSecond = 1000000000;

std::atomic<size_t> g_dropped;
CUptiResult g_timestamp_result;

// A CUPTI whose buffers hold kernels only.
cuda::Cupti PretendedCupti() {
  cuda::Cupti cupti{};
  cupti.cuptiActivityGetNextRecord = [](uint8_t* buffer, size_t valid, CUpti_Activity** record) {
    auto* at = reinterpret_cast<uint8_t*>(*record);
    at = at == nullptr ? buffer : at + sizeof(CUpti_ActivityKernel9);
    if (at + sizeof(CUpti_ActivityKernel9) > buffer + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = reinterpret_cast<CUpti_Activity*>(at);
    return CUPTI_SUCCESS;
  };
  cupti.cuptiActivityGetNumDroppedRecords = [](CUcontext, uint32_t, size_t* dropped) {
    *dropped = g_dropped.exchange(0);
    return CUPTI_SUCCESS;
  };
  cupti.cuptiGetTimestamp = [](uint64_t* ns) {
    *ns = 1234;
    return g_timestamp_result;
  };
  return cupti;
}

const cuda::Cupti& TheCupti() {
  static const cuda::Cupti cupti = PretendedCupti();
  return cupti;
}

template <typename Activity>
Activity Plausible(CUpti_ActivityKind kind) {
  Activity activity;
  std::memset(static_cast<void*>(&activity), 0, sizeof(activity));
  activity.kind = kind;
  activity.start = 5 * kSecond;
  activity.end = 6 * kSecond;
  activity.deviceId = 1;
  activity.contextId = 2;
  activity.streamId = 7;
  activity.correlationId = 9;
  return activity;
}

CUpti_ActivityKernel9 PlausibleKernel(const char* name = "_Z3addPfi") {
  auto kernel = Plausible<CUpti_ActivityKernel9>(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  kernel.name = name;
  return kernel;
}

template <typename Activity>
void Record(const Activity& activity) {
  cuda::RecordActivity(reinterpret_cast<const CUpti_Activity&>(activity));
}

std::vector<Recorded> Ops() { return ReadRecords(RecordKind::kDeviceOp); }

class Activities : public ::testing::Test {
 protected:
  void SetUp() override {
    ResetSession();
    g_timestamp_result = CUPTI_SUCCESS;
    g_dropped = 0;
  }
};

TEST_F(Activities, AKernel) {
  CUpti_ActivityKernel9 kernel = PlausibleKernel();
  kernel.gridX = 1;
  kernel.gridY = 2;
  kernel.gridZ = 3;
  kernel.blockX = 4;
  kernel.blockY = 5;
  kernel.blockZ = 6;
  kernel.staticSharedMemory = 7;
  kernel.dynamicSharedMemory = 8;
  kernel.registersPerThread = 9;
  kernel.graphNodeId = 10;
  kernel.graphId = 11;
  kernel.queued = 12;
  Record(kernel);
  Record(PlausibleKernel(nullptr));
  const auto ops = Ops();
  ASSERT_EQ(ops.size(), 2u);
  EXPECT_EQ(ops[0].name, "_Z3addPfi");
  EXPECT_EQ(ops[1].name, "(none)");
  EXPECT_EQ(ops[0].flags, kHasKernel);
  const DeviceOpRecord& op = ops[0].op;
  EXPECT_EQ(op.type, DeviceOpType::kKernel);
  EXPECT_EQ(op.begin, 5 * kSecond);
  EXPECT_EQ(op.end, 6 * kSecond);
  EXPECT_EQ(op.device, 1u);
  EXPECT_EQ(op.context, 2u);
  EXPECT_EQ(op.stream, 7u);
  EXPECT_EQ(op.correlation, 9u);
  EXPECT_EQ(op.graph, 11u);
  const KernelDetails& details = ops[0].kernel;
  for (uint32_t i = 0; i < 3; ++i) {
    EXPECT_EQ(details.grid[i], 1 + i);
    EXPECT_EQ(details.block[i], 4 + i);
  }
  EXPECT_EQ(details.static_shared, 7u);
  EXPECT_EQ(details.dynamic_shared, 8u);
  EXPECT_EQ(details.registers, 9u);
  EXPECT_EQ(details.graph_node, 10u);
  EXPECT_EQ(details.queued, 12u);
}

TEST_F(Activities, CopiesAndSets) {
  auto copy = Plausible<CUpti_ActivityMemcpy5>(CUPTI_ACTIVITY_KIND_MEMCPY);
  copy.bytes = 4096;
  copy.srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  copy.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE_STATIC;
  copy.flags = CUPTI_ACTIVITY_FLAG_MEMCPY_ASYNC;
  Record(copy);
  auto peer = Plausible<CUpti_ActivityMemcpyPtoP4>(CUPTI_ACTIVITY_KIND_MEMCPY2);
  peer.srcDeviceId = 3;
  peer.dstDeviceId = 4;
  peer.srcKind = peer.dstKind = CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  Record(peer);
  auto set = Plausible<CUpti_ActivityMemset4>(CUPTI_ACTIVITY_KIND_MEMSET);
  set.memoryKind = CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
  set.bytes = 16;
  Record(set);
  copy.srcKind = 200;
  Record(copy);
  const auto ops = Ops();
  ASSERT_EQ(ops.size(), 4u);
  EXPECT_EQ(ops[0].op.type, DeviceOpType::kCopy);
  EXPECT_EQ(ops[0].op.from, MemoryKind::kPageable);
  EXPECT_EQ(ops[0].op.to, MemoryKind::kDevice);
  EXPECT_EQ(ops[0].op.bytes, 4096u);
  EXPECT_EQ(ops[0].flags, kAsync);
  EXPECT_EQ(ops[1].op.type, DeviceOpType::kPeerCopy);
  EXPECT_EQ(ops[1].op.source_device, 3u);
  EXPECT_EQ(ops[1].op.target_device, 4u);
  EXPECT_EQ(ops[1].flags, 0);
  EXPECT_EQ(ops[2].op.type, DeviceOpType::kSet);
  EXPECT_EQ(ops[2].op.to, MemoryKind::kManaged);
  EXPECT_EQ(ops[3].op.from, MemoryKind::kUnknown);
}

TEST_F(Activities, ADevice) {
  CUpti_ActivityDevice4 device;
  std::memset(static_cast<void*>(&device), 0, sizeof(device));
  device.kind = CUPTI_ACTIVITY_KIND_DEVICE;
  device.id = 3;
  device.numMultiprocessors = 132;
  device.maxWarpsPerMultiprocessor = 64;
  device.numThreadsPerWarp = 32;
  std::memset(&device.uuid, 7, sizeof(device.uuid));
  std::memset(&device.migUuid, 8, sizeof(device.migUuid));
  Record(device);  // without a name
  const std::string long_name(1000, 'x');
  device.name = long_name.c_str();
  device.isMigEnabled = 1;
  Record(device);
  const auto devices = ReadRecords(RecordKind::kDevice);
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices[0].device, 3u);
  EXPECT_EQ(devices[0].facts.multiprocessors, 132u);
  EXPECT_EQ(devices[0].facts.threads_per_multiprocessor, 2048u);
  EXPECT_EQ(devices[0].name, "");
  EXPECT_EQ(devices[0].facts.uuid[15], 7);
  EXPECT_EQ(devices[1].facts.uuid[0], 8) << "of the part that the process has";
  EXPECT_EQ(devices[1].name, long_name.substr(0, 255));
}

TEST_F(Activities, WhatMakesNoSenseIsCountedAndNotWritten) {
  CUpti_ActivityKernel9 kernel = PlausibleKernel();
  kernel.end = kernel.start - 1;
  Record(kernel);
  kernel = PlausibleKernel();
  kernel.end = kernel.start + 366 * 24 * 3600 * kSecond;
  Record(kernel);
  kernel = PlausibleKernel();
  kernel.deviceId = 256;
  Record(kernel);
  EXPECT_EQ(Losses(kLoss_cupti_garbage), 3u);
  kernel = PlausibleKernel();
  kernel.end = 0;
  Record(kernel);
  kernel.start = 0;  // or CUPTI had no memory for its times
  Record(kernel);
  EXPECT_EQ(Losses(kLoss_gpu_unfinished), 2u);
  kernel.kind = static_cast<CUpti_ActivityKind>(60000);
  Record(kernel);
  EXPECT_EQ(AllLosses(), 5u);
  EXPECT_TRUE(Ops().empty());
}

TEST_F(Activities, AFullRingIsCounted) {
  Record(PlausibleKernel());
  const auto before = cuda::DeliveredSoFar();
  EXPECT_GE(before.correlation, 9u);
  LimitRings(0);
  Record(PlausibleKernel());
  EXPECT_EQ(Losses(kLoss_ring_full), 1u);
  EXPECT_EQ(Ops().size(), 1u);
  EXPECT_EQ(cuda::DeliveredSoFar().operations, before.operations);
}

TEST_F(Activities, TheDeviceClockStandsBetweenTicks) {
  cuda::UseDeviceClock(TheCupti());
  cuda::RecordDeviceClock();
  g_timestamp_result = CUPTI_ERROR_NOT_INITIALIZED;
  cuda::RecordDeviceClock();
  const auto clocks = ReadRecords(RecordKind::kDeviceClock);
  ASSERT_EQ(clocks.size(), 1u);
  EXPECT_LE(clocks[0].clock.before, clocks[0].clock.after);
  EXPECT_EQ(clocks[0].clock.device_ns, 1234u);
  EXPECT_EQ(clocks[0].clock.head.id, 0u);
  EXPECT_EQ(clocks[0].flags, cuda::kSource);
}

struct Buffer {
  uint8_t* memory = nullptr;
  size_t bytes = 0;
};

class ActivityBuffers : public Activities {
 protected:
  void SetUp() override {
    Activities::SetUp();
    ASSERT_TRUE(cuda::PrepareBuffers(TheCupti()));
    cuda::UseDeviceClock(TheCupti());
  }

  static Buffer Request() {
    Buffer buffer;
    size_t max_records = 99;
    cuda::OnBufferRequested(&buffer.memory, &buffer.bytes, &max_records);
    EXPECT_EQ(max_records, 0u);
    return buffer;
  }
  // Full as far as whole records go.
  static size_t Fill(const Buffer& buffer, size_t records = SIZE_MAX) {
    const CUpti_ActivityKernel9 kernel = PlausibleKernel();
    records = std::min(records, buffer.bytes / sizeof(kernel));
    for (size_t i = 0; i < records; ++i)
      std::memcpy(buffer.memory + i * sizeof(kernel), &kernel, sizeof(kernel));
    return records * sizeof(kernel);
  }
  static void Complete(const Buffer& buffer, size_t valid) {
    cuda::OnBufferCompleted(nullptr, 0, buffer.memory, buffer.bytes, valid);
  }
};

TEST_F(ActivityBuffers, EachIsGivenOutOnceUntilItComesBack) {
  std::set<uint8_t*> given;
  Buffer buffer;
  for (size_t i = 0; i < kBuffers; ++i) {
    buffer = Request();
    ASSERT_NE(buffer.memory, nullptr);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.memory) % 8, 0u);  // as CUPTI demands
    buffer.memory[0] = buffer.memory[buffer.bytes - 1] = 1;
    given.insert(buffer.memory);
  }
  EXPECT_EQ(given.size(), kBuffers);
  EXPECT_GE(*std::next(given.begin()) - *given.begin(), static_cast<ptrdiff_t>(kLargest));
  const Buffer none = Request();
  EXPECT_EQ(none.memory, nullptr);
  EXPECT_EQ(none.bytes, 0u);
  Complete(none, 0);  // CUPTI hands back what it was given
  EXPECT_EQ(Request().memory, nullptr);
  Complete(buffer, 0);
  EXPECT_EQ(Request().memory, buffer.memory);
}

TEST_F(ActivityBuffers, RecordsAreWrittenAndLossesTold) {
  const Buffer buffer = Request();
  g_dropped = 17;
  Complete(buffer, Fill(buffer, 5));
  EXPECT_EQ(Ops().size(), 5u);
  EXPECT_EQ(Losses(kLoss_cupti_dropped), 17u);
  EXPECT_EQ(ReadRecords(RecordKind::kDeviceClock).size(), 1u);
  Complete(buffer, Fill(buffer, 1) - 1);
  EXPECT_EQ(Ops().size(), 5u);
}

// A buffer that another client of CUPTI gave out: its records are not ours, nor is it.
TEST_F(ActivityBuffers, AnotherClientsBufferStaysItsOwn) {
  for (size_t i = 0; i < kBuffers; ++i) ASSERT_NE(Request().memory, nullptr);
  alignas(8) static uint8_t foreign[4096];
  const Buffer theirs{foreign, sizeof(foreign)};
  Complete(theirs, Fill(theirs, 2));
  EXPECT_EQ(Ops().size(), 0u);
  EXPECT_EQ(Request().memory, nullptr);
}

TEST_F(ActivityBuffers, SizesFollowTheRate) {
  size_t largest = 0;
  for (int i = 0; i < 1000 && largest < kLargest; ++i) {
    const Buffer buffer = Request();
    EXPECT_TRUE(largest == 0 || buffer.bytes <= 2 * largest);
    largest = std::max(largest, buffer.bytes);
    cuda::OnBufferCompleted(nullptr, 0, buffer.memory, buffer.bytes, buffer.bytes);
    ResetSession();
  }
  EXPECT_EQ(largest, kLargest);
  const Buffer full = Request();
  Complete(full, Fill(full));
  const Buffer late = Request();
  EXPECT_EQ(late.bytes, kLargest);  // not beyond its place
  std::this_thread::sleep_for(std::chrono::milliseconds(1010));
  Complete(late, 0);
  EXPECT_EQ(Request().bytes, kLargest / 2);
}

TEST_F(ActivityBuffers, OldBuffersMakeThemSmallButNotTooSmall) {
  Buffer old[10];
  for (Buffer& buffer : old) buffer = Request();
  std::this_thread::sleep_for(std::chrono::milliseconds(1010));
  for (const Buffer& buffer : old) Complete(buffer, 0);
  EXPECT_EQ(Request().bytes, kSmallest);
}

TEST_F(ActivityBuffers, ManyThreadsTakeAndReturnThem) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([] {
      for (int round = 0; round < 500; ++round) {
        const Buffer buffer = Request();
        ASSERT_NE(buffer.memory, nullptr);
        Complete(buffer, Fill(buffer, 3));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Ops().size(), 4u * 500 * 3);
  EXPECT_EQ(AllLosses(), 0u);
  for (size_t i = 0; i < kBuffers; ++i) ASSERT_NE(Request().memory, nullptr);
  EXPECT_EQ(Request().memory, nullptr);
}

}  // namespace
}  // namespace syncline::test
