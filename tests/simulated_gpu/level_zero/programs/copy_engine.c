// SPDX-License-Identifier: Apache-2.0
// The copy engine works beside the compute engine; kernels are refused there.
#include "check.h"

enum { kBytes = 1 << 16 };

int main(void) {
  Start();
  uint32_t count = 0;
  ZE(zeDeviceGetCommandQueueGroupProperties(the_device, &count, NULL));
  CHECK(count == 2);
  ze_command_queue_group_properties_t groups[2];
  memset(groups, 0, sizeof groups);
  ZE(zeDeviceGetCommandQueueGroupProperties(the_device, &count, groups));
  CHECK((groups[COMPUTE].flags & ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COMPUTE) != 0);
  CHECK(groups[COPY].flags == ZE_COMMAND_QUEUE_GROUP_PROPERTY_FLAG_COPY);

  ze_command_list_handle_t compute = AsyncList();
  ze_command_list_handle_t copy = ImmediateList(COPY, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_event_pool_handle_t pool =
      Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 3);
  ze_event_handle_t kernel = NewEvent(pool, 0), copied = NewEvent(pool, 1), end = NewEvent(pool, 2);
  char *device = DeviceMemory(kBytes), *host = HostMemory(kBytes);

  Launch(compute, NewKernel("beside"), kernel);
  ZE(zeCommandListAppendMemoryCopy(copy, device, host, kBytes, copied, 0, NULL));
  ZE(zeCommandListAppendMemoryCopy(copy, host, device, kBytes, end, 1, &kernel));
  ZE(zeEventHostSynchronize(end, FOREVER));

  ze_kernel_handle_t refused = NewKernel("refused");
  const ze_group_count_t one = {1, 1, 1};
  ze_kernel_timestamp_result_t* times = HostMemory(sizeof *times);
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
           zeCommandListAppendLaunchKernel(copy, refused, &one, NULL, 0, NULL));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
           zeCommandListAppendQueryKernelTimestamps(copy, 1, &kernel, times, NULL, NULL, 0, NULL));
  ZE(zeEventHostReset(end));
  ZE(zeCommandListAppendQueryKernelTimestamps(compute, 1, &kernel, times, NULL, end, 0, NULL));
  ZE(zeEventHostSynchronize(end, FOREVER));
  ze_kernel_timestamp_result_t asked;
  ZE(zeEventQueryKernelTimestamp(kernel, &asked));
  CHECK((uint32_t)(times->global.kernelStart - asked.global.kernelStart + 100) < 200);

  ze_command_queue_handle_t queue = Queue(COPY, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_command_list_handle_t list = RegularList(COPY), other = RegularList(COMPUTE);
  ZE(zeCommandListAppendMemoryCopy(list, device, host, kBytes, NULL, 0, NULL));
  ZE(zeCommandListClose(list));
  ZE(zeCommandListClose(other));
  ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_COMMAND_LIST_TYPE,
           zeCommandQueueExecuteCommandLists(queue, 1, &other, NULL));
  ZE(zeCommandQueueSynchronize(queue, FOREVER));
  return Done();
}
