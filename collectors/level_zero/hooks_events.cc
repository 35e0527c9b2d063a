// SPDX-License-Identifier: Apache-2.0
// Events and fences, and the functions that a driver gives by name.
#include "collectors/level_zero/hooks.h"
#include "collectors/level_zero/later_functions.h"
#include "collectors/level_zero/other_calls.h"
#include "collectors/level_zero/syncs.h"
#include "collectors/level_zero/tables_watch.h"

namespace syncline::level_zero::hooks {
namespace {

constexpr CallName kHostSignal("zeEventHostSignal", 17,
                               static_cast<uint8_t>(CallRole::kHostFunction), 0, false);
constexpr CallName kGetAddress("zeDriverGetExtensionFunctionAddress", 35,
                               static_cast<uint8_t>(CallRole::kOther), 0, false);
constexpr SyncNames kQueryEvent = SyncNamesOf("zeEventQueryStatus", CallRole::kQuery);
constexpr SyncNames kQueryFence = SyncNamesOf("zeFenceQueryStatus", CallRole::kQuery);
constexpr SyncNames kSyncEvent = SyncNamesOf("zeEventHostSynchronize", CallRole::kSynchronizeEvent);
constexpr SyncNames kSyncFence = SyncNamesOf("zeFenceHostSynchronize", CallRole::kSynchronizeEvent);

constexpr ze_event_pool_flags_t kMappedTimes = 0x8;  // of API 1.6; not with the other kind
constexpr ze_event_pool_flags_t kAnyTimes = ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | kMappedTimes;

// Time stamps that the host can read.
bool HasTimes(ze_event_pool_flags_t flags) {
  return (flags & ZE_EVENT_POOL_FLAG_HOST_VISIBLE) != 0 && (flags & kAnyTimes) != 0;
}
ze_event_pool_flags_t WithTimes(ze_event_pool_flags_t flags) {
  if ((flags & kAnyTimes) == 0) flags |= ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP;
  return flags | ZE_EVENT_POOL_FLAG_HOST_VISIBLE;
}

// ZE_STRUCTURE_TYPE_COUNTER_BASED_EVENT_POOL_EXP_DESC (level-zero v1.32, include/ze_api.h).
constexpr uint32_t kCounterBasedPool = 0x00020014;

bool IsCounterBased(const ze_event_pool_desc_t& desc) {
  const auto* extension = static_cast<const ze_base_desc_t*>(desc.pNext);
  while (extension != nullptr && static_cast<uint32_t>(extension->stype) != kCounterBasedPool)
    extension = static_cast<const ze_base_desc_t*>(extension->pNext);
  return extension != nullptr;
}

bool IsPlainOrCounterBased(const ze_event_pool_desc_t& desc) {
  if (desc.pNext == nullptr) return true;
  return IsCounterBased(desc) && static_cast<const ze_base_desc_t*>(desc.pNext)->pNext == nullptr;
}

// Pools that are shared between processes are left as they are, and those with other extensions.
bool MayHaveTimes(const ze_event_pool_desc_t& desc) {
  return (desc.flags & ZE_EVENT_POOL_FLAG_IPC) == 0 && IsPlainOrCounterBased(desc);
}

// ze_event_counter_based_flag_t (level-zero v1.32, include/ze_api.h); Intel's driver has the same
// values in zex_counter_based_event_exp_flag_t.
enum CounterBased : uint32_t {
  kForImmediate = 1,  // the default, where neither is set
  kForLater = 2,
  kHostVisible = 4,
  kShared = 8,
  kDeviceTimes = 0x10,
  kHostTimes = 0x20,
};

// What the program asks for, with time stamps that the host can read.
CounterBasedDescription WithTimes(const CounterBasedDescription& asked) {
  CounterBasedDescription more = asked;
  if ((more.flags & (kForImmediate | kForLater)) == 0) more.flags |= kForImmediate;
  if ((more.flags & (kDeviceTimes | kHostTimes)) == 0) more.flags |= kDeviceTimes;
  more.flags |= kHostVisible;
  return more;
}

// Null: counted.
Event* KeepEvent(ze_event_handle_t handle, bool has_times) {
  Event* event = Keep(&g_objects.events, handle);
  if (event == nullptr) return nullptr;
  event->has_times = has_times;
  event->signal.id = NextEventId();
  return event;
}

template <typename Call>
ze_result_t Watch(const SyncNames& names, ze_event_handle_t handle, uint64_t timeout, Call call) {
  Event* event = g_objects.events.Find(handle);
  Sync sync(names, handle, timeout);
  const ze_result_t result = call();
  if (event != nullptr) {
    if (result == ZE_RESULT_SUCCESS) ReadIfDone(event);
    sync.WaitedFor(&event->signal, result);
  }
  return sync.End(result);
}

template <typename Call>
ze_result_t WatchFence(const SyncNames& names, ze_fence_handle_t handle, uint64_t timeout,
                       Call call) {
  Fence* fence = g_objects.fences.Find(handle);
  Sync sync(names, handle, timeout);
  const ze_result_t result = call();
  if (fence != nullptr) sync.WaitedFor(&fence->signal, result);
  return sync.End(result);
}

}  // namespace

// Events whose work has times need no event of ours. Where the driver refuses them, the program
// gets what it asked for.
ze_result_t EventPoolCreate(ze_context_handle_t context, const ze_event_pool_desc_t* desc,
                            uint32_t device_count, ze_device_handle_t* devices,
                            ze_event_pool_handle_t* out) {
  ze_event_pool_desc_t more{};
  const bool own_times = desc != nullptr && HasTimes(desc->flags);
  bool times = desc != nullptr && !own_times && MayHaveTimes(*desc);
  if (times) {
    more = *desc;
    more.flags = WithTimes(desc->flags);
    times = g_api.EventPoolCreate(context, &more, device_count, devices, out) == ZE_RESULT_SUCCESS;
  }
  const ze_result_t result =
      times ? ZE_RESULT_SUCCESS : g_api.EventPoolCreate(context, desc, device_count, devices, out);
  if (result != ZE_RESULT_SUCCESS || out == nullptr) return result;
  if (EventPool* pool = Keep(&g_objects.pools, *out)) {
    pool->number = NextEventId();
    pool->context = context;
    pool->has_times = times || own_times;
    pool->times_added = times;
    pool->asked_flags = desc == nullptr ? 0 : desc->flags;
    pool->counter_based = desc != nullptr && IsCounterBased(*desc);
  }
  return result;
}

ze_result_t EventPoolDestroy(ze_event_pool_handle_t handle) {
  ReadEventsOf(handle);
  g_objects.pools.Erase(handle);
  const Destruction destruction;
  if (!destruction) return ZE_RESULT_SUCCESS;
  return g_api.EventPoolDestroy(handle);
}

ze_result_t EventCreate(ze_event_pool_handle_t pool, const ze_event_desc_t* desc,
                        ze_event_handle_t* out) {
  const ze_result_t result = g_api.EventCreate(pool, desc, out);
  if (result != ZE_RESULT_SUCCESS || out == nullptr) return result;
  EventPool* known = g_objects.pools.Find(pool);
  Event* event = KeepEvent(*out, known != nullptr && known->has_times);
  if (event != nullptr && known != nullptr) {
    event->times_added = known->times_added;
    event->counter_based = known->counter_based;
    event->pool.store(pool, std::memory_order_relaxed);
    event->pool_number.store(known->number, std::memory_order_relaxed);
    known->events.fetch_add(1, std::memory_order_relaxed);
  }
  return result;
}

// They need no pool, and no reset: the last signal's times stand until the next one.
ze_result_t EventCounterBasedCreate(CreateCounterBased real, ze_context_handle_t context,
                                    ze_device_handle_t device, const CounterBasedDescription* desc,
                                    ze_event_handle_t* out) {
  const bool own_times = desc != nullptr && (desc->flags & kHostVisible) != 0 &&
                         (desc->flags & (kDeviceTimes | kHostTimes)) != 0;
  bool times =
      desc != nullptr && !own_times && desc->next == nullptr && (desc->flags & kShared) == 0;
  if (times) {
    const CounterBasedDescription more = WithTimes(*desc);
    times = real(context, device, &more, out) == ZE_RESULT_SUCCESS;
  }
  const ze_result_t result = times ? ZE_RESULT_SUCCESS : real(context, device, desc, out);
  if (result != ZE_RESULT_SUCCESS || out == nullptr) return result;
  if (Event* event = KeepEvent(*out, times || own_times)) {
    event->times_added = times;
    event->counter_based = true;
    event->context = ContextOf(context);
  }
  return result;
}

ze_result_t EventDestroy(ze_event_handle_t handle) {
  if (Event* event = g_objects.events.Find(handle)) {
    ReadBeforeReuse(event);
    EventPool* pool = g_objects.pools.Find(event->pool.load(std::memory_order_relaxed));
    if (pool != nullptr && pool->number == event->pool_number.load(std::memory_order_relaxed))
      pool->events.fetch_sub(1, std::memory_order_relaxed);
    g_objects.events.Erase(handle);
  }
  const Destruction destruction;
  if (!destruction) return ZE_RESULT_SUCCESS;
  return g_api.EventDestroy(handle);
}

// Counter-based events refuse it: their work goes on.
ze_result_t EventHostReset(ze_event_handle_t handle) {
  Event* event = g_objects.events.Find(handle);
  if (event == nullptr || event->counter_based) return g_api.EventHostReset(handle);
  const bool at_rest = ReadBeforeReuse(event);
  const ze_result_t result = g_api.EventHostReset(handle);
  if (result == ZE_RESULT_SUCCESS && at_rest) event->blind.store(false, std::memory_order_relaxed);
  return result;
}

ze_result_t EventHostSignal(ze_event_handle_t handle) {
  const WatchedCall call = {&kHostSignal, NextCorrelation()};
  const uint64_t begun = g_calls.Begin(call);
  const ze_result_t result = g_api.EventHostSignal(handle);
  g_calls.End(call, begun, static_cast<uint32_t>(result));
  return result;
}

ze_result_t EventHostSynchronize(ze_event_handle_t handle, uint64_t timeout) {
  return Watch(kSyncEvent, handle, timeout,
               [&] { return g_api.EventHostSynchronize(handle, timeout); });
}

// Intel's driver may wait in it for time stamps: not for those that the program did not ask for.
ze_result_t EventQueryStatus(ze_event_handle_t handle) {
  const Event* event = g_objects.events.Find(handle);
  const bool added = event != nullptr && event->times_added;
  return Watch(kQueryEvent, handle, 0, [&] {
    return added ? g_api.EventHostSynchronize(handle, 0) : g_api.EventQueryStatus(handle);
  });
}

// Recorded with --level-zero-api full, but for our own question.
ze_result_t DriverGetExtensionFunctionAddress(ze_driver_handle_t driver, const char* name,
                                              void** out) {
  if (IsOurQuestion(name)) return ZE_RESULT_SUCCESS;
  const auto ask = [&] {
    const ze_result_t result = g_api.DriverGetExtensionFunctionAddress(driver, name, out);
    if (result == ZE_RESULT_SUCCESS && name != nullptr && out != nullptr)
      *out = TakeByAddress(name, *out);
    return result;
  };
  if (!WantsAllCalls()) return ask();
  OtherCall call(kGetAddress);
  return static_cast<ze_result_t>(call.End(static_cast<uint32_t>(ask())));
}

ze_result_t FenceCreate(ze_command_queue_handle_t queue, const ze_fence_desc_t* desc,
                        ze_fence_handle_t* out) {
  const ze_result_t result = g_api.FenceCreate(queue, desc, out);
  if (result != ZE_RESULT_SUCCESS || out == nullptr) return result;
  if (Fence* fence = Keep(&g_objects.fences, *out)) fence->signal.id = NextEventId();
  return result;
}

ze_result_t FenceDestroy(ze_fence_handle_t handle) {
  g_objects.fences.Erase(handle);
  return g_api.FenceDestroy(handle);
}

ze_result_t FenceHostSynchronize(ze_fence_handle_t handle, uint64_t timeout) {
  return WatchFence(kSyncFence, handle, timeout,
                    [&] { return g_api.FenceHostSynchronize(handle, timeout); });
}

ze_result_t FenceQueryStatus(ze_fence_handle_t handle) {
  return WatchFence(kQueryFence, handle, 0, [&] { return g_api.FenceQueryStatus(handle); });
}

}  // namespace syncline::level_zero::hooks
