// SPDX-License-Identifier: Apache-2.0
// Subscribers, their switches, and what reaches their callbacks.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "tests/simulated_gpu/cupti/fake_engine.h"

namespace simgpu::cupti {
namespace {

struct Seen {
  int subscriber;
  uint32_t domain, cbid;
  int site;  // CUpti_ApiCallbackSite, -1 for other domains
  uint32_t correlation;
  uint64_t data;
  std::string symbol;
  int result;
};

std::vector<Seen> g_seen;

void CUPTIAPI See(void* user, CUpti_CallbackDomain domain, CUpti_CallbackId cbid,
                  const void* data) {
  Seen seen{static_cast<int>(reinterpret_cast<uintptr_t>(user)), domain, cbid, -1, 0, 0, "", 0};
  if (domain == CUPTI_CB_DOMAIN_RUNTIME_API || domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    const auto* call = static_cast<const CUpti_CallbackData*>(data);
    seen.site = call->callbackSite;
    seen.correlation = call->correlationId;
    seen.symbol = call->symbolName;
    if (call->callbackSite == CUPTI_API_EXIT)
      seen.result = *static_cast<int*>(call->functionReturnValue);
    *call->correlationData += 10 + static_cast<uint64_t>(seen.subscriber);
    seen.data = *call->correlationData;
  }
  g_seen.push_back(seen);
}

void* User(uintptr_t number) { return reinterpret_cast<void*>(number); }

CUpti_SubscriberHandle Subscribe() {
  CUpti_SubscriberHandle handle = nullptr;
  EXPECT_EQ(cuptiSubscribe(&handle, See, User(1)), CUPTI_SUCCESS);
  g_seen.clear();
  return handle;
}

TEST(Callbacks, ComeAtEnterAndExitWithOneCorrelationAndTheClientsData) {
  FakeEngine& engine = FakeEngine::Start();
  const CUpti_SubscriberHandle handle = Subscribe();
  ASSERT_EQ(cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchCbid),
            CUPTI_SUCCESS);
  engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel", 9);
  engine.Call(Domain::kRuntime, kLaunchCbid + 1, "other");
  ASSERT_EQ(g_seen.size(), 2u) << "only the call that is switched on";
  EXPECT_EQ(g_seen[0].site, CUPTI_API_ENTER);
  EXPECT_EQ(g_seen[1].site, CUPTI_API_EXIT);
  EXPECT_EQ(g_seen[0].correlation, 100u);
  EXPECT_EQ(g_seen[1].correlation, 100u);
  EXPECT_EQ(g_seen[0].data, 11u);
  EXPECT_EQ(g_seen[1].data, 22u) << "what was stored at enter is there at exit";
  EXPECT_EQ(g_seen[1].result, 9);
  EXPECT_EQ(g_seen[0].symbol, "_Z6kernelv");
}

TEST(Callbacks, NestedDriverCallsShareTheCorrelationAndKeepTheirOwnData) {
  FakeEngine& engine = FakeEngine::Start();
  const CUpti_SubscriberHandle handle = Subscribe();
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API);
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_DRIVER_API);
  engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel", 0,
              [&] { engine.Call(Domain::kDriver, kDriverLaunchCbid, "cuLaunchKernel"); });
  ASSERT_EQ(g_seen.size(), 4u);
  const uint32_t domains[] = {2, 1, 1, 2};
  const uint64_t data[] = {11, 11, 22, 22};
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(g_seen[i].domain, domains[i]);
    EXPECT_EQ(g_seen[i].data, data[i]);
    EXPECT_EQ(g_seen[i].correlation, 100u);
  }
}

TEST(Callbacks, StopWhenSwitchedOffAndAfterUnsubscribe) {
  FakeEngine& engine = FakeEngine::Start();
  const CUpti_SubscriberHandle handle = Subscribe();
  cuptiEnableAllDomains(1, handle);
  uint32_t on = 0;
  EXPECT_EQ(cuptiGetCallbackState(&on, handle, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchCbid),
            CUPTI_SUCCESS);
  EXPECT_EQ(on, 1u);
  cuptiEnableCallback(0, handle, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchCbid);
  EXPECT_EQ(engine.switches.on[2][kLaunchCbid].load(), 0) << "the engine is not asked for it";
  engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel");
  EXPECT_TRUE(g_seen.empty());
  EXPECT_EQ(cuptiUnsubscribe(handle), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiUnsubscribe(handle), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(engine.switches.on[2][kLaunchCbid + 1].load(), 0);
  EXPECT_EQ(engine.categories.load(), 0u);
}

TEST(Callbacks, CallsOfTheClientAreInvisible) {
  FakeEngine& engine = FakeEngine::Start();
  CUpti_SubscriberHandle handle = nullptr;
  static FakeEngine* inside;
  static int depth;
  inside = &engine;
  depth = 0;
  const CUpti_CallbackFunc nest = [](void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {
    ++depth;
    if (depth < 10) inside->Call(Domain::kRuntime, kLaunchCbid, "cudaDeviceSynchronize");
  };
  ASSERT_EQ(cuptiSubscribe(&handle, nest, nullptr), CUPTI_SUCCESS);
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API);
  engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel");
  EXPECT_EQ(depth, 2) << "enter and exit of the program's call alone";
}

TEST(Callbacks, ResourcesAndSynchronizationsHaveTheirDomains) {
  FakeEngine& engine = FakeEngine::Start();
  const CUpti_SubscriberHandle handle = Subscribe();
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_RESOURCE);
  cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_SYNCHRONIZE);
  EXPECT_EQ(engine.categories.load(), kResources | kModules | kSynchronizations);
  Resource stream{};
  stream.kind = ResourceKind::kStream;
  stream.id = 13;
  engine.observer->resource(&stream, true);
  engine.observer->resource(&stream, false);
  Synchronization done{};
  done.kind = SynchronizationKind::kStreamSynchronize;
  engine.observer->synchronized(&done);
  done.result = 700;
  engine.observer->synchronized(&done);
  ASSERT_EQ(g_seen.size(), 3u) << "a synchronisation that failed is none";
  EXPECT_EQ(g_seen[0].cbid, CUPTI_CBID_RESOURCE_STREAM_CREATED);
  EXPECT_EQ(g_seen[1].cbid, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING);
  EXPECT_EQ(g_seen[2].cbid, CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED);
}

TEST(Subscribers, TheSecondIsRefusedAndToldWhoIsThere) {
  FakeEngine::Start();
  CUpti_SubscriberHandle first = nullptr, second = nullptr;
  CUpti_SubscriberParams params{};
  params.structSize = CUpti_SubscriberParams_STRUCT_SIZE;
  params.subscriberName = "first tool";
  ASSERT_EQ(cuptiSubscribe_v2(&first, See, User(1), &params), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe(&second, See, User(2)), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  char name[64] = "";
  params.oldSubscriberName = name;
  params.oldSubscriberSize = sizeof name;
  EXPECT_EQ(cuptiSubscribe_v2(&second, See, User(2), &params),
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  EXPECT_STREQ(name, "CUPTI for first tool");
  params.oldSubscriberSize = 6;
  cuptiSubscribe_v2(&second, See, User(2), &params);
  EXPECT_STREQ(name, "CUPTI") << "cut where there is no room";
  params.structSize = 1;
  EXPECT_EQ(cuptiSubscribe_v2(&second, See, User(2), &params), CUPTI_ERROR_INVALID_PARAMETER);
  ASSERT_EQ(cuptiUnsubscribe(first), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe(&second, See, User(2)), CUPTI_SUCCESS) << "free again";
}

// The struct of 13.2 and newer, which the headers of 13.0 lack.
struct SharingParams {
  CUpti_SubscriberParams known;
  uint8_t allow_multiple_subscribers;
  uint8_t padding[7];
};

TEST(Subscribers, SeveralShareWhereTheVersionKnowsItAndAllAskForIt) {
  SharingParams sharing{};
  sharing.known.structSize = sizeof sharing;
  sharing.allow_multiple_subscribers = 1;
  CUpti_SubscriberHandle first = nullptr, second = nullptr, third = nullptr;
  FakeEngine& engine = FakeEngine::Start(1303);
  ASSERT_EQ(cuptiSubscribe_v2(&first, See, User(1), &sharing.known), CUPTI_SUCCESS);
  ASSERT_EQ(cuptiSubscribe_v2(&second, See, User(2), &sharing.known), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe(&third, See, User(3)), CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
  cuptiEnableCallback(1, first, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchCbid);
  cuptiEnableCallback(1, second, CUPTI_CB_DOMAIN_RUNTIME_API, kLaunchCbid);
  g_seen.clear();
  engine.Call(Domain::kRuntime, kLaunchCbid, "cudaLaunchKernel");
  ASSERT_EQ(g_seen.size(), 4u);
  EXPECT_EQ(g_seen[2].data, 22u) << "each has its own correlation data";
  EXPECT_EQ(g_seen[3].data, 24u);
  EXPECT_EQ(cuptiFinalize(), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiUnsubscribe(first), CUPTI_SUCCESS)
      << "finalize does nothing while there are several";
  FakeEngine::Start(1300);
  ASSERT_EQ(cuptiSubscribe_v2(&first, See, User(1), &sharing.known), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiSubscribe_v2(&second, See, User(2), &sharing.known),
            CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
      << "13.0 does not know the field";
}

TEST(Subscribers, BadArgumentsAreRefused) {
  FakeEngine::Start();
  CUpti_SubscriberHandle handle = nullptr;
  EXPECT_EQ(cuptiSubscribe(nullptr, See, nullptr), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(cuptiSubscribe(&handle, nullptr, nullptr), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(cuptiEnableDomain(1, nullptr, CUPTI_CB_DOMAIN_RUNTIME_API),
            CUPTI_ERROR_INVALID_PARAMETER);
  ASSERT_EQ(cuptiSubscribe(&handle, See, nullptr), CUPTI_SUCCESS);
  EXPECT_EQ(cuptiEnableDomain(1, handle, CUPTI_CB_DOMAIN_INVALID), CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_RUNTIME_API, 100'000),
            CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(cuptiEnableCallback(1, handle, CUPTI_CB_DOMAIN_SIZE, 1), CUPTI_ERROR_INVALID_PARAMETER);
}

TEST(Names, AreThoseOfTheHeaders) {
  FakeEngine::Start();
  const char* name = nullptr;
  ASSERT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, 211, &name), CUPTI_SUCCESS);
  EXPECT_STREQ(name, "cudaLaunchKernel_v7000");
  ASSERT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_DRIVER_API, 307, &name), CUPTI_SUCCESS);
  EXPECT_STREQ(name, "cuLaunchKernel");
  EXPECT_EQ(cuptiGetCallbackName(CUPTI_CB_DOMAIN_RUNTIME_API, 99'999, &name),
            CUPTI_ERROR_INVALID_PARAMETER);
  ASSERT_EQ(cuptiGetResultString(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, &name),
            CUPTI_SUCCESS);
  EXPECT_STREQ(name, "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED");
  cuptiGetLastError();
  EXPECT_EQ(cuptiGetResultString(static_cast<CUptiResult>(4711), &name),
            CUPTI_ERROR_INVALID_PARAMETER);
  EXPECT_EQ(cuptiGetLastError(), CUPTI_ERROR_INVALID_PARAMETER);
}

TEST(NotModelled, IsSaid) {
  FakeEngine& engine = FakeEngine::Start();
  EXPECT_EQ(cuptiGetAutoBoostState(nullptr, nullptr), CUPTI_ERROR_NOT_SUPPORTED);
  ASSERT_EQ(engine.unsupported.size(), 1u);
  EXPECT_EQ(engine.unsupported[0], "cuptiGetAutoBoostState");
}

}  // namespace
}  // namespace simgpu::cupti
