// SPDX-License-Identifier: Apache-2.0
// Activity kinds and their switches, correlation, time, attributes and the library's beginnings and
// ends.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <ctime>
#include <vector>

#include "tests/simulated_gpu/cupti/fake_engine.h"
#include "tests/simulated_gpu/cupti/test_client.h"

namespace simgpu::cupti {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr int64_t kClockError =
    1'000'000;  // far above what converting clocks costs, far below any other domain

uint64_t Realtime() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

void EnableAll(std::initializer_list<CUpti_ActivityKind> kinds) {
  for (const CUpti_ActivityKind kind : kinds)
    EXPECT_EQ(cuptiActivityEnable(kind), CUPTI_SUCCESS) << kind;
}

// A launch as a program makes it: a runtime call, the driver's inside of it, and a kernel that has
// run.
void Launch(FakeEngine& engine) {
  engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel", 0, [&] {
    engine.Call(Domain::kDriver, kDriverLaunchCbid, "cuLaunchKernel", 0,
                [&] { engine.Submit(DoneKernel()); });
  });
}

TEST(Activity, CallsAndKernelShareTheCorrelation) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  EnableAll({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER,
             CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  Launch(engine);
  Launch(engine);
  cuptiActivityFlushAll(0);
  const auto runtime = client.Records(CUPTI_ACTIVITY_KIND_RUNTIME);
  const auto driver = client.Records(CUPTI_ACTIVITY_KIND_DRIVER);
  const auto kernels = client.Records(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  ASSERT_EQ(runtime.size(), 2u);
  ASSERT_EQ(driver.size(), 2u);
  ASSERT_EQ(kernels.size(), 2u);
  for (size_t i = 0; i < 2; ++i) {
    const auto& call = runtime[i].As<CUpti_ActivityAPI>();
    const auto& nested = driver[i].As<CUpti_ActivityAPI>();
    EXPECT_EQ(call.correlationId, 100 + i);
    EXPECT_EQ(nested.correlationId, call.correlationId);
    EXPECT_EQ(kernels[i].As<CUpti_ActivityKernel10>().correlationId, call.correlationId);
    EXPECT_LE(call.start, nested.start);
    EXPECT_GE(call.end, nested.end);
    EXPECT_EQ(call.threadId, static_cast<uint32_t>(pthread_self()));
  }
}

TEST(Activity, WhichRecordsAnOperationGetsIsDecidedAtItsSubmission) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  EnableAll({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  engine.Submit(Kernel(NowNs(), NowNs() + 20 * kMs));
  cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  engine.Submit(Kernel(NowNs(), NowNs()));
  EXPECT_EQ(engine.categories.load(), 0u);
  while (client.Records().empty()) cuptiActivityFlushAll(0);
  EXPECT_EQ(client.Records().size(), 1u)
      << "disabled before it ended and before the flush: it comes all the same";
}

TEST(Activity, OneCallCanBeSwitchedAlone) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  ASSERT_EQ(cuptiActivityEnableRuntimeApi(kLaunchCbid, 1), CUPTI_SUCCESS);
  engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel");
  engine.Call(Domain::kRuntime, kLaunchCbid + 1, "other");
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_RUNTIME);
  ASSERT_EQ(cuptiActivityEnableRuntimeApi(kLaunchCbid + 1, 0), CUPTI_SUCCESS);
  engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel");
  engine.Call(Domain::kRuntime, kLaunchCbid + 1, "other");
  EXPECT_EQ(cuptiActivityEnableRuntimeApi(99'999, 1), CUPTI_ERROR_INVALID_PARAMETER);
  cuptiActivityFlushAll(0);
  const auto calls = client.Records(CUPTI_ACTIVITY_KIND_RUNTIME);
  ASSERT_EQ(calls.size(), 2u);
  for (const TestRecord& call : calls) EXPECT_EQ(call.As<CUpti_ActivityAPI>().cbid, kLaunchCbid);
}

TEST(Activity, ExternalIdsComeBeforeTheCallWithTheInnermostIdOfEachKind) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  EnableAll({CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION});
  const auto kind0 = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0,
             kind1 = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM1;
  cuptiActivityPushExternalCorrelationId(kind0, 1);
  cuptiActivityPushExternalCorrelationId(kind0, 2);
  cuptiActivityPushExternalCorrelationId(kind1, 9);
  engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel");
  uint64_t last = 0;
  EXPECT_EQ(cuptiActivityPopExternalCorrelationId(kind0, &last), CUPTI_SUCCESS);
  EXPECT_EQ(last, 2u);
  cuptiActivityPopExternalCorrelationId(kind0, nullptr);
  EXPECT_EQ(cuptiActivityPopExternalCorrelationId(kind0, &last), CUPTI_ERROR_QUEUE_EMPTY);
  cuptiActivityPopExternalCorrelationId(kind1, nullptr);
  EXPECT_EQ(cuptiActivityPushExternalCorrelationId(CUPTI_EXTERNAL_CORRELATION_KIND_INVALID, 1),
            CUPTI_ERROR_INVALID_PARAMETER);
  engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel");
  cuptiActivityFlushAll(0);
  const auto records = client.Records();
  ASSERT_EQ(records.size(), 4u);
  EXPECT_EQ(records[0].As<CUpti_ActivityExternalCorrelation>().externalId, 2u);
  EXPECT_EQ(records[1].As<CUpti_ActivityExternalCorrelation>().externalId, 9u);
  EXPECT_EQ(records[1].As<CUpti_ActivityExternalCorrelation>().externalKind, kind1);
  EXPECT_EQ(records[1].As<CUpti_ActivityExternalCorrelation>().correlationId, 100u);
  EXPECT_EQ(records[2].kind, uint32_t{CUPTI_ACTIVITY_KIND_RUNTIME});
  EXPECT_EQ(records[3].kind, uint32_t{CUPTI_ACTIVITY_KIND_RUNTIME});
}

TEST(Activity, AContextsOwnSettingGoesFirst) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  void* context = nullptr;
  engine.Call(Domain::kRuntime, kLaunchCbid, "x");
  EXPECT_EQ(cuptiActivityEnableContext(nullptr, CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL),
            CUPTI_ERROR_INVALID_CONTEXT);
  CUpti_SubscriberHandle handle = nullptr;
  static void* seen;
  cuptiSubscribe(
      &handle,
      [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void* data) {
        seen = static_cast<const CUpti_CallbackData*>(data)->context;
      },
      nullptr);
  cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchCbid);
  engine.Call(Domain::kRuntime, kLaunchCbid, "x");
  context = seen;
  ASSERT_EQ(cuptiActivityEnableContext(static_cast<CUcontext>(context),
                                       CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL),
            CUPTI_SUCCESS);
  engine.Submit(DoneKernel());
  Operation elsewhere = DoneKernel();
  elsewhere.context_id = 2;
  engine.Submit(elsewhere);
  cuptiActivityFlushAll(0);
  EXPECT_EQ(client.Records().size(), 1u);
  ASSERT_EQ(cuptiActivityDisableContext(static_cast<CUcontext>(context),
                                        CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL),
            CUPTI_SUCCESS);
  cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  engine.Submit(DoneKernel());
  engine.Submit(elsewhere);
  cuptiActivityFlushAll(0);
  EXPECT_EQ(client.Records().size(), 2u) << "only the other context's";
}

TEST(Activity, GraphsGiveOneRecordOrOnePerNode) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  EnableAll({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  Operation node = DoneKernel();
  node.graph_exec_id = 4;
  node.graph_node_id = 17;
  Operation whole = node;
  whole.kind = OperationKind::kGraphLaunch;
  whole.graph_node_id = 0;
  const auto launch = [&] {
    engine.Submit(whole);
    engine.Submit(node);
    engine.Submit(node);
    cuptiActivityFlushAll(0);
  };
  launch();
  ASSERT_EQ(client.Records(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL).size(), 2u);
  EXPECT_EQ(client.Records()[0].As<CUpti_ActivityKernel10>().graphNodeId, 17u);
  EnableAll({CUPTI_ACTIVITY_KIND_GRAPH_TRACE});
  launch();
  EXPECT_EQ(client.Records(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL).size(), 2u) << "no more";
  ASSERT_EQ(client.Records(CUPTI_ACTIVITY_KIND_GRAPH_TRACE).size(), 1u);
  EXPECT_EQ(
      client.Records(CUPTI_ACTIVITY_KIND_GRAPH_TRACE)[0].As<CUpti_ActivityGraphTrace2>().graphId,
      4u);
}

TEST(Activity, KindsThatAreNotThereOrExcludeEachOtherAreRefused) {
  FakeEngine& engine = FakeEngine::Start();
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_INVALID), CUPTI_ERROR_INVALID_KIND);
  EXPECT_EQ(cuptiActivityEnable(static_cast<CUpti_ActivityKind>(63)), CUPTI_ERROR_INVALID_KIND);
  EXPECT_EQ(cuptiActivityDisable(static_cast<CUpti_ActivityKind>(1000)), CUPTI_ERROR_INVALID_KIND);
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_KERNEL), CUPTI_ERROR_NOT_COMPATIBLE);
  EXPECT_EQ(cuptiActivityEnable(CUPTI_ACTIVITY_KIND_PCIE), CUPTI_SUCCESS);
  EXPECT_EQ(engine.unsupported.size(), 1u) << "accepted, and said that nothing will come";
}

TEST(Activity, LateClientsCanHaveWhatExistsDumped) {
  FakeEngine::Start();
  TestClient& client = TestClient::Start();
  for (const CUpti_ActivityKind kind :
       {CUPTI_ACTIVITY_KIND_DEVICE, CUPTI_ACTIVITY_KIND_CONTEXT, CUPTI_ACTIVITY_KIND_STREAM}) {
    ASSERT_EQ(cuptiActivityEnableAndDump(kind), CUPTI_SUCCESS);
  }
  cuptiActivityFlushAll(0);
  EXPECT_EQ(client.Records(CUPTI_ACTIVITY_KIND_DEVICE).size(), 2u);
  ASSERT_EQ(client.Records(CUPTI_ACTIVITY_KIND_CONTEXT).size(), 1u);
  EXPECT_EQ(
      client.Records(CUPTI_ACTIVITY_KIND_CONTEXT)[0].As<CUpti_ActivityContext3>().nullStreamId, 7u);
  EXPECT_EQ(client.Records(CUPTI_ACTIVITY_KIND_STREAM)[0].As<CUpti_ActivityStream>().flag,
            CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NULL);
}

TEST(Time, IsClockRealtime) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  uint64_t now = 0;
  ASSERT_EQ(cuptiGetTimestamp(&now), CUPTI_SUCCESS);
  EXPECT_LT(std::abs(static_cast<int64_t>(Realtime() - now)), kClockError);
  EnableAll({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  const uint64_t start = NowNs() - 5 * kMs, expected = Realtime() - 5 * kMs;
  engine.Submit(Kernel(start, start + 3 * kMs));
  cuptiActivityFlushAll(0);
  const auto& kernel = client.Records()[0].As<CUpti_ActivityKernel10>();
  EXPECT_LT(std::abs(static_cast<int64_t>(kernel.start - expected)), kClockError);
  EXPECT_EQ(kernel.end - kernel.start, 3 * kMs);
  EXPECT_EQ(kernel.completed, kernel.end);
}

// A client's clock that ticks three times a nanosecond, so that a conversion by a mere offset is
// seen.
uint64_t TripleClock() { return NowNs() * 3; }

TEST(Time, FollowsTheClientsClockWhateverItsRate) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  EXPECT_EQ(cuptiActivityRegisterTimestampCallback(nullptr), CUPTI_ERROR_INVALID_PARAMETER);
  ASSERT_EQ(cuptiActivityRegisterTimestampCallback(TripleClock), CUPTI_SUCCESS);
  EnableAll({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_RUNTIME});
  const uint64_t start = NowNs() - 4 * kMs;
  const uint64_t before = TripleClock();
  engine.Call(Domain::kRuntime, kLaunchCbid, "x", 0,
              [&] { engine.Submit(Kernel(start, start + 2 * kMs)); });
  const uint64_t after = TripleClock();
  cuptiActivityFlushAll(0);
  const auto& call = client.Records(CUPTI_ACTIVITY_KIND_RUNTIME)[0].As<CUpti_ActivityAPI>();
  EXPECT_LE(before, call.start);
  EXPECT_LE(call.start, call.end);
  EXPECT_LE(call.end, after);
  const auto& kernel =
      client.Records(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL)[0].As<CUpti_ActivityKernel10>();
  EXPECT_LT(std::abs(static_cast<int64_t>(kernel.start - start * 3)), kClockError);
  EXPECT_LT(std::abs(static_cast<int64_t>(kernel.end - (start + 2 * kMs) * 3)), kClockError);
}

TEST(Time, LatencyTimestampsAreGivenWhenAskedFor) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  EnableAll({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  engine.Submit(DoneKernel());
  cuptiActivityEnableLatencyTimestamps(1);
  engine.Submit(DoneKernel());
  cuptiActivityFlushAll(0);
  EXPECT_EQ(client.Records()[0].As<CUpti_ActivityKernel10>().queued, 0u);
  EXPECT_NE(client.Records()[1].As<CUpti_ActivityKernel10>().queued, 0u);
}

TEST(Settings, AttributesHaveTheHeadersDefaultsAndSizes) {
  FakeEngine::Start();
  size_t size = sizeof(size_t), value = 0;
  ASSERT_EQ(cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &size, &value),
            CUPTI_SUCCESS);
  EXPECT_EQ(value, 3'200'000u);
  value = 42;
  ASSERT_EQ(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &size, &value),
            CUPTI_SUCCESS);
  value = 0;
  cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &size, &value);
  EXPECT_EQ(value, 42u);
  size = 1;
  EXPECT_EQ(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, &size, &value),
            CUPTI_ERROR_PARAMETER_SIZE_NOT_SUFFICIENT);
  EXPECT_EQ(cuptiActivitySetAttribute(CUPTI_ACTIVITY_ATTR_DEVICE_BUFFER_SIZE, nullptr, &value),
            CUPTI_ERROR_INVALID_PARAMETER);
  size = sizeof value;
  EXPECT_EQ(
      cuptiActivityGetAttribute(CUPTI_ACTIVITY_ATTR_PROFILING_SEMAPHORE_POOL_SIZE, &size, &value),
      CUPTI_ERROR_INVALID_PARAMETER)
      << "gone since 12.3";
}

TEST(Settings, ThreadIdsCanBeTheSystems) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  ASSERT_EQ(cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM), CUPTI_SUCCESS);
  CUpti_ActivityThreadIdType type = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
  cuptiGetThreadIdType(&type);
  EXPECT_EQ(type, CUPTI_ACTIVITY_THREAD_ID_TYPE_SYSTEM);
  EnableAll({CUPTI_ACTIVITY_KIND_RUNTIME});
  engine.Call(Domain::kRuntime, kLaunchCbid, "x");
  cuptiActivityFlushAll(0);
  EXPECT_EQ(client.Records()[0].As<CUpti_ActivityAPI>().threadId,
            static_cast<uint32_t>(syscall(SYS_gettid)));
  EXPECT_EQ(cuptiSetThreadIdType(CUPTI_ACTIVITY_THREAD_ID_TYPE_SIZE),
            CUPTI_ERROR_INVALID_PARAMETER);
}

TEST(Life, FinalizeEndsEverythingAndTheLibraryCanBeginAgain) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient& client = TestClient::Start();
  EnableAll({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  engine.Submit(DoneKernel());
  ASSERT_EQ(cuptiFinalize(), CUPTI_SUCCESS);
  EXPECT_EQ(engine.observer, nullptr);
  EXPECT_EQ(engine.categories.load(), 0u);
  EXPECT_EQ(cuptiActivityFlushAll(0), CUPTI_ERROR_INVALID_OPERATION);
  EXPECT_TRUE(client.Records().empty());
  TestClient& again = TestClient::Start();
  EnableAll({CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL});
  engine.Submit(DoneKernel());
  cuptiActivityFlushAll(0);
  EXPECT_EQ(again.Records().size(), 1u);
}

TEST(Life, CuptiIsDeadInAForkedChildAndTheChildExits) {
  FakeEngine& engine = FakeEngine::Start();
  TestClient::Start();
  EnableAll({CUPTI_ACTIVITY_KIND_RUNTIME});
  const pid_t child = fork();
  if (child == 0) {
    engine.Call(Domain::kRuntime, kLaunchCbid, "x");
    std::_Exit(cuptiActivityFlushAll(0) == CUPTI_ERROR_UNKNOWN ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Queries, AnswerIds) {
  FakeEngine::Start();
  uint32_t id = 99;
  EXPECT_EQ(cuptiGetContextId(nullptr, &id), CUPTI_ERROR_INVALID_CONTEXT);
  EXPECT_EQ(cuptiGetStreamIdEx(nullptr, nullptr, 0, &id), CUPTI_SUCCESS);
  EXPECT_EQ(id, 7u);
  EXPECT_EQ(cuptiGetStreamId(nullptr, reinterpret_cast<CUstream>(0x10), &id),
            CUPTI_ERROR_INVALID_STREAM);
  EXPECT_EQ(cuptiGetDeviceId(nullptr, &id), CUPTI_SUCCESS);
  EXPECT_EQ(id, 0u);
  EXPECT_EQ(cuptiGetGraphId(nullptr, &id), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiGetGraphId(nullptr, nullptr), CUPTI_ERROR_INVALID_PARAMETER);
  uint64_t node = 0;
  EXPECT_EQ(cuptiGetGraphNodeId(nullptr, &node), CUPTI_SUCCESS);
  EXPECT_EQ(node, 5u);
  int supported = 0;
  EXPECT_EQ(cuptiDeviceSupported(1, &supported), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiDeviceSupported(2, &supported), CUPTI_ERROR_INVALID_DEVICE);
}

}  // namespace
}  // namespace simgpu::cupti
