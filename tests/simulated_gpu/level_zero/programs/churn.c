// SPDX-License-Identifier: Apache-2.0
// Objects that live for one round, so that the handles of the next round are those of objects that
// are gone; the same event in a list that is executed again and again; two contexts.
#include "check.h"

static void Round(int round) {
  ze_command_list_handle_t list = AsyncList();
  ze_event_pool_handle_t pool =
      Pool(round % 2 == 0 ? ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP
                          : ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
           2);
  ze_event_handle_t event = NewEvent(pool, 0);
  char name[32];
  snprintf(name, sizeof name, "round_%d", round % 10);
  ze_kernel_handle_t kernel = NewKernel(name);
  Launch(list, kernel, event);
  ZE(zeEventHostSynchronize(event, FOREVER));
  // In another order each time: what was the handle of an event is then one of a list.
  if (round % 3 == 0) ZE(zeCommandListDestroy(list));
  ZE(zeEventDestroy(event));
  ZE(zeKernelDestroy(kernel));
  if (round % 3 != 0) ZE(zeCommandListDestroy(list));
  ZE(zeEventPoolDestroy(pool));
}

static void EventInAList(void) {
  ze_event_pool_handle_t pool =
      Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 2);
  ze_event_handle_t inside = NewEvent(pool, 0), end = NewEvent(pool, 1);
  const ze_group_count_t one = {1, 1, 1};
  ze_command_list_handle_t list = RegularList(COMPUTE);
  ZE(zeCommandListAppendEventReset(list, inside));
  Launch(list, NewKernel("baked_a"), inside);
  ZE(zeCommandListAppendLaunchKernel(list, NewKernel("baked_b"), &one, end, 1, &inside));
  ZE(zeCommandListClose(list));
  ze_command_queue_handle_t queue = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_DEFAULT);
  for (int i = 0; i < 4; ++i) {
    ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
    if (i == 2) continue;  // the next execution signals its event again before anybody looked
    ZE(zeEventHostSynchronize(end, FOREVER));
    ZE(zeEventHostReset(end));
  }
  ZE(zeCommandQueueSynchronize(queue, FOREVER));
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 100;
  Start();
  for (int i = 0; i < rounds; ++i) Round(i);
  EventInAList();
  ze_context_desc_t description = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
  ze_context_handle_t first = the_context, second;
  ZE(zeContextCreate(the_driver, &description, &second));
  the_context = second;
  ze_event_handle_t event = NewEvent(Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
  ze_command_list_handle_t list = AsyncList();
  the_context = first;
  Launch(list, NewKernel("second_context"), event);
  ZE(zeEventHostSynchronize(event, FOREVER));
  ZE(zeCommandListDestroy(list));
  ZE(zeContextDestroy(second));
  return Done();
}
