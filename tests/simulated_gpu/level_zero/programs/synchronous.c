// SPDX-License-Identifier: Apache-2.0
// Queues and immediate lists of synchronous mode: each call is over when it returns.
#include "check.h"

int main(void) {
  Start();
  ze_event_pool_handle_t pool = Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 4);
  ze_event_handle_t event = NewEvent(pool, 0), marked = NewEvent(pool, 1);
  char* device = DeviceMemory(4096);
  char* host = HostMemory(4096);

  ze_command_list_handle_t list = ImmediateList(COMPUTE, 0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
  Launch(list, NewKernel("awaited"), event);
  ZE(zeEventQueryStatus(event));
  memset(host, 3, 4096);
  ZE(zeCommandListAppendMemoryCopy(list, device, host, 4096, NULL, 0, NULL));
  memset(host, 0, 4096);
  ZE(zeCommandListAppendMemoryCopy(list, host, device, 4096, NULL, 0, NULL));
  CHECK(host[4095] == 3);
  ZE(zeCommandListAppendMemoryFill(list, host, "\x9", 1, 4096, NULL, 0, NULL));
  CHECK(host[0] == 9);
  ZE(zeCommandListAppendBarrier(list, NULL, 0, NULL));
  ZE(zeCommandListAppendSignalEvent(list, marked));
  ZE(zeEventQueryStatus(marked));
  ZE(zeCommandListAppendWaitOnEvents(list, 1, &marked));
  ZE(zeCommandListAppendEventReset(list, marked));
  ZE_GIVES(ZE_RESULT_NOT_READY, zeEventQueryStatus(marked));

  ze_command_queue_handle_t queue = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
  ze_command_list_handle_t recorded = RegularList(COMPUTE);
  ZE(zeEventHostReset(event));
  Launch(recorded, NewKernel("executed"), event);
  ZE(zeCommandListClose(recorded));
  ZE(zeCommandQueueExecuteCommandLists(queue, 1, &recorded, NULL));
  ZE(zeEventQueryStatus(event));
  return Done();
}
