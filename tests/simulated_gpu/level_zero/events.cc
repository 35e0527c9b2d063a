// SPDX-License-Identifier: Apache-2.0
// Event pools and events.
#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/level_zero/append.h"
#include "tests/simulated_gpu/level_zero/device_clock.h"
#include "tests/simulated_gpu/level_zero/settings.h"

namespace simgpu::level_zero {
namespace {

// Not in the headers of API 1.4.
constexpr ze_event_pool_flags_t kKernelMappedTimestamp = 0x8;
// Of a pool's description, as ze_api.h 1.7 has it (ze_event_pool_counter_based_exp_desc_t).
constexpr uint32_t kCounterBasedPoolDescription = 0x00020014;
struct CounterBasedPoolDescription {
  uint32_t stype;
  const void* pNext;
  uint32_t flags;
};

// The clock of a context counts only while the context is active. Ours differs from the global one
// by this much, so that no test takes the one for the other.
constexpr uint64_t kContextBehind = 0x1234567;

void ReadExtensions(const void* chain, EventPool* pool) {
  for (auto next = static_cast<const ze_base_desc_t*>(chain); next != nullptr;
       next = static_cast<const ze_base_desc_t*>(next->pNext)) {
    if (static_cast<uint32_t>(next->stype) != kCounterBasedPoolDescription) continue;
    pool->counter_based = true;
    pool->counter_lists = reinterpret_cast<const CounterBasedPoolDescription*>(next)->flags;
  }
}

ze_result_t EventTarget(ze_event_handle_t handle, Target* target) {
  EngineLock lock(EngineMutex());
  const auto event = Find<Event>(handle);
  if (event == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  target->semaphore = event->semaphore;
  return ZE_RESULT_SUCCESS;
}

}  // namespace

bool ReadTimestamps(const Event& event, uint64_t now, ze_kernel_timestamp_result_t* result) {
  const std::optional<Signal> times = event.semaphore->line.TimesAt(now);
  *result = {};
  if (!times) return false;
  const uint32_t bits = Settings::OfProcess().kernel_timestamp_bits;
  const uint64_t start = DeviceCycles(times->device, RawAt(times->start_ns));
  const uint64_t end = DeviceCycles(times->device, RawAt(times->end_ns));
  result->global = {MaskTo(start, bits), MaskTo(end, bits)};
  result->context = {MaskTo(start - kContextBehind, bits), MaskTo(end - kContextBehind, bits)};
  return true;
}

ze_result_t ZE_APICALL zeEventPoolCreate(ze_context_handle_t context,
                                         const ze_event_pool_desc_t* description, uint32_t,
                                         ze_device_handle_t*, ze_event_pool_handle_t* made) {
  SIMGPU_ZE_ENTER();
  if (description == nullptr || made == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (description->count == 0) return ZE_RESULT_ERROR_INVALID_SIZE;
  EngineLock lock(EngineMutex());
  if (Find<Context>(context) == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  auto pool = std::make_shared<EventPool>();
  pool->flags = description->flags;
  pool->count = description->count;
  ReadExtensions(description->pNext, pool.get());
  *made = static_cast<ze_event_pool_handle_t>(NewHandle(std::move(pool)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventPoolDestroy(ze_event_pool_handle_t pool) {
  SIMGPU_ZE_ENTER(Call::kAlways);
  EngineLock lock(EngineMutex());
  const bool released = ReleaseHandle(pool, EventPool::kType);
  return released ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

ze_result_t ZE_APICALL zeEventCreate(ze_event_pool_handle_t handle,
                                     const ze_event_desc_t* description, ze_event_handle_t* made) {
  SIMGPU_ZE_ENTER();
  if (description == nullptr || made == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  const auto pool = Find<EventPool>(handle);
  if (pool == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (description->index >= pool->count) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  auto event = std::make_shared<Event>();
  event->timed =
      (pool->flags & (ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP | kKernelMappedTimestamp)) != 0;
  if (pool->counter_based) MakeCounterBased(event.get(), pool->counter_lists);
  *made = static_cast<ze_event_handle_t>(NewHandle(std::move(event)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventDestroy(ze_event_handle_t event) {
  SIMGPU_ZE_ENTER(Call::kAlways);
  EngineLock lock(EngineMutex());
  const bool released = ReleaseHandle(event, Event::kType);
  return released ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

ze_result_t ZE_APICALL zeEventHostSignal(ze_event_handle_t handle) {
  SIMGPU_ZE_ENTER();
  {
    EngineLock lock(EngineMutex());
    const auto event = Find<Event>(handle);
    if (event == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (event->semaphore->counter_based) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
    SignalNow(event->semaphore, Now());
  }
  MoveBytes();
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventHostReset(ze_event_handle_t handle) {
  SIMGPU_ZE_ENTER();
  EngineLock lock(EngineMutex());
  const auto event = Find<Event>(handle);
  if (event == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (event->semaphore->counter_based) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  ResetNow(event->semaphore, Now());
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeEventHostSynchronize(ze_event_handle_t handle, uint64_t timeout) {
  SIMGPU_ZE_ENTER(timeout == 0 ? Call::kQuery : Call::kPlain);
  Target target;
  if (const ze_result_t bad = EventTarget(handle, &target); bad != ZE_RESULT_SUCCESS) return bad;
  if (timeout == 0) return Query(handle, target);
  return HostWait(WaitClass::kEvent, target, Record::kAlways, timeout);
}

ze_result_t ZE_APICALL zeEventQueryStatus(ze_event_handle_t handle) {
  SIMGPU_ZE_ENTER(Call::kQuery);
  Target target;
  if (const ze_result_t bad = EventTarget(handle, &target); bad != ZE_RESULT_SUCCESS) return bad;
  return Query(handle, target);
}

ze_result_t ZE_APICALL zeEventQueryKernelTimestamp(ze_event_handle_t handle,
                                                   ze_kernel_timestamp_result_t* result) {
  SIMGPU_ZE_ENTER();
  if (result == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  const auto event = Find<Event>(handle);
  if (event == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (!event->timed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  const uint64_t now = Now();
  if (!event->semaphore->line.SignaledAt(now)) return ZE_RESULT_NOT_READY;
  ReadTimestamps(*event, now, result);
  return ZE_RESULT_SUCCESS;
}

// One set of times: an operation runs on one device, never on its parts.
ze_result_t ZE_APICALL zeEventQueryTimestampsExp(ze_event_handle_t handle, ze_device_handle_t,
                                                 uint32_t* count,
                                                 ze_kernel_timestamp_result_t* results) {
  SIMGPU_ZE_ENTER();
  if (count == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  const auto event = Find<Event>(handle);
  if (event == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  const bool asks_for_count = *count == 0;
  *count = 1;
  if (asks_for_count || results == nullptr) return ZE_RESULT_SUCCESS;
  const uint64_t now = Now();
  if (!event->timed) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  if (!event->semaphore->line.SignaledAt(now)) return ZE_RESULT_NOT_READY;
  ReadTimestamps(*event, now, results);
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeCommandListAppendSignalEvent(ze_command_list_handle_t list,
                                                      ze_event_handle_t event) {
  SIMGPU_ZE_ENTER();
  if (event == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  return Append(list, {}, {event, 0, nullptr});
}

ze_result_t ZE_APICALL zeCommandListAppendWaitOnEvents(ze_command_list_handle_t list,
                                                       uint32_t count, ze_event_handle_t* events) {
  SIMGPU_ZE_ENTER();
  if (events == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  return Append(list, {}, {nullptr, count, events});
}

ze_result_t ZE_APICALL zeCommandListAppendEventReset(ze_command_list_handle_t list,
                                                     ze_event_handle_t handle) {
  SIMGPU_ZE_ENTER();
  Command command;
  {
    EngineLock lock(EngineMutex());
    const auto event = Find<Event>(handle);
    if (event == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (event->semaphore->counter_based) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    command.reset = event->semaphore;
  }
  return Append(list, std::move(command), {});
}

}  // namespace simgpu::level_zero
