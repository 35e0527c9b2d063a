// SPDX-License-Identifier: Apache-2.0
// A call's begin stays in CUPTI's own per-call word; at its end one record is written.
#include "collectors/cuda/api_calls.h"

#include <atomic>

#include "collectors/cuda/call_filter.h"
#include "collectors/cuda/object_ids.h"
#include "inject/core/emit.h"

namespace syncline::cuda {
namespace {

constexpr uint32_t kMaxCallbacks = 2048;  // of one API; CUDA 13 has 520 and 800
constexpr CUpti_CallbackDomain kApis[] = {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API};

struct CallName {
  const char* text;  // CUPTI's own, constant
  uint16_t bytes;
  bool makes_work;
};

// By domain (1 and 2) and callback id. Written before the first callback is enabled.
CallName g_names[3][kMaxCallbacks];
bool g_full;
std::atomic<uint32_t> g_last_launch;
std::atomic<bool> g_launches_are_lost;

// ThreadLog::open_calls: how many calls are open, and above them the subscription under which the
// first of them began. Of calls that are open when the subscription ends, the end is not seen.
constexpr uint64_t kOneSubscription = uint64_t{1} << 32;
std::atomic<uint64_t> g_subscription;

uint64_t Count(uint64_t open_calls) { return open_calls % kOneSubscription; }

// In correlationData, where no time stamp stands: the begin was not seen, or is not to be recorded.
constexpr uint64_t kNotSeen = 0;
constexpr uint64_t kNotRecorded = 1;

const CallName& NameOf(bool driver, CUpti_CallbackId id) {
  return g_names[driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API][id];
}

uint32_t NameIdOf(ThreadLog& log, const CallName& name) {
  return HandleNameId(log, &name, name.text, name.bytes);
}

// So that a call that never returns is seen. After it no other memory is touched until the exit.
void KeepOpen(ThreadLog& log, bool driver, CUpti_CallbackId id, uint32_t correlation,
              uint64_t begin) {
  const uint32_t name = NameIdOf(log, NameOf(driver, id));  // may move into a larger ring
  OpenCall& open = log.control->call;
  open.name.store(name, std::memory_order_relaxed);
  open.correlation.store(correlation, std::memory_order_relaxed);
  open.callback.store(static_cast<uint16_t>(id), std::memory_order_relaxed);
  open.flags.store(driver ? kDriverCall : 0, std::memory_order_relaxed);
  open.begin.store(begin, std::memory_order_release);  // pairs with the consumer's acquire
}

void OnEnter(bool driver, CUpti_CallbackId id, const CUpti_CallbackData& call) {
  *call.correlationData = kNotSeen;
  HookScope scope;
  if (!scope) return;
  uint64_t& open = scope.log().open_calls;
  const uint64_t subscription = g_subscription.load(std::memory_order_relaxed);
  if (open - Count(open) != subscription) open = subscription;
  const bool inner = Count(open++) > 0;
  const uint64_t begin = inner && !g_full ? kNotRecorded : Ticks();
  *call.correlationData = begin;
  if (!inner) KeepOpen(scope.log(), driver, id, call.correlationId, begin);
}

void OnExit(bool driver, CUpti_CallbackId id, const CUpti_CallbackData& call) {
  const uint64_t end = Ticks();
  const uint64_t begin = *call.correlationData;
  if (begin == kNotSeen) return;
  HookScope scope(HookKind::kEnds);
  if (!scope) return;
  ThreadLog& log = scope.log();
  if (Count(log.open_calls) == 0) return;  // begun in the parent of a fork
  --log.open_calls;
  if (Count(log.open_calls) == 0) log.control->call.begin.store(0, std::memory_order_relaxed);
  if (begin == kNotRecorded) return;
  const CallName& name = NameOf(driver, id);
  const uint32_t name_id = NameIdOf(log, name);
  char* room = Reserve(log, sizeof(CallRecord));
  if (room == nullptr) return CountLoss(kLoss_ring_full);
  const auto result = call.functionReturnValue == nullptr
                          ? 0u
                          : *static_cast<const uint32_t*>(call.functionReturnValue);
  auto* record = reinterpret_cast<CallRecord*>(room);
  const uint8_t flags = static_cast<uint8_t>((driver ? kDriverCall : 0) |
                                             (Count(log.open_calls) > 0 ? kInnerCall : 0));
  record->head = {static_cast<uint8_t>(RecordKind::kCall), flags, 1, name_id};
  record->begin = begin;
  record->end = end;
  record->correlation = call.correlationId;
  record->callback = static_cast<uint16_t>(id);
  record->result = static_cast<uint16_t>(result > UINT16_MAX ? UINT16_MAX : result);
  Publish(log, sizeof(CallRecord));
  // Relaxed: a hint for the flush at exit.
  if (!name.makes_work || result != 0) return;
  g_last_launch.store(call.correlationId, std::memory_order_relaxed);
  if (g_launches_are_lost.load(std::memory_order_relaxed)) CountLoss(kLoss_gpu_unfinished);
}

void FindCalls(const Cupti& cupti, bool full) {
  g_full = full;
  for (const CUpti_CallbackDomain api : kApis) {
    for (uint32_t id = 1; id < kMaxCallbacks; ++id) {
      g_names[api][id] = {};
      const char* name = nullptr;
      if (cupti.cuptiGetCallbackName(api, id, &name) != CUPTI_SUCCESS || name == nullptr) continue;
      const size_t bytes = PlainName(&name);
      if (bytes == 0 || bytes > UINT16_MAX || (!full && !OnShortList(name, bytes))) continue;
      g_names[api][id] = {name, static_cast<uint16_t>(bytes), MakesWork(name, bytes)};
    }
  }
}

}  // namespace

uint32_t LastLaunch() { return g_last_launch.load(std::memory_order_relaxed); }

void CountLaunchesAsLost() { g_launches_are_lost.store(true, std::memory_order_relaxed); }

int WatchCalls(const Cupti& cupti, CUpti_SubscriberHandle subscriber, bool full) {
  // Not again with the same list: callbacks of an earlier subscription may still be running.
  const bool first = g_subscription.fetch_add(kOneSubscription, std::memory_order_relaxed) == 0;
  if (first || full != g_full) FindCalls(cupti, full);
  int watched = 0;
  for (const CUpti_CallbackDomain api : kApis) {
    for (uint32_t id = 1; id < kMaxCallbacks; ++id) {
      if (g_names[api][id].text == nullptr) continue;
      watched += cupti.cuptiEnableCallback(1, subscriber, api, id) == CUPTI_SUCCESS;
    }
  }
  return watched;
}

void CUPTIAPI OnCall(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_RESOURCE && data != nullptr)
    return OnObject(id, *static_cast<const CUpti_ResourceData*>(data));
  if (domain != CUPTI_CB_DOMAIN_DRIVER_API && domain != CUPTI_CB_DOMAIN_RUNTIME_API) return;
  const auto& call = *static_cast<const CUpti_CallbackData*>(data);
  if (call.correlationData == nullptr || id >= kMaxCallbacks) return;
  const bool driver = domain == CUPTI_CB_DOMAIN_DRIVER_API;
  if (call.callbackSite == CUPTI_API_ENTER) {
    OnEnter(driver, id, call);
  } else {
    OnExit(driver, id, call);
  }
}

}  // namespace syncline::cuda
