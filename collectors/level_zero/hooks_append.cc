// SPDX-License-Identifier: Apache-2.0
// Commands that no record of a device follows, and whose arguments do not end with events.
#include "collectors/level_zero/appends.h"
#include "collectors/level_zero/hooks.h"

namespace syncline::level_zero::hooks {
namespace {

constexpr AppendNames kSignal = OtherNames("zeCommandListAppendSignalEvent");
constexpr AppendNames kWait = OtherNames("zeCommandListAppendWaitOnEvents");
constexpr AppendNames kReset = OtherNames("zeCommandListAppendEventReset");
constexpr AppendNames kPrefetch = OtherNames("zeCommandListAppendMemoryPrefetch");
constexpr AppendNames kAdvise = OtherNames("zeCommandListAppendMemAdvise");

}  // namespace

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

}  // namespace syncline::level_zero::hooks
