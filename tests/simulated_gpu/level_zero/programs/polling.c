// SPDX-License-Identifier: Apache-2.0
// Waits by asking again and again: an event, a queue, a fence; and one lone question, which is no
// wait.
#include "check.h"

int main(void) {
  Start();
  ze_command_list_handle_t list = AsyncList();
  ze_event_handle_t event = NewEvent(Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
  ze_kernel_handle_t kernel = NewKernel("polled");
  Launch(list, kernel, event);
  while (zeEventQueryStatus(event) == ZE_RESULT_NOT_READY) {
  }
  ZE(zeEventHostReset(event));
  Launch(list, kernel, event);
  while (zeEventHostSynchronize(event, 0) == ZE_RESULT_NOT_READY) {
  }

  ze_command_queue_handle_t queue = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_command_list_handle_t recorded = RegularList(COMPUTE);
  Launch(recorded, kernel, NULL);
  ZE(zeCommandListClose(recorded));
  ZE(zeCommandQueueExecuteCommandLists(queue, 1, &recorded, NULL));
  while (zeCommandQueueSynchronize(queue, 0) == ZE_RESULT_NOT_READY) {
  }
  ze_fence_desc_t description = {ZE_STRUCTURE_TYPE_FENCE_DESC, NULL, 0};
  ze_fence_handle_t fence;
  ZE(zeFenceCreate(queue, &description, &fence));
  ZE(zeCommandQueueExecuteCommandLists(queue, 1, &recorded, fence));
  while (zeFenceQueryStatus(fence) == ZE_RESULT_NOT_READY) {
  }

  ZE(zeEventHostReset(event));
  Launch(list, kernel, event);
  zeEventQueryStatus(event);  // a lone question
  ZE(zeEventHostSynchronize(event, FOREVER));
  return Done();
}
