// SPDX-License-Identifier: Apache-2.0
// Regions of syncline.h that ask for their device time: appended at once, and executed as lists.
#define _GNU_SOURCE
#include <unistd.h>

#include "check.h"
#include "collectors/program/syncline.h"

static syncline_region Begin(const char* name) {
  return syncline_region_begin_with(name, NULL, 0, SYNCLINE_DEVICE_TIME);
}

static void Tell(const char* name, syncline_region region) {
  static const char* const kStates[] = {"unknown", "pending", "at-least", "complete"};
  uint64_t ns = 0;
  uint32_t state = SYNCLINE_DEVICE_PENDING;
  for (int tries = 0; tries < 3000 && state == SYNCLINE_DEVICE_PENDING; ++tries, usleep(1000))
    state = syncline_region_device_time(region, &ns);
  printf("%s %s %llu\n", name, kStates[state], (unsigned long long)ns);
}

int main(void) {
  Start();
  ze_command_list_handle_t at_once =
      ImmediateList(COMPUTE, IN_ORDER, ZE_COMMAND_QUEUE_MODE_DEFAULT);
  ze_command_queue_handle_t queue = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_command_list_handle_t list = RegularList(COMPUTE);
  ze_event_pool_handle_t pool =
      Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE | ZE_EVENT_POOL_FLAG_KERNEL_TIMESTAMP, 1);
  ze_event_handle_t copied = NewEvent(pool, 0);
  char* device = DeviceMemory(4096);
  char* host = HostMemory(4096);

  const syncline_region immediate = Begin("immediate");
  Launch(at_once, NewKernel("first"), NULL);
  Launch(at_once, NewKernel("second"), NULL);
  ZE(zeCommandListAppendMemoryCopy(at_once, device, host, 4096, copied, 0, NULL));
  syncline_region_end(immediate);
  ZE(zeEventHostSynchronize(copied, FOREVER));

  const syncline_region recorded = Begin("recorded");
  for (int i = 0; i < 3; ++i) Launch(list, NewKernel("of_list"), NULL);
  ZE(zeCommandListClose(list));
  syncline_region_end(recorded);
  const syncline_region executed = Begin("executed");
  ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
  syncline_region_end(executed);
  ZE(zeCommandQueueSynchronize(queue, FOREVER));

  Tell("immediate", immediate);
  Tell("recorded", recorded);
  usleep(1000000);  // until all of the list is known
  Tell("executed", executed);
  ZE(zeMemFree(the_context, device));
  ZE(zeMemFree(the_context, host));
  ZE(zeEventDestroy(copied));
  ZE(zeCommandListDestroy(list));
  ZE(zeCommandListDestroy(at_once));
  ZE(zeCommandQueueDestroy(queue));
  return Done();
}
