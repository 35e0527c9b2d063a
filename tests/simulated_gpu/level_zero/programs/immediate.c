// SPDX-License-Identifier: Apache-2.0
// An immediate list: a kernel with a timestamp event, copies there and back, an in-order list, a
// list that waits for another one's event.
#include "check.h"

enum { kBytes = 1 << 20 };

int main(void) {
  Start();
  ze_command_list_handle_t list = AsyncList();
  ze_event_pool_handle_t pool =
      Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 4);
  ze_event_handle_t first = NewEvent(pool, 0), copied = NewEvent(pool, 1);
  char* device = DeviceMemory(kBytes);
  char* there = HostMemory(kBytes);
  char* back = malloc(kBytes);
  memset(there, 7, kBytes);
  memset(back, 0, kBytes);

  Launch(list, NewKernel("first_kernel"), first);
  ZE(zeCommandListAppendMemoryCopy(list, device, there, kBytes, NULL, 1, &first));
  ZE(zeCommandListAppendMemoryCopy(list, back, device, kBytes, copied, 0, NULL));
  ZE(zeEventHostSynchronize(copied, FOREVER));
  CHECK(memcmp(there, back, kBytes) == 0);
  ze_kernel_timestamp_result_t times, copy_times;
  ZE(zeEventQueryKernelTimestamp(first, &times));
  ZE(zeEventQueryKernelTimestamp(copied, &copy_times));
  CHECK((uint32_t)(times.global.kernelEnd - times.global.kernelStart) > 0);
  CHECK((uint32_t)(copy_times.global.kernelStart - times.global.kernelEnd) < 1u << 31);
  uint32_t count = 1;
  ze_kernel_timestamp_result_t same;
  ZE(zeEventQueryTimestampsExp(first, the_device, &count, &same));
  CHECK(count == 1 && same.global.kernelEnd == times.global.kernelEnd);

  ze_command_list_handle_t ordered =
      ImmediateList(COMPUTE, IN_ORDER, ZE_COMMAND_QUEUE_MODE_DEFAULT);
  ze_event_handle_t last = NewEvent(pool, 2);
  Launch(ordered, NewKernel("ordered_a"), NULL);
  Launch(ordered, NewKernel("ordered_b"), last);
  const ze_group_count_t groups = {1, 1, 1};
  ze_event_handle_t end = NewEvent(pool, 3);
  ZE(zeCommandListAppendLaunchKernel(list, NewKernel("behind_both"), &groups, end, 1, &last));
  ZE(zeEventHostSynchronize(end, FOREVER));

  ze_command_queue_handle_t queue = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ZE(zeCommandQueueSynchronize(queue, FOREVER));
  ZE(zeMemFree(the_context, device));
  ZE(zeMemFree(the_context, there));
  ZE(zeEventDestroy(first));
  ZE(zeCommandQueueDestroy(queue));
  ZE(zeCommandListDestroy(list));
  free(back);
  return Done();
}
