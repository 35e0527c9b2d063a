// SPDX-License-Identifier: Apache-2.0
// Counter based events without timestamps, made one by one and by a pool; work that signals them
// has an event, and its program cannot ask for times. And what is refused.
#include "later_api.h"

static create_counter_based create;

static ze_event_handle_t NewCounter(uint32_t flags) {
  const counter_based_event_desc description = {COUNTER_BASED_EVENT_DESC, NULL, flags,
                                                ZE_EVENT_SCOPE_FLAG_HOST, 0};
  ze_event_handle_t event;
  ZE(create(the_context, the_device, &description, &event));
  return event;
}

static ze_event_pool_handle_t CounterPool(uint32_t pool_flags, uint32_t flags, uint32_t count) {
  const counter_based_pool_desc extension = {COUNTER_BASED_POOL_DESC, NULL, flags};
  ze_event_pool_desc_t description = {ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, &extension, pool_flags,
                                      count};
  ze_event_pool_handle_t pool;
  ZE(zeEventPoolCreate(the_context, &description, 0, NULL, &pool));
  return pool;
}

// The host waits between the launches; nothing is reset.
static void UsedAgain(ze_command_list_handle_t list, const char* name, ze_event_handle_t event) {
  ze_kernel_handle_t kernel = NewKernel(name);
  ze_kernel_timestamp_result_t none;
  ZE(zeEventQueryStatus(event));
  for (int i = 0; i < 5; ++i) {
    Launch(list, kernel, event);
    ZE(zeEventHostSynchronize(event, FOREVER));
    ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeEventQueryKernelTimestamp(event, &none));
  }
}

static void Timed(ze_command_list_handle_t list, ze_event_handle_t event) {
  ze_kernel_timestamp_result_t times;
  Launch(list, NewKernel("pool_timed"), event);
  ZE(zeEventHostSynchronize(event, FOREVER));
  ZE(zeEventQueryKernelTimestamp(event, &times));
  CHECK((uint32_t)(times.global.kernelEnd - times.global.kernelStart) > 0);
}

// One list's event lets another list go on; a regular list has events of its kind.
static void BetweenLists(ze_command_list_handle_t list, ze_event_handle_t event) {
  const ze_group_count_t one = {1, 1, 1};
  ze_command_list_desc_t description = {ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, NULL, COMPUTE,
                                        IN_ORDER};
  ze_command_list_handle_t regular;
  ZE(zeCommandListCreate(the_context, the_device, &description, &regular));
  ze_event_handle_t recorded = NewCounter(FOR_REGULAR_LISTS | HOST_VISIBLE);
  ZE(zeCommandListAppendLaunchKernel(regular, NewKernel("recorded"), &one, recorded, 1, &event));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT,
           zeCommandListAppendLaunchKernel(regular, NewKernel("refused"), &one, event, 0, NULL));
  ZE(zeCommandListClose(regular));
  ze_command_queue_handle_t queue = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  Launch(list, NewKernel("goes_first"), event);
  ZE(zeCommandQueueExecuteCommandLists(queue, 1, &regular, NULL));
  ZE(zeEventHostSynchronize(recorded, FOREVER));
}

static void Refused(ze_command_list_handle_t list) {
  const uint32_t bad[] = {0x80, DEVICE_TIMES | HOST_TIMES, BETWEEN_PROCESSES | DEVICE_TIMES,
                          BETWEEN_PROCESSES | HOST_TIMES};
  for (int i = 0; i < 4; ++i) {
    const counter_based_event_desc description = {COUNTER_BASED_EVENT_DESC, NULL, bad[i], 0, 0};
    ze_event_handle_t event;
    ZE_GIVES(i == 0 ? ZE_RESULT_ERROR_INVALID_ENUMERATION : ZE_RESULT_ERROR_INVALID_ARGUMENT,
             create(the_context, the_device, &description, &event));
  }
  const ze_group_count_t one = {1, 1, 1};
  ze_event_handle_t other = NewCounter(FOR_REGULAR_LISTS);
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT,
           zeCommandListAppendLaunchKernel(list, NewKernel("refused"), &one, other, 0, NULL));
  ze_event_handle_t event = NewCounter(0);
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeEventHostReset(event));
  ZE_GIVES(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE, zeEventHostSignal(event));
  ZE(zeEventDestroy(event));
}

int main(void) {
  Start();
  create = (create_counter_based)Address("zeEventCounterBasedCreate");
  ze_command_list_handle_t list =
      ImmediateList(COMPUTE, IN_ORDER, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  UsedAgain(list, "uncounted", NewCounter(FOR_IMMEDIATE_LISTS | HOST_VISIBLE));
  ze_event_pool_handle_t pool = CounterPool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 0, 2);
  UsedAgain(list, "of_a_pool", NewEvent(pool, 0));
  Timed(list,
        NewEvent(CounterPool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP,
                             FOR_IMMEDIATE_LISTS, 1),
                 0));
  BetweenLists(list, NewEvent(pool, 1));
  Refused(list);
  return Done();
}
