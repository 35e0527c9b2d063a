// SPDX-License-Identifier: Apache-2.0
// Calls as CUPTI tells of them: nested, half seen, refused by a full ring, in a fork's child.
#include "collectors/cuda/api_calls.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iterator>
#include <set>
#include <thread>
#include <utility>

#include "collectors/cuda/cuda_source.h"
#include "collectors/cuda/host_functions.h"
#include "collectors/cuda/resource_callbacks.h"
#include "inject/core/thread_log.h"
#include "tests/fake_session/fake_session.h"
#include "tests/fake_session/recorded.h"

namespace syncline::test {
namespace {

using cuda::OnCall;

constexpr CUpti_CallbackDomain kDriver = CUPTI_CB_DOMAIN_DRIVER_API;
constexpr CUpti_CallbackDomain kRuntime = CUPTI_CB_DOMAIN_RUNTIME_API;

// The pretended CUPTI: a name per callback id, from 1 on.
constexpr const char* kDriverNames[] = {"cuInit", "cuLaunchKernel", "cuMemcpyDtoH_v2",
                                        "cuEventQuery", "cuLaunchHostFunc"};
constexpr const char* kRuntimeNames[] = {"cudaGetDevice_v3020", "__cudaLaunchKernel_v13000",
                                         "cudaMemcpy_ptds_v7000", "cudaEventQuery_v3020",
                                         "cudaLaunchHostFunc_ptsz_v10000"};
enum DriverId : uint32_t { kCuInit = 1, kCuLaunch, kCuCopy, kCuQuery, kCuFunction };
enum RuntimeId : uint32_t { kGetDevice = 1, kLaunch, kCopy, kQuery, kFunction };

std::set<std::pair<int, uint32_t>> g_enabled;

cuda::Cupti PretendedCupti() {
  cuda::Cupti cupti{};
  cupti.cuptiGetCallbackName = [](CUpti_CallbackDomain domain, uint32_t id, const char** name) {
    if (id == 0 || id > std::size(kDriverNames)) return CUPTI_ERROR_INVALID_PARAMETER;
    *name = domain == kDriver ? kDriverNames[id - 1] : kRuntimeNames[id - 1];
    return CUPTI_SUCCESS;
  };
  cupti.cuptiEnableCallback = [](uint32_t on, CUpti_SubscriberHandle, CUpti_CallbackDomain domain,
                                 CUpti_CallbackId id) {
    if (on != 0) g_enabled.insert({domain, id});
    return CUPTI_SUCCESS;
  };
  return cupti;
}

// One call of the program.
class ApiCall {
 public:
  ApiCall(CUpti_CallbackDomain domain, uint32_t id, uint32_t correlation, uint32_t result = 0)
      : domain_(domain), id_(id), result_(result) {
    data_.correlationId = correlation;
    data_.correlationData = &word_;
    data_.functionReturnValue = &result_;
  }
  ApiCall& Enter() { return Site(CUPTI_API_ENTER); }
  ApiCall& Exit() { return Site(CUPTI_API_EXIT); }

  CUpti_CallbackData& data() { return data_; }

 private:
  ApiCall& Site(CUpti_ApiCallbackSite site) {
    data_.callbackSite = site;
    OnCall(nullptr, domain_, id_, &data_);
    return *this;
  }

  CUpti_CallbackDomain domain_;
  uint32_t id_;
  uint32_t result_;
  uint64_t word_ = 0;
  CUpti_CallbackData data_{};
};

class ApiCalls : public ::testing::Test {
 protected:
  void SetUp() override {
    ResetSession();
    Watch(false);
    cuda::g_calls.MarkWork(false);
  }
  static int Watch(bool full) {
    g_enabled.clear();
    static const cuda::Cupti kCupti = PretendedCupti();
    return cuda::WatchCalls(kCupti, nullptr, full);
  }
  static std::vector<Recorded> Calls() { return ReadRecords(RecordKind::kCall); }
};

TEST_F(ApiCalls, OnlyTheShortListIsAskedFor) {
  EXPECT_EQ(Watch(false), 8);
  EXPECT_EQ(g_enabled, (std::set<std::pair<int, uint32_t>>{{kDriver, kCuLaunch},
                                                           {kDriver, kCuCopy},
                                                           {kDriver, kCuQuery},
                                                           {kDriver, kCuFunction},
                                                           {kRuntime, kLaunch},
                                                           {kRuntime, kCopy},
                                                           {kRuntime, kQuery},
                                                           {kRuntime, kFunction}}));
  EXPECT_EQ(Watch(true), 10);
}

TEST_F(ApiCalls, ACallIsARecord) {
  ApiCall(kRuntime, kLaunch, 5).Enter().Exit();
  ApiCall(kDriver, kCuCopy, 6, 700).Enter().Exit();
  ApiCall(kRuntime, kCopy, 7, 1u << 20).Enter().Exit();
  const auto calls = Calls();
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_EQ(calls[0].name, "cudaLaunchKernel");
  EXPECT_EQ(calls[0].call.correlation, 5u);
  EXPECT_EQ(RoleOf(calls[0].call.role), CallRole::kLaunch);
  EXPECT_EQ(calls[0].call.source, cuda::kSource);
  EXPECT_EQ(calls[0].number, kLaunch);
  EXPECT_EQ(calls[0].call.result, 0u);
  EXPECT_EQ(calls[0].flags, 0);
  EXPECT_LE(calls[0].call.begin, calls[0].call.end);
  EXPECT_LE(calls[0].call.end, calls[1].call.begin);
  EXPECT_EQ(calls[1].name, "cuMemcpyDtoH");
  EXPECT_EQ(calls[1].flags, kDriverCall);
  EXPECT_EQ(calls[1].call.result, 700u);
  EXPECT_EQ(calls[2].name, "cudaMemcpy");
  EXPECT_EQ(calls[2].call.result, 65535u);
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(ApiCalls, AQueryTellsWhatItAsksApart) {
  const void* one = &kRuntimeNames[0];
  const void* other = &kRuntimeNames[1];
  const void* const no_handle = nullptr;  // the default stream
  for (const void* handle : {one, other, one, no_handle, no_handle}) {
    ApiCall query(kRuntime, kQuery, 8);
    query.data().functionParams = &handle;
    query.Enter().Exit();
  }
  const auto calls = Calls();
  ASSERT_EQ(calls.size(), 5u);
  EXPECT_NE(calls[0].flags / kQueriedObject, 0);
  EXPECT_NE(calls[0].flags, calls[1].flags);
  EXPECT_EQ(calls[0].flags, calls[2].flags);
  EXPECT_NE(calls[3].flags / kQueriedObject, 0);
  EXPECT_EQ(calls[3].flags, calls[4].flags);
}

TEST_F(ApiCalls, TheCallThatAThreadIsInCanBeSeen) {
  ApiCall outer(kRuntime, kLaunch, 7), inner(kDriver, kCuLaunch, 7);
  outer.Enter();
  const OpenCall& open = t_log->control->calls[cuda::kSource];
  EXPECT_NE(open.begin, 0u);
  EXPECT_EQ(open.correlation, 7u);
  EXPECT_EQ(open.flags, 0u);
  EXPECT_NE(open.name, 0u);
  const uint64_t begin = open.begin;
  inner.Enter().Exit();
  EXPECT_EQ(open.begin, begin) << "the outermost call is the one";
  outer.Exit();
  EXPECT_EQ(open.begin, 0u);
}

TEST_F(ApiCalls, InnerCallsOnlyInFull) {
  for (const bool full : {false, true}) {
    ResetSession();
    Watch(full);
    ApiCall outer(kRuntime, kLaunch, 5), inner(kDriver, kCuLaunch, 5), second(kDriver, kCuCopy, 5);
    outer.Enter();
    inner.Enter();
    second.Enter().Exit();
    inner.Exit();
    outer.Exit();
    ApiCall(kDriver, kCuLaunch, 6).Enter().Exit();
    const auto calls = Calls();
    ASSERT_EQ(calls.size(), full ? 4u : 2u);
    if (full) {
      EXPECT_EQ(calls[0].name, "cuMemcpyDtoH");
      EXPECT_EQ(calls[0].flags, kDriverCall | kInnerCall);
      EXPECT_EQ(calls[1].flags, kDriverCall | kInnerCall);
      EXPECT_GE(calls[1].call.begin, calls[2].call.begin);
    }
    EXPECT_EQ(calls[calls.size() - 2].name, "cudaLaunchKernel");
    EXPECT_EQ(calls[calls.size() - 2].flags, 0);
    EXPECT_EQ(calls.back().call.correlation, 6u);
    EXPECT_EQ(calls.back().flags, kDriverCall);
  }
}

TEST_F(ApiCalls, CallsThatBeganBeforeUsAreLeftOut) {
  ApiCall begun(kRuntime, kCopy, 5);
  begun.Exit();
  ApiCall(kRuntime, kLaunch, 6).Enter().Exit();
  ASSERT_EQ(Calls().size(), 1u);
  EXPECT_EQ(Calls()[0].call.correlation, 6u);
  EXPECT_EQ(Calls()[0].flags, 0);
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(ApiCalls, WhatIsNotOfAnApiIsPassedOver) {
  ApiCall call(kRuntime, kLaunch, 5);
  OnCall(nullptr, CUPTI_CB_DOMAIN_RESOURCE, 1, nullptr);
  OnCall(nullptr, CUPTI_CB_DOMAIN_NVTX, 1, nullptr);
  call.data().correlationData = nullptr;
  call.Enter().Exit();
  EXPECT_TRUE(ReadRecords().empty());
  ApiCall void_call(kRuntime, kLaunch, 6);
  void_call.data().functionReturnValue = nullptr;
  void_call.Enter().Exit();
  ASSERT_EQ(Calls().size(), 1u);
  EXPECT_EQ(Calls()[0].call.result, 0u);
}

// Streams and contexts by their handles; what CUPTI cannot number is left out.
TEST_F(ApiCalls, HandlesOfStreamsAndContexts) {
  static cuda::Cupti cupti = PretendedCupti();
  CUpti_ResourceData object{};
  object.context = reinterpret_cast<CUcontext>(0x100);
  object.resourceHandle.stream = reinterpret_cast<CUstream>(0x200);
  OnCall(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_CREATED, &object);
  cuda::WatchResources(cupti, nullptr);  // a CUPTI that lacks the functions
  OnCall(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_CREATED, &object);
  EXPECT_TRUE(ReadRecords().empty());
  cupti.cuptiGetContextId = [](CUcontext, uint32_t* id) { return *id = 3, CUPTI_SUCCESS; };
  cupti.cuptiGetStreamIdEx = [](CUcontext, CUstream stream, uint8_t, uint32_t* id) {
    *id = 13;
    return stream == nullptr ? CUPTI_ERROR_INVALID_STREAM : CUPTI_SUCCESS;
  };
  cuda::WatchResources(cupti, nullptr);
  EXPECT_TRUE(g_enabled.contains({CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_CREATED}));
  OnCall(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_CREATED, &object);
  OnCall(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_CREATED, &object);
  OnCall(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, &object);
  object.resourceHandle.stream = nullptr;
  OnCall(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_STREAM_CREATED, &object);
  const auto records = ReadRecords();
  ASSERT_EQ(records.size(), 2u);
  EXPECT_EQ(records[0].note.type, DeviceEventType::kStreamHandle);
  EXPECT_EQ(records[0].note.address, 0x200u);
  EXPECT_EQ(records[0].note.context, 3u);
  EXPECT_EQ(records[0].note.stream, 13u);
  EXPECT_EQ(records[1].note.type, DeviceEventType::kContextHandle);
  EXPECT_EQ(records[1].note.address, 0x100u);
}

// An id beyond the table neither is recorded nor leaves the thread inside a call.
TEST_F(ApiCalls, AnUnknownIdDoesNoHarm) {
  ApiCall(kRuntime, 1u << 20, 5).Enter().Exit();
  ApiCall(kRuntime, kLaunch, 6).Enter().Exit();
  ASSERT_EQ(Calls().size(), 1u);
  EXPECT_EQ(Calls()[0].call.correlation, 6u);
}

TEST_F(ApiCalls, AFullRingLosesTheCallAndCountsIt) {
  ApiCall(kRuntime, kLaunch, 1).Enter().Exit();
  LimitRings(0);
  ApiCall outer(kRuntime, kLaunch, 2);
  outer.Enter();
  ApiCall(kDriver, kCuLaunch, 2).Enter().Exit();  // would not be recorded: no loss
  outer.Exit();
  EXPECT_EQ(Losses(kLoss_ring_full), 1u);
  LimitRings(1 << 20);
  ApiCall(kRuntime, kLaunch, 3).Enter().Exit();
  const auto calls = Calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_EQ(calls[1].call.correlation, 3u);
  EXPECT_EQ(calls[1].flags, 0);
  EXPECT_EQ(AllLosses(), 1u);
}

TEST_F(ApiCalls, WithoutALogACallIsCountedOnce) {
  SetRecording(false);
  ApiCall(kRuntime, kLaunch, 2).Enter().Exit();
  EXPECT_EQ(Losses(kLoss_no_ring), 1u);
  EXPECT_EQ(AllLosses(), 1u);
  SetRecording(true);
  ApiCall(kRuntime, kLaunch, 3).Enter().Exit();
  EXPECT_EQ(Calls().size(), 1u);
}

TEST_F(ApiCalls, InAHookThatASignalInterruptedNothingIsRecorded) {
  ApiCall(kRuntime, kLaunch, 1).Enter().Exit();
  SetBusy(true);
  ApiCall(kRuntime, kLaunch, 2).Enter().Exit();
  SetBusy(false);
  EXPECT_EQ(Losses(kLoss_nested_signal), 1u);
  ApiCall(kRuntime, kLaunch, 3).Enter().Exit();
  ASSERT_EQ(Calls().size(), 2u);
  EXPECT_EQ(Calls()[1].flags, 0);
}

TEST_F(ApiCalls, AForksChildForgetsTheCallItWasBornIn) {
  ApiCall call(kRuntime, kLaunch, 1);
  call.Enter();
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    call.Exit();
    const bool nothing = Calls().empty() && AllLosses() == 0;
    ApiCall(kRuntime, kCopy, 2).Enter().Exit();
    const auto calls = Calls();
    const bool own = calls.size() == 1 && calls[0].name == "cudaMemcpy" && calls[0].flags == 0;
    _exit(nothing && own ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  call.Exit();
  ASSERT_EQ(Calls().size(), 1u);
  EXPECT_EQ(Calls()[0].name, "cudaLaunchKernel");
}

TEST_F(ApiCalls, ThreadsHaveTheirOwnNesting) {
  ApiCall outer(kRuntime, kLaunch, 1);
  outer.Enter();
  std::thread other([] {
    for (uint32_t i = 0; i < 1000; ++i) ApiCall(kDriver, kCuLaunch, 100 + i).Enter().Exit();
  });
  for (uint32_t i = 0; i < 1000; ++i) ApiCall(kDriver, kCuLaunch, 1).Enter().Exit();
  other.join();
  outer.Exit();
  EXPECT_EQ(Calls().size(), 1001u);
  EXPECT_EQ(AllLosses(), 0u);
}

TEST_F(ApiCalls, WhatGaveWorkIsMarked) {
  ApiCall(kRuntime, kLaunch, 1).Enter().Exit();
  cuda::g_calls.MarkWork(true);
  ApiCall outer(kRuntime, kLaunch, 2);
  outer.Enter();
  ApiCall(kDriver, kCuLaunch, 2).Enter().Exit();
  outer.Exit();
  ApiCall(kDriver, kCuLaunch, 3).Enter().Exit();
  ApiCall(kRuntime, kLaunch, 4, 700).Enter().Exit();
  ApiCall(kRuntime, kQuery, 5).Enter().Exit();
  cuda::g_calls.MarkWork(false);
  ApiCall(kRuntime, kLaunch, 6).Enter().Exit();
  const auto calls = Calls();
  ASSERT_EQ(calls.size(), 6u);
  const bool marked[] = {false, true, true, false, false, false};
  for (size_t i = 0; i < calls.size(); ++i) EXPECT_EQ(GaveWork(calls[i].call), marked[i]) << i;
  EXPECT_EQ(calls[2].flags, kDriverCall | kGaveWork);
}

TEST_F(ApiCalls, InsideOfAMarkedCallNothingIsMarked) {
  Watch(true);
  cuda::g_calls.MarkWork(true);
  ApiCall outer(kRuntime, kLaunch, 2);
  outer.Enter();
  ApiCall(kDriver, kCuLaunch, 2).Enter().Exit();
  outer.Exit();
  const auto calls = Calls();
  ASSERT_EQ(calls.size(), 2u);
  EXPECT_FALSE(GaveWork(calls[0].call));
  EXPECT_TRUE(GaveWork(calls[1].call));
}

// A call that makes a node of a graph is captured: the GPU has nothing to do before the graph's
// launch.
TEST_F(ApiCalls, WhatIsCapturedOrEmptyIsNotMarked) {
  static const cuda::Cupti kCupti = PretendedCupti();
  EXPECT_TRUE(cuda::WatchNodes(kCupti, nullptr));
  EXPECT_TRUE(
      g_enabled.contains({CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED}));
  cuda::g_calls.MarkWork(true);
  const auto node_made = [] {
    const CUpti_ResourceData node{};
    OnCall(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &node);
  };
  node_made();  // on a thread that is in no call
  ApiCall captured(kRuntime, kLaunch, 1), inner(kDriver, kCuLaunch, 1);
  captured.Enter();
  inner.Enter();
  node_made();
  inner.Exit();
  captured.Exit();
  node_made();
  const uint64_t nothing[] = {1, 2, 0}, something[] = {1, 2, 3};
  for (const uint64_t* params : {nothing, something}) {
    ApiCall copy(kRuntime, kCopy, 2);
    copy.data().functionParams = params;
    copy.Enter().Exit();
  }
  const auto calls = Calls();
  ASSERT_EQ(calls.size(), 3u);
  EXPECT_FALSE(GaveWork(calls[0].call)) << "captured";
  EXPECT_FALSE(GaveWork(calls[1].call)) << "empty";
  EXPECT_TRUE(GaveWork(calls[2].call));
  EXPECT_EQ(calls[0].flags, 0);
}

// Its stream is noted once, by the outermost call; of one that was refused or captured nothing is.
TEST_F(ApiCalls, AFunctionOfTheHostHasItsStream) {
  static cuda::Cupti cupti = PretendedCupti();
  cupti.cuptiGetContextId = [](CUcontext, uint32_t* id) { return *id = 3, CUPTI_SUCCESS; };
  cupti.cuptiGetStreamIdEx = [](CUcontext, CUstream stream, uint8_t per_thread, uint32_t* id) {
    *id = stream == nullptr ? 7u + per_thread : 13u;
    return CUPTI_SUCCESS;
  };
  cuda::WatchHostFunctions(cupti);
  const auto call = [](CUpti_CallbackDomain domain, uint32_t id, uint64_t stream,
                       uint32_t correlation, const auto& inside, uint32_t result = 0) {
    const uint64_t params[] = {stream, 1, 2};
    ApiCall function(domain, id, correlation, result);
    function.data().context = reinterpret_cast<CUcontext>(0x100);
    function.data().functionParams = params;
    function.Enter();
    inside();
    function.Exit();
  };
  const auto nothing = [] {};
  call(kRuntime, kFunction, 0x200, 1, [&] { call(kDriver, kCuFunction, 0x200, 1, nothing); });
  call(kRuntime, kFunction, 0, 2, nothing);   // _ptsz: the thread's own
  call(kDriver, kCuFunction, 0, 3, nothing);  // the legacy one
  call(kDriver, kCuFunction, 2, 4, nothing);  // cudaStreamPerThread
  call(kRuntime, kFunction, 0x200, 5, nothing, 1);
  call(kRuntime, kFunction, 0x200, 6, [] {
    const CUpti_ResourceData node{};
    OnCall(nullptr, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, &node);
  });
  std::vector<std::pair<uint32_t, uint32_t>> noted;  // call, stream
  for (const auto& record : ReadRecords()) {
    if (record.note.type != DeviceEventType::kHostFunction) continue;
    EXPECT_EQ(record.note.context, 3u);
    noted.emplace_back(record.note.correlation, record.note.stream);
  }
  const std::vector<std::pair<uint32_t, uint32_t>> wanted = {{1, 13}, {2, 8}, {3, 7}, {4, 8}};
  EXPECT_EQ(noted, wanted);
}

TEST_F(ApiCalls, NoQueryLooksLikeWork) {
  for (uintptr_t handle = 1; handle < 5000; ++handle) {
    const void* object = reinterpret_cast<const void*>(handle * 16);
    ApiCall query(kRuntime, kQuery, 8);
    query.data().functionParams = &object;
    query.Enter().Exit();
  }
  for (const auto& call : Calls()) ASSERT_FALSE(GaveWork(call.call));
}

TEST_F(ApiCalls, TheLastLaunchIsWhatGaveWork) {
  ApiCall(kRuntime, kLaunch, 41).Enter().Exit();
  EXPECT_EQ(cuda::g_calls.LastLaunch(), 41u);
  Watch(true);
  ApiCall(kRuntime, kGetDevice, 42).Enter().Exit();
  ApiCall(kRuntime, kCopy, 43, 1).Enter().Exit();  // refused
  EXPECT_EQ(cuda::g_calls.LastLaunch(), 41u);
}

}  // namespace
}  // namespace syncline::test
