// SPDX-License-Identifier: Apache-2.0
// Buffers: when they are asked for and given back, on which thread, and what flushing does.
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>
#include <vector>

#include "tests/simulated_gpu/cupti/fake_engine.h"
#include "tests/simulated_gpu/cupti/test_client.h"

namespace simgpu::cupti {
namespace {

constexpr uint32_t kKernel = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
constexpr uint64_t kMs = 1'000'000;
const size_t kKernelSize = sizeof(CUpti_ActivityKernel10);

// Waits for what another thread does; the limit only ends a test that fails.
bool Eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 2000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

void SubmitDone(FakeEngine& engine, int count) {
  const uint64_t past = NowNs() - 10 * kMs;
  for (int i = 0; i < count; ++i) engine.Submit(Kernel(past, past + kMs));
}

TEST(Buffers, NothingIsDeliveredWithoutAFlushUntilOneIsFull) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start(4 * kKernelSize);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  SubmitDone(engine, 4);
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  EXPECT_TRUE(client.Records().empty()) << "full, but nobody has asked for room yet";
  SubmitDone(engine, 1);
  EXPECT_TRUE(Eventually([&] { return client.Records().size() == 4; }));
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(client.Records(kKernel).size(), 5u);
  EXPECT_EQ(client.requests, 2);
  EXPECT_EQ(client.iteration_ended_with, CUPTI_ERROR_MAX_LIMIT_REACHED);
}

TEST(Buffers, AreRequestedOnTheProgramsThreadAndCompletedOnCuptisOwn) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  SubmitDone(engine, 1);
  ASSERT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(client.requested_on, std::this_thread::get_id());
  EXPECT_NE(client.completed_on, std::this_thread::get_id());
  EXPECT_EQ(client.flush_inside_completion, CUPTI_ERROR_INVALID_OPERATION);
}

TEST(Buffers, AFlushLeavesWhatIsNotCompleteAndAForcedOneTakesItWithoutTimes) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  SubmitDone(engine, 1);
  engine.Submit(Kernel(NowNs(), NowNs() + 3'600'000 * kMs));
  ASSERT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_TRUE(client.Records().empty()) << "the buffer holds an incomplete record";
  ASSERT_EQ(cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED), CUPTI_SUCCESS);
  const auto records = client.Records(kKernel);
  ASSERT_EQ(records.size(), 2u);
  EXPECT_NE(records[0].As<CUpti_ActivityKernel10>().start, 0u);
  EXPECT_EQ(records[1].As<CUpti_ActivityKernel10>().start, 0u);
  EXPECT_EQ(records[1].As<CUpti_ActivityKernel10>().end, 0u);
}

TEST(Buffers, AFullOneWaitsForTheEndOfItsLastOperation) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start(2 * kKernelSize);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  const uint64_t end = NowNs() + 60 * kMs;
  engine.Submit(Kernel(NowNs(), end));
  engine.Submit(Kernel(NowNs(), end));
  engine.Submit(Kernel(NowNs(), end));
  EXPECT_TRUE(Eventually([&] { return client.Records().size() == 2; }));
  EXPECT_GE(NowNs(), end);
  EXPECT_NE(client.Records()[1].As<CUpti_ActivityKernel10>().end, 0u);
}

TEST(Buffers, AnEndThatWasUnknownCompletesTheRecord) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  Operation hung = Kernel(0, 0);
  hung.end_known = false;
  const Operation submitted = engine.Submit(hung);
  ASSERT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_TRUE(client.Records().empty());
  const uint64_t end = NowNs();
  engine.Complete(submitted, end - 5 * kMs, end);
  ASSERT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  ASSERT_EQ(client.Records().size(), 1u);
  const auto& kernel = client.Records()[0].As<CUpti_ActivityKernel10>();
  EXPECT_EQ(kernel.end - kernel.start, 5 * kMs);
}

TEST(Buffers, AnEndMayComeWhileTheFullBufferWaits) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start(kKernelSize);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  Operation hung = Kernel(0, 0);
  hung.end_known = false;
  const Operation submitted = engine.Submit(hung);
  SubmitDone(engine, 1);
  EXPECT_TRUE(client.Records().empty());
  engine.Complete(submitted, NowNs() - kMs, NowNs());
  EXPECT_TRUE(Eventually([&] { return client.Records().size() == 1; }));
}

TEST(Buffers, ADeclinedRequestAndATooSmallBufferLoseTheRecordAndCountIt) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  client.decline = true;
  SubmitDone(engine, 3);
  size_t dropped = 0;
  ASSERT_EQ(cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped), CUPTI_SUCCESS);
  EXPECT_EQ(dropped, 3u);
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  EXPECT_EQ(dropped, 0u) << "asking resets it";
  TestClient& small = TestClient::Start(kKernelSize - 8);
  SubmitDone(engine, 1);
  cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  EXPECT_EQ(dropped, 1u);
  EXPECT_TRUE(Eventually([&] { return small.Completions() == 1; })) << "it comes back, empty";
}

TEST(Buffers, HoldNoMoreRecordsThanTheClientAllows) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start(1 << 16, 2);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  SubmitDone(engine, 5);
  ASSERT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(client.requests, 3);
  EXPECT_EQ(client.Records().size(), 5u);
}

int RequestsOfTwoThreads(Version version) {
  FakeEngine& engine = FakeEngine::Start(version);
  TestClient& client = TestClient::Start();
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  SubmitDone(engine, 1);
  std::thread([&] { SubmitDone(engine, 1); }).join();
  cuptiActivityFlushAll(0);
  EXPECT_EQ(client.Records().size(), 2u);
  return client.requests;
}

TEST(Buffers, AreOnePerThreadFrom130OnAndOneForAllBefore) {
  EXPECT_EQ(RequestsOfTwoThreads(1300), 2);
  EXPECT_EQ(RequestsOfTwoThreads(1209), 1);
}

TEST(Buffers, ASecondRegistrationTakesOverAndTheFirstGetsItsOwnBack) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  SubmitDone(engine, 2);
  ASSERT_EQ(RegisterSecondClient(), CUPTI_SUCCESS);
  SubmitDone(engine, 2);
  ASSERT_EQ(cuptiActivityFlushAll(0), CUPTI_SUCCESS);
  EXPECT_EQ(client.Records().size(), 2u);
  EXPECT_EQ(SecondClientCompletions(), 1);
}

TEST(Buffers, FlushNeedsARegistration) {
  FakeEngine::Start();
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_ERROR_INVALID_OPERATION);
  EXPECT_EQ(cuptiActivityRegisterCallbacks(nullptr, nullptr), CUPTI_ERROR_INVALID_PARAMETER);
}

TEST(Buffers, WithAFlushPeriodOnlyFullOnesAreHandedOver) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start(2 * kKernelSize);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  ASSERT_EQ(cuptiActivityFlushPeriod(20), CUPTI_SUCCESS);
  SubmitDone(engine, 3);
  EXPECT_TRUE(Eventually([&] { return client.Records().size() == 2; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(client.Records().size(), 2u) << "the third stands in a buffer that is not full";
  cuptiActivityFlushPeriod(0);
  cuptiActivityFlushAll(0);
  EXPECT_EQ(client.Records().size(), 3u);
}

TEST(Buffers, RecordsOfManyThreadsAllArriveWhileOthersFlush) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start(16 * kKernelSize);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  constexpr int kThreads = 8, kEach = 500;
  const Observer* observer = engine.observer;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([observer] {
      const uint64_t past = NowNs() - 10 * kMs;
      for (int i = 0; i < kEach; ++i) {
        Operation kernel = Kernel(past, past + kMs);
        observer->submitted(&kernel);
      }
    });
  }
  for (int i = 0; i < 20; ++i) cuptiActivityFlushAll(0);
  for (std::thread& thread : threads) thread.join();
  cuptiActivityFlushAll(0);
  EXPECT_EQ(client.Records(kKernel).size(), size_t{kThreads * kEach});
}

}  // namespace
}  // namespace simgpu::cupti
