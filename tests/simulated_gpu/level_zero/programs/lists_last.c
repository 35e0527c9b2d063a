// SPDX-License-Identifier: Apache-2.0
// Destroys a context while a kernel of its runs, and its lists only after that: one of them is
// executed once more, and another one is given a kernel.
#include "check.h"

int main(void) {
  Start();
  ze_command_queue_handle_t queue = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_command_list_handle_t list = RegularList(COMPUTE), immediate = AsyncList();
  ze_kernel_handle_t kernel = NewKernel("last");
  Launch(list, kernel, NULL);
  ZE(zeCommandListClose(list));
  ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
  ZE(zeCommandQueueSynchronize(queue, FOREVER));
  ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
  ZE(zeContextDestroy(the_context));  // the second execution is under way
  ZE(zeCommandQueueSynchronize(queue, FOREVER));
  ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, NULL));
  Launch(immediate, kernel, NULL);
  ZE(zeCommandQueueSynchronize(queue, FOREVER));
  ZE(zeCommandListDestroy(list));
  ZE(zeCommandListDestroy(immediate));
  return Done();
}
