// SPDX-License-Identifier: Apache-2.0
// Steps of a loop on one Intel GPU, in Level Zero: copy the input, two kernels, copy the result,
// wait for it. cc level_zero_steps.c -lze_loader; on a machine without a GPU: scripts/demo
// --level-zero.
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kSteps = 40, kBytes = 4 << 20 };

static void check(const char* what, ze_result_t result) {
  if (result == ZE_RESULT_SUCCESS) return;
  fprintf(stderr, "%s: 0x%x\n", what, result);
  exit(1);
}
#define ZE(call) check(#call, call)

static ze_kernel_handle_t make_kernel(ze_module_handle_t module, const char* name) {
  const ze_kernel_desc_t desc = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, 0, name};
  ze_kernel_handle_t kernel;
  ZE(zeKernelCreate(module, &desc, &kernel));
  ZE(zeKernelSetGroupSize(kernel, 256, 1, 1));
  return kernel;
}

int main(void) {
  ze_driver_handle_t driver;
  ze_device_handle_t device;
  ze_context_handle_t context;
  uint32_t one = 1;
  ZE(zeInit(0));
  ZE(zeDriverGet(&one, &driver));
  one = 1;
  ZE(zeDeviceGet(driver, &one, &device));
  const ze_context_desc_t context_desc = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
  ZE(zeContextCreate(driver, &context_desc, &context));

  ze_command_queue_desc_t queue_desc;
  memset(&queue_desc, 0, sizeof queue_desc);
  queue_desc.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC;
  queue_desc.mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS;
  ze_command_list_handle_t list;
  ZE(zeCommandListCreateImmediate(context, device, &queue_desc, &list));

  const ze_event_pool_desc_t pool_desc = {ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, NULL,
                                          ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1};
  const ze_event_desc_t event_desc = {ZE_STRUCTURE_TYPE_EVENT_DESC, NULL, 0,
                                      ZE_EVENT_SCOPE_FLAG_HOST, ZE_EVENT_SCOPE_FLAG_HOST};
  ze_event_pool_handle_t pool;
  ze_event_handle_t done;
  ZE(zeEventPoolCreate(context, &pool_desc, 1, &device, &pool));
  ZE(zeEventCreate(pool, &event_desc, &done));

  const ze_device_mem_alloc_desc_t memory_desc = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, NULL, 0,
                                                  0};
  const ze_host_mem_alloc_desc_t host_desc = {ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, NULL, 0};
  void *on_device, *on_host;
  ZE(zeMemAllocDevice(context, &memory_desc, kBytes, 64, device, &on_device));
  ZE(zeMemAllocHost(context, &host_desc, kBytes, 64, &on_host));

  // A real driver wants SPIR-V here; the simulated one takes any bytes, and has kernels of any
  // name.
  static const uint8_t code[] = {0x03, 0x02, 0x23, 0x07};
  ze_module_desc_t module_desc;
  memset(&module_desc, 0, sizeof module_desc);
  module_desc.stype = ZE_STRUCTURE_TYPE_MODULE_DESC;
  module_desc.format = ZE_MODULE_FORMAT_IL_SPIRV;
  module_desc.inputSize = sizeof code;
  module_desc.pInputModule = code;
  ze_module_handle_t module;
  ZE(zeModuleCreate(context, device, &module_desc, &module, NULL));
  ze_kernel_handle_t forward = make_kernel(module, "forward"),
                     update = make_kernel(module, "update");

  const ze_group_count_t groups = {4096, 1, 1};
  for (int step = 0; step < kSteps; ++step) {
    ZE(zeCommandListAppendMemoryCopy(list, on_device, on_host, kBytes, NULL, 0, NULL));
    ZE(zeCommandListAppendLaunchKernel(list, forward, &groups, NULL, 0, NULL));
    ZE(zeCommandListAppendLaunchKernel(list, update, &groups, NULL, 0, NULL));
    ZE(zeCommandListAppendMemoryCopy(list, on_host, on_device, kBytes, done, 0, NULL));
    ZE(zeEventHostSynchronize(done, UINT64_MAX));  // the host waits in each step
    ZE(zeEventHostReset(done));
  }
  printf("%d steps\n", kSteps);
  ZE(zeEventDestroy(done));
  ZE(zeEventPoolDestroy(pool));
  ZE(zeCommandListDestroy(list));
  ZE(zeMemFree(context, on_device));
  ZE(zeMemFree(context, on_host));
  ZE(zeContextDestroy(context));
  return 0;
}
