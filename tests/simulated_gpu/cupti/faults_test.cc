// SPDX-License-Identifier: Apache-2.0
// Every fault switch of CUPTI does what its row in engine/faults.h says.
#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <string>
#include <thread>

#include "tests/simulated_gpu/cupti/fake_engine.h"
#include "tests/simulated_gpu/cupti/layouts.h"
#include "tests/simulated_gpu/cupti/test_client.h"

namespace simgpu::cupti {
namespace {

constexpr uint64_t kMs = 1'000'000;
const auto kKernelKind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;

void CUPTIAPI Ignore(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

CUptiResult SubscribeWith(const char* faults, Version version = 1300) {
  FakeEngine::Start(version, faults);
  CUpti_SubscriberHandle handle = nullptr;
  return cuptiSubscribe(&handle, Ignore, nullptr);
}

// What a client gets that submits `count` finished kernels of 1 ms.
std::vector<TestRecord> KernelsWith(const char* faults, int count) {
  FakeEngine& engine = FakeEngine::Start(1300, faults);
  TestClient& client = TestClient::Start();
  EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_SUCCESS);
  const uint64_t past = NowNs() - 100 * kMs;
  for (int i = 0; i < count; ++i) engine.Submit(Kernel(past, past + kMs));
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  return client.Records();
}

TEST(Faults, NoneIsOnByItself) {
  EXPECT_EQ(SubscribeWith(""), CUPTI_SUCCESS);
  EXPECT_EQ(KernelsWith("", 10).size(), 10u);
}

TEST(Faults, Subscribe) {
  for (const int error : {39, 35, 15, 999}) {
    EXPECT_EQ(SubscribeWith(("subscribe=" + std::to_string(error)).c_str()), error);
  }
}

TEST(Faults, SubscribeSlow) {
  const uint64_t before = NowNs();
  EXPECT_EQ(SubscribeWith("subscribe_slow=40"), CUPTI_SUCCESS);
  EXPECT_GE(NowNs() - before, 40 * kMs);
}

TEST(Faults, OtherSubscriber) {
  FakeEngine::Start(1300, "other_subscriber=Nsight Systems");
  CUpti_SubscriberHandle handle = nullptr;
  char name[64] = "";
  CUpti_SubscriberParams params{CUpti_SubscriberParams_STRUCT_SIZE, "us", name, sizeof name};
  EXPECT_EQ(cuptiSubscribe_v2(&handle, Ignore, nullptr, &params),
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT_STREQ(name, "Nsight Systems");
}

TEST(Faults, DriverMissingTooOldOrWithoutDevices) {
  FakeEngine::Start(1300, "old_driver");
  EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_ERROR_UNKNOWN);
  FakeEngine::Start(1209, "old_driver");
  EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_ERROR_NOT_INITIALIZED);
  FakeEngine::Start(1300, "no_device");
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_ERROR_UNKNOWN);
  FakeEngine::Start(1300);
  UseEngineForTest(nullptr);
  CUpti_SubscriberHandle handle = nullptr;
  EXPECT_EQ(cuptiSubscribe(&handle, Ignore, nullptr), CUPTI_ERROR_UNKNOWN);
  EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_ERROR_UNKNOWN);
  EXPECT_EQ(cuptiEnableDomain(1, nullptr, CUPTI_CB_DOMAIN_RUNTIME_API),
            CUPTI_ERROR_INVALID_PARAMETER);
  const auto request = [](uint8_t**, size_t*, size_t*) {};
  const auto complete = [](CUcontext, uint32_t, uint8_t*, size_t, size_t) {};
  EXPECT_EQ(cuptiActivityRegisterCallbacks(request, complete), CUPTI_SUCCESS)
      << "as the real one, without a driver";
  uint64_t now = 0;
  EXPECT_EQ(cuptiGetTimestamp(&now), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiFinalize(), CUPTI_SUCCESS);
}

TEST(Faults, ActivityEnable) {
  FakeEngine::Start(1300, "activity_enable=35");
  EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
  FakeEngine::Start(1300, "activity_enable=35:38");
  EXPECT_EQ(cuptiActivityEnable(kKernelKind), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION),
            CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
}

TEST(Faults, Dropped) {
  EXPECT_EQ(KernelsWith("dropped=5", 20).size(), 16u);
  size_t dropped = 0;
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  EXPECT_EQ(dropped, 4u);
}

TEST(Faults, OutOfOrder) {
  const auto records = KernelsWith("out_of_order", 3);
  ASSERT_EQ(records.size(), 3u);
  EXPECT_GT(records[0].As<CUpti_ActivityKernel10>().gridId,
            records[2].As<CUpti_ActivityKernel10>().gridId);
  EXPECT_NE(records[0].As<CUpti_ActivityKernel10>().start, 0u)
      << "the times move with their records";
}

TEST(Faults, Garbage) {
  const auto records = KernelsWith("garbage", 8);
  int unknown = 0, senseless = 0, sound = 0;
  for (const TestRecord& record : records) {
    unknown += record.kind == kGarbageKind;
    if (record.kind != kKernelKind) continue;
    const auto& kernel = record.As<CUpti_ActivityKernel10>();
    (kernel.name == nullptr && kernel.end < kernel.start ? senseless : sound) += 1;
  }
  EXPECT_EQ(unknown, 2);
  EXPECT_EQ(senseless, 2);
  EXPECT_EQ(sound, 8) << "nothing true is lost";
}

TEST(Faults, ZeroAndBackwardTimestamps) {
  EXPECT_EQ(KernelsWith("zero_timestamps", 1)[0].As<CUpti_ActivityKernel10>().end, 0u);
  const auto backward = KernelsWith("backward_timestamps", 1);
  EXPECT_EQ(
      backward[0].As<CUpti_ActivityKernel10>().start - backward[0].As<CUpti_ActivityKernel10>().end,
      kMs);
}

double SecondsFromRealtime(uint64_t time) {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(static_cast<int64_t>(time) -
                             (int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec)) /
         1e9;
}

double TimestampFromRealtime() {
  uint64_t said = 0;
  cuptiGetTimestamp(&said);
  return SecondsFromRealtime(said);
}

TEST(Faults, ClockStep) {
  FakeEngine::Start(1300, "clock_step=-5000");
  EXPECT_NEAR(TimestampFromRealtime(), -5, 1);
  FakeEngine::Start(1300, "clock_step=7000:3600000");
  EXPECT_NEAR(TimestampFromRealtime(), 0, 1) << "not yet";
  const auto stepped = KernelsWith("clock_step=3600000", 1)[0].As<CUpti_ActivityKernel10>();
  EXPECT_EQ(stepped.end - stepped.start, kMs);
  EXPECT_NEAR(SecondsFromRealtime(stepped.start), 3600, 10) << "records step with it";
}

uint64_t OwnClock() { return NowNs(); }

TEST(Faults, TimestampCallbackIsRefusedOrBreaksKernelTimes) {
  FakeEngine::Start(1300, "timestamp_callback=27");
  EXPECT_EQ(cuptiActivityRegisterTimestampCallback(OwnClock), CUPTI_ERROR_NOT_SUPPORTED);
  FakeEngine& engine = FakeEngine::Start(1300, "timestamp_callback_zero");
  TestClient& client = TestClient::Start();
  ASSERT_EQ(cuptiActivityRegisterTimestampCallback(OwnClock), CUPTI_SUCCESS);
  cuptiActivityEnable(kKernelKind);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  engine.Call(Domain::kRuntime, kLaunchCbid, "x", 0, [&] { engine.Submit(DoneKernel()); });
  cuptiActivityFlushAll(0);
  EXPECT_EQ(client.Records(kKernelKind)[0].As<CUpti_ActivityKernel10>().start, 0u);
  EXPECT_NE(client.Records(CUPTI_ACTIVITY_KIND_RUNTIME)[0].As<CUpti_ActivityAPI>().start, 0u)
      << "only kernels";
}

TEST(Faults, FlushHangs) {
  FakeEngine::Start(1300, "flush_hangs");
  TestClient::Start();
  static std::atomic<bool> returned{false};
  std::thread([] {
    cuptiActivityFlushAll(0);
    returned = true;
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(returned);
}

TEST(Faults, NullBuffer) {
  FakeEngine& engine = FakeEngine::Start(1300, "null_buffer");
  TestClient& client = TestClient::Start();
  client.decline = true;
  cuptiActivityEnable(kKernelKind);
  engine.Submit(DoneKernel());
  EXPECT_EQ(client.requests, 1000);
}

}  // namespace
}  // namespace simgpu::cupti
