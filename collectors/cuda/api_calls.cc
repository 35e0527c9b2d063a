// SPDX-License-Identifier: Apache-2.0
// A call's begin stays in CUPTI's own per-call word.
#include "collectors/cuda/api_calls.h"

#include "collectors/cuda/calls.h"
#include "collectors/cuda/copy_size.h"
#include "collectors/cuda/cuda_source.h"
#include "collectors/cuda/device_addresses.h"
#include "collectors/cuda/graph_nodes.h"
#include "collectors/cuda/host_functions.h"
#include "collectors/cuda/profiler_gate.h"
#include "collectors/cuda/resource_callbacks.h"

namespace syncline::cuda {
namespace {

constexpr uint32_t kMaxCallbacks = 2048;  // of one API; CUDA 13 has 520 and 800
constexpr CUpti_CallbackDomain kApis[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API};

struct Watched {
  CallName name;
  SizeWords size;
  NullStream null_stream = NullStream::kLegacy;
};

// By domain (1 and 2) and callback id. Written before the first callback is enabled.
constinit Watched g_watched[3][kMaxCallbacks] = {};
enum class Listed : uint8_t { kNothing, kShort, kFull };
Listed g_listed;

void FindCalls(const Cupti& cupti, bool full) {
  for (const CUpti_CallbackDomain api : kApis) {
    for (uint32_t id = 1; id < kMaxCallbacks; ++id) {
      g_watched[api][id] = {};
      const char* name = nullptr;
      if (cupti.cuptiGetCallbackName(api, id, &name) != CUPTI_SUCCESS || name == nullptr) continue;
      const size_t bytes = PlainName(&name);
      if (bytes == 0 || bytes > UINT16_MAX) continue;
      const CallFacts facts = FactsOf(name, bytes);
      if (!full && !facts.on_short_list) continue;
      const bool driver = api == CUPTI_CB_DOMAIN_DRIVER_API;
      g_watched[api][id] = {{name, bytes, facts.role, static_cast<uint16_t>(id), driver},
                            SizeWordsOf(name),
                            NullStreamOf(name)};
      g_watched[api][id].name.gives_several = facts.gives_several;
    }
  }
}

// The handle; of the default stream, which has none, its other name. Null: unknown.
const void* QueriedBy(const CUpti_CallbackData& call) {
  if (call.functionParams == nullptr) return nullptr;
  const void* handle = *static_cast<const void* const*>(call.functionParams);
  return handle == nullptr ? cudaStreamLegacy : handle;
}

void OnResource(CUpti_CallbackId id, const CUpti_ResourceData& data) {
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED) return OnNodeCloned(data);
  if (id != CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) return OnResourceCreated(id, data);
  g_calls.NodeMade();
  OnNodeMade(data, g_calls.Instantiates());
}

uint32_t ResultOf(const CUpti_CallbackData& call) {
  if (call.functionReturnValue == nullptr) return 0;
  return *static_cast<const uint32_t*>(call.functionReturnValue);
}

}  // namespace

int WatchCalls(const Cupti& cupti, CUpti_SubscriberHandle subscriber, bool full) {
  // Not again: callbacks of an earlier subscription may still be running.
  const Listed wanted = full ? Listed::kFull : Listed::kShort;
  if (g_listed != wanted) FindCalls(cupti, full);
  g_listed = wanted;
  g_calls.BeginWatching(full);
  int watched = 0;
  for (const CUpti_CallbackDomain api : kApis) {
    for (uint32_t id = 1; id < kMaxCallbacks; ++id) {
      if (g_watched[api][id].name.text == nullptr) continue;
      watched += cupti.cuptiEnableCallback(1, subscriber, api, id) == CUPTI_SUCCESS;
    }
  }
  return watched;
}

bool WatchNodes(const Cupti& cupti, CUpti_SubscriberHandle subscriber) {
  return cupti.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                                   CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED) == CUPTI_SUCCESS;
}

void CUPTIAPI OnCall(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE) {
    if (data != nullptr) OnResource(id, *static_cast<const CUpti_ResourceData*>(data));
    return;
  }
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API && domain != CUPTI_CB_DOMAIN_RUNTIME_API) return;
  const auto& seen = *static_cast<const CUpti_CallbackData*>(data);
  if (seen.correlationData == nullptr || id >= kMaxCallbacks) return;
  const Watched& watched = g_watched[domain][id];
  if (watched.name.text == nullptr) return OnProfilerCall(domain, id, seen.callbackSite);
  if (IsAskingForAddresses()) return;
  WatchedCall call = {&watched.name, seen.correlationId,
                      watched.name.queries ? QueriedBy(seen) : nullptr};
  if (seen.callbackSite == CUPTI_API_ENTER) {
    if (ProfilerIsWatched()) OnProfilerCall(domain, id, seen.callbackSite);
    *seen.correlationData = g_calls.Begin(call);
  } else {
    call.empty = watched.size.count != 0 && ResultOf(seen) == 0 &&
                 IsEmpty(watched.size, seen.functionParams);
    if (RoleOf(watched.name.role) == CallRole::kHostFunction && ResultOf(seen) == 0 &&
        g_calls.IsInQueue(*seen.correlationData))
      RecordHostFunction(seen, watched.null_stream);
    g_calls.End(call, *seen.correlationData, ResultOf(seen));
    if (ProfilerIsWatched()) OnProfilerCall(domain, id, seen.callbackSite);
  }
}

}  // namespace syncline::cuda
