// SPDX-License-Identifier: Apache-2.0
// Commands that no record of a device follows: barriers, events.
#include "collectors/level_zero/appends.h"
#include "collectors/level_zero/hooks.h"

namespace syncline::level_zero::hooks {
namespace {

constexpr AppendNames kBarrier = OtherNames("zeCommandListAppendBarrier");
constexpr AppendNames kRangesBarrier = OtherNames("zeCommandListAppendMemoryRangesBarrier");
constexpr AppendNames kSignal = OtherNames("zeCommandListAppendSignalEvent");
constexpr AppendNames kWait = OtherNames("zeCommandListAppendWaitOnEvents");
constexpr AppendNames kReset = OtherNames("zeCommandListAppendEventReset");
constexpr AppendNames kPrefetch = OtherNames("zeCommandListAppendMemoryPrefetch");
constexpr AppendNames kAdvise = OtherNames("zeCommandListAppendMemAdvise");
constexpr AppendNames kWriteTime = OtherNames("zeCommandListAppendWriteGlobalTimestamp");
constexpr AppendNames kQueryTimes = OtherNames("zeCommandListAppendQueryKernelTimestamps");

}  // namespace

ze_result_t CommandListAppendBarrier(ze_command_list_handle_t list, ze_event_handle_t signal,
                                     uint32_t wait_count, ze_event_handle_t* waits) {
  Append append(list, kBarrier, signal);
  append.Waits(wait_count, waits);
  return append.End(g_api.CommandListAppendBarrier(list, signal, wait_count, waits));
}

ze_result_t CommandListAppendMemoryRangesBarrier(ze_command_list_handle_t list,
                                                 uint32_t range_count, const size_t* sizes,
                                                 const void** ranges, ze_event_handle_t signal,
                                                 uint32_t wait_count, ze_event_handle_t* waits) {
  Append append(list, kRangesBarrier, signal);
  append.Waits(wait_count, waits);
  return append.End(g_api.CommandListAppendMemoryRangesBarrier(list, range_count, sizes, ranges,
                                                               signal, wait_count, waits));
}

ze_result_t CommandListAppendSignalEvent(ze_command_list_handle_t list, ze_event_handle_t event) {
  Append append(list, kSignal, event);
  return append.End(g_api.CommandListAppendSignalEvent(list, event));
}

ze_result_t CommandListAppendWaitOnEvents(ze_command_list_handle_t list, uint32_t count,
                                          ze_event_handle_t* events) {
  Append append(list, kWait, nullptr);
  append.Waits(count, events);
  return append.End(g_api.CommandListAppendWaitOnEvents(list, count, events));
}

ze_result_t CommandListAppendEventReset(ze_command_list_handle_t list, ze_event_handle_t event) {
  Append append(list, kReset, nullptr);
  const List* known = g_objects.lists.Find(list);
  if (known != nullptr && known->immediate) ReadBeforeReuse(g_objects.events.Find(event));
  return append.End(g_api.CommandListAppendEventReset(list, event));
}

ze_result_t CommandListAppendMemoryPrefetch(ze_command_list_handle_t list, const void* address,
                                            size_t bytes) {
  Append append(list, kPrefetch, nullptr);
  return append.End(g_api.CommandListAppendMemoryPrefetch(list, address, bytes));
}

ze_result_t CommandListAppendMemAdvise(ze_command_list_handle_t list, ze_device_handle_t device,
                                       const void* address, size_t bytes,
                                       ze_memory_advice_t advice) {
  Append append(list, kAdvise, nullptr);
  return append.End(g_api.CommandListAppendMemAdvise(list, device, address, bytes, advice));
}

ze_result_t CommandListAppendWriteGlobalTimestamp(ze_command_list_handle_t list, uint64_t* to,
                                                  ze_event_handle_t signal, uint32_t wait_count,
                                                  ze_event_handle_t* waits) {
  Append append(list, kWriteTime, signal);
  append.Waits(wait_count, waits);
  return append.End(
      g_api.CommandListAppendWriteGlobalTimestamp(list, to, signal, wait_count, waits));
}

ze_result_t CommandListAppendQueryKernelTimestamps(ze_command_list_handle_t list, uint32_t count,
                                                   ze_event_handle_t* events, void* to,
                                                   const size_t* offsets, ze_event_handle_t signal,
                                                   uint32_t wait_count, ze_event_handle_t* waits) {
  Append append(list, kQueryTimes, signal);
  append.Waits(wait_count, waits);
  return append.End(g_api.CommandListAppendQueryKernelTimestamps(list, count, events, to, offsets,
                                                                 signal, wait_count, waits));
}

}  // namespace syncline::level_zero::hooks
