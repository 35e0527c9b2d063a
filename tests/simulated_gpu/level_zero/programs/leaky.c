// SPDX-License-Identifier: Apache-2.0
// Destroys a pool and a context, and leaves the events in them as they are; nobody looked at one.
#include "check.h"

int main(void) {
  Start();
  ze_command_list_handle_t list = AsyncList();
  ze_event_pool_handle_t pool = Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 2);
  ze_event_handle_t unseen = NewEvent(pool, 0), last = NewEvent(pool, 1);
  ze_event_handle_t other = NewEvent(Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
  ze_kernel_handle_t kernel = NewKernel("unseen");
  Launch(list, kernel, unseen);
  Launch(list, kernel, other);
  Launch(list, kernel, last);
  ZE(zeEventHostSynchronize(last, FOREVER));
  ZE(zeCommandListDestroy(list));
  ZE(zeEventPoolDestroy(pool));
  ZE(zeContextDestroy(the_context));
  return Done();
}
