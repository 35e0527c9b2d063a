// SPDX-License-Identifier: Apache-2.0
// Work that is recorded into a graph and executed three times, as SYCL's runtime does; work before
// and behind it is as ever. With the argument "open" the recording is never ended.
#include "later_api.h"

typedef ze_result_t (*graph_create)(ze_context_handle_t, void**, void*);
typedef ze_result_t (*begin_capture)(ze_command_list_handle_t, void*, void*);
typedef ze_result_t (*end_capture)(ze_command_list_handle_t, void**, void*);
typedef ze_result_t (*instantiate)(void*, void**, void*);
typedef ze_result_t (*append_graph)(ze_command_list_handle_t, void*, void*, ze_event_handle_t,
                                    uint32_t, ze_event_handle_t*);

int main(int argc, char** argv) {
  Start();
  const int open = argc > 1 && strcmp(argv[1], "open") == 0;
  list_synchronize synchronize = (list_synchronize)Address("zeCommandListHostSynchronize");
  ze_command_list_handle_t list =
      ImmediateList(COMPUTE, IN_ORDER, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
  ze_kernel_handle_t kernel = NewKernel("captured");
  void *graph, *executable;
  Launch(list, NewKernel("before"), NULL);
  ZE(synchronize(list, FOREVER));
  ZE(((graph_create)Address("zeGraphCreateExp"))(the_context, &graph, NULL));
  ZE(((begin_capture)Address("zeCommandListBeginCaptureIntoGraphExp"))(list, graph, NULL));
  for (int i = 0; i < 4; ++i) Launch(list, kernel, NULL);
  if (open) return Done();
  ZE(((end_capture)Address("zeCommandListEndGraphCaptureExp"))(list, &graph, NULL));
  ZE(((instantiate)Address("zeCommandListInstantiateGraphExp"))(graph, &executable, NULL));
  append_graph append = (append_graph)Address("zeCommandListAppendGraphExp");
  for (int i = 0; i < 3; ++i) ZE(append(list, executable, NULL, NULL, 0, NULL));
  ZE(synchronize(list, FOREVER));
  for (int i = 0; i < 8; ++i) Launch(list, NewKernel("behind"), NULL);
  ZE(append(list, executable, NULL, NULL, 0, NULL));
  ZE(synchronize(list, FOREVER));
  return Done();
}
