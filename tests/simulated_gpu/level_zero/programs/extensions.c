// SPDX-License-Identifier: Apache-2.0
// What newer headers declare: waiting for an immediate list, and counter based events with
// timestamps, which are complete from the start and need no reset.
#include "later_api.h"

int main(void) {
  Start();
  create_counter_based create = (create_counter_based)Address("zexCounterBasedEventCreate2");
  list_synchronize synchronize = (list_synchronize)Address("zeCommandListHostSynchronize");
  void* none = NULL;
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT,
           zeDriverGetExtensionFunctionAddress(the_driver, "zeNoSuchFunction", &none));

  const counter_based_event_desc description = {
      0, NULL, FOR_IMMEDIATE_LISTS | HOST_VISIBLE | DEVICE_TIMES, 0, 0};
  ze_event_handle_t event;
  ZE(create(the_context, the_device, &description, &event));
  ZE(zeEventQueryStatus(event));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT, zeEventHostReset(event));
  ze_command_list_handle_t list =
      ImmediateList(COMPUTE, IN_ORDER, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_kernel_handle_t kernel = NewKernel("counted");
  uint64_t before = 0;
  for (int i = 0; i < 3; ++i) {
    Launch(list, kernel, event);
    ZE(zeEventHostSynchronize(event, FOREVER));
    ze_kernel_timestamp_result_t times;
    ZE(zeEventQueryKernelTimestamp(event, &times));
    CHECK(times.global.kernelStart != before);
    before = times.global.kernelStart;
  }
  Launch(list, kernel, NULL);
  while (synchronize(list, 0) == ZE_RESULT_NOT_READY) {
  }
  Launch(list, kernel, NULL);
  ZE(synchronize(list, FOREVER));
  const ze_group_count_t one = {1, 1, 1};
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_ARGUMENT,
           zeCommandListAppendLaunchKernel(AsyncList(), kernel, &one, event, 0, NULL));
  return Done();
}
