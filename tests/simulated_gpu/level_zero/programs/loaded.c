// SPDX-License-Identifier: Apache-2.0
// Not linked with the loader: dlopen with RTLD_LOCAL, and dlsym of every function. With the
// argument "deepbind" the loader's calls of itself stay in the loader.
#define _GNU_SOURCE
#include <dlfcn.h>

#include "check.h"

static void* loader;

static void* Function(const char* name) {
  void* function = dlsym(loader, name);
  CHECK(function != NULL);
  return function;
}
#define OF_LOADER(name) ((__typeof__(&name))Function(#name))

int main(int argc, char** argv) {
  const int deep = argc > 1 && strcmp(argv[1], "deepbind") == 0 ? RTLD_DEEPBIND : 0;
  loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL | deep);
  CHECK(loader != NULL);
  ze_driver_handle_t driver;
  ze_device_handle_t device;
  ze_context_handle_t context;
  ze_command_list_handle_t list;
  ze_event_pool_handle_t pool;
  ze_event_handle_t event;
  ze_module_handle_t module;
  ze_kernel_handle_t kernel;
  uint32_t count = 1;
  ZE(OF_LOADER(zeInit)(0));
  ZE(OF_LOADER(zeDriverGet)(&count, &driver));
  count = 1;
  ZE(OF_LOADER(zeDeviceGet)(driver, &count, &device));
  ze_context_desc_t of_context = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
  ZE(OF_LOADER(zeContextCreate)(driver, &of_context, &context));
  ze_command_queue_desc_t of_list = {
      ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, NULL, COMPUTE, 0, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS,
      ZE_COMMAND_QUEUE_PRIORITY_NORMAL};
  ZE(OF_LOADER(zeCommandListCreateImmediate)(context, device, &of_list, &list));
  ze_event_pool_desc_t of_pool = {ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, NULL,
                                  ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1};
  ZE(OF_LOADER(zeEventPoolCreate)(context, &of_pool, 0, NULL, &pool));
  ze_event_desc_t of_event = {ZE_STRUCTURE_TYPE_EVENT_DESC, NULL, 0, 0, 0};
  ZE(OF_LOADER(zeEventCreate)(pool, &of_event, &event));
  const uint8_t blob[4] = {3, 2, 0x23, 7};
  ze_module_desc_t of_module = {
      ZE_STRUCTURE_TYPE_MODULE_DESC, NULL, ZE_MODULE_FORMAT_IL_SPIRV, sizeof blob, blob, "", NULL};
  ZE(OF_LOADER(zeModuleCreate)(context, device, &of_module, &module, NULL));
  ze_kernel_desc_t of_kernel = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, 0, "through_dlsym"};
  ZE(OF_LOADER(zeKernelCreate)(module, &of_kernel, &kernel));
  const ze_group_count_t one = {1, 1, 1};
  for (int i = 0; i < 3; ++i)
    ZE(OF_LOADER(zeCommandListAppendLaunchKernel)(list, kernel, &one, i == 2 ? event : NULL, 0,
                                                  NULL));
  ZE(OF_LOADER(zeEventHostSynchronize)(event, FOREVER));
  return Done();
}
