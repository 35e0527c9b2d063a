// SPDX-License-Identifier: Apache-2.0
// Fences: of one execution each, reset and used again, asked without waiting.
#include "check.h"

int main(void) {
  Start();
  ze_command_queue_handle_t queue = Queue(COMPUTE, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_fence_desc_t description = {ZE_STRUCTURE_TYPE_FENCE_DESC, NULL, 0};
  ze_fence_desc_t signaled = {ZE_STRUCTURE_TYPE_FENCE_DESC, NULL, ZE_FENCE_FLAG_SIGNALED};
  ze_fence_handle_t fence, ready;
  ZE(zeFenceCreate(queue, &description, &fence));
  ZE(zeFenceCreate(queue, &signaled, &ready));
  ZE(zeFenceQueryStatus(ready));
  ZE_GIVES(ZE_RESULT_NOT_READY, zeFenceQueryStatus(fence));

  ze_command_list_handle_t list = RegularList(COMPUTE);
  Launch(list, NewKernel("fenced"), NULL);
  ZE(zeCommandListClose(list));
  for (int i = 0; i < 3; ++i) {
    ZE(zeCommandQueueExecuteCommandLists(queue, 1, &list, fence));
    ZE(zeFenceHostSynchronize(fence, FOREVER));
    ZE(zeFenceQueryStatus(fence));
    ZE(zeFenceReset(fence));
    ZE_GIVES(ZE_RESULT_NOT_READY, zeFenceQueryStatus(fence));
  }
  ZE_GIVES(ZE_RESULT_NOT_READY, zeFenceHostSynchronize(fence, 1000000));
  ZE(zeFenceDestroy(fence));
  ZE(zeFenceDestroy(ready));
  return Done();
}
