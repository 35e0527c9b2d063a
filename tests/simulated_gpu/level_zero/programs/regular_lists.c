// SPDX-License-Identifier: Apache-2.0
// Regular lists: one that is executed five times, two in one execution, one that is reset and
// recorded anew; copies in a list take the bytes that are there when it is executed.
#include "check.h"

int main(void) {
  Start();
  ze_command_queue_handle_t queue = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_command_list_handle_t list = RegularList(COMPUTE), other = RegularList(COMPUTE);
  int* device = DeviceMemory(64);
  int* host = HostMemory(64);
  int* back = HostMemory(64);
  host[0] = 1;

  Launch(list, NewKernel("repeated"), NULL);
  ZE(zeCommandListAppendMemoryCopy(list, device, host, 64, NULL, 0, NULL));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT,
           zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));  // it is not closed
  ZE(zeCommandListClose(list));
  for (int i = 0; i < 5; ++i) {
    host[0] = 10 + i;
    ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
  }
  ZE(zeCommandQueueSynchronize(queue, FOREVER));

  ZE(zeCommandListAppendBarrier(other, NULL, 0, NULL));
  ZE(zeCommandListAppendMemoryCopy(other, back, device, 64, NULL, 0, NULL));
  ZE(zeCommandListClose(other));
  ze_command_list_handle_t both[] = {list, other};
  host[0] = 77;
  ZE(zeCommandQueueExecuteCommandLists(queue, 2, both, NULL));
  ZE(zeCommandQueueSynchronize(queue, FOREVER));
  CHECK(back[0] == 77);

  ZE(zeCommandListReset(list));
  Launch(list, NewKernel("recorded_anew"), NULL);
  const int pattern = 5;
  ZE(zeCommandListAppendMemoryFill(list, device, &pattern, sizeof pattern, 64, NULL, 0, NULL));
  ZE(zeCommandListClose(list));
  ZE(zeCommandQueueExecuteCommandLists(queue, 2, both, NULL));
  ZE(zeCommandQueueSynchronize(queue, FOREVER));
  CHECK(back[0] == 5 && back[15] == 5);
  ZE(zeCommandListDestroy(list));
  ZE(zeCommandListDestroy(other));
  ZE(zeCommandQueueDestroy(queue));
  return Done();
}
