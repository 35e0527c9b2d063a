// SPDX-License-Identifier: Apache-2.0
// A call's begin stays in CUPTI's own per-call word.
#include "collectors/cuda/api_calls.h"

#include "collectors/cuda/call_filter.h"
#include "collectors/cuda/call_log.h"
#include "collectors/cuda/object_ids.h"

namespace syncline::cuda {
namespace {

constexpr uint32_t kMaxCallbacks = 2048;  // of one API; CUDA 13 has 520 and 800
constexpr CUpti_CallbackDomain kApis[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API};

// By domain (1 and 2) and callback id. Written before the first callback is enabled.
CallName g_names[3][kMaxCallbacks];
enum class Listed : uint8_t { kNothing, kShort, kFull };
Listed g_listed;

void FindCalls(const Cupti& cupti, bool full) {
  for (const CUpti_CallbackDomain api : kApis) {
    for (uint32_t id = 1; id < kMaxCallbacks; ++id) {
      g_names[api][id] = {};
      const char* name = nullptr;
      if (cupti.cuptiGetCallbackName(api, id, &name) != CUPTI_SUCCESS || name == nullptr) continue;
      const size_t bytes = PlainName(&name);
      if (bytes == 0 || bytes > UINT16_MAX || (!full && !OnShortList(name, bytes))) continue;
      g_names[api][id] = {name, static_cast<uint16_t>(bytes), MakesWork(name, bytes),
                          Asks(name, bytes), SizeWordsOf(name)};
    }
  }
}

const void* QueriedBy(const CUpti_CallbackData& call) {
  return call.functionParams == nullptr ? nullptr
                                        : *static_cast<const void* const*>(call.functionParams);
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
  BeginWatching(full);
  int watched = 0;
  for (const CUpti_CallbackDomain api : kApis) {
    for (uint32_t id = 1; id < kMaxCallbacks; ++id) {
      if (g_names[api][id].text == nullptr) continue;
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
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED)
    return NodeMade();
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && data != nullptr)
    return OnObject(id, *static_cast<const CUpti_ResourceData*>(data));
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API && domain != CUPTI_CB_DOMAIN_RUNTIME_API) return;
  const auto& seen = *static_cast<const CUpti_CallbackData*>(data);
  if (seen.correlationData == nullptr || id >= kMaxCallbacks) return;
  const CallName& name = g_names[domain][id];
  GpuCall call = {&name, seen.correlationId, static_cast<uint16_t>(id),
                  domain == CUPTI_CB_DOMAIN_DRIVER_API, name.asks ? QueriedBy(seen) : nullptr};
  if (seen.callbackSite == CUPTI_API_ENTER) {
    *seen.correlationData = BeginCall(call);
  } else {
    call.empty =
        name.size.count != 0 && ResultOf(seen) == 0 && IsEmpty(name.size, seen.functionParams);
    EndCall(call, *seen.correlationData, ResultOf(seen));
  }
}

}  // namespace syncline::cuda
