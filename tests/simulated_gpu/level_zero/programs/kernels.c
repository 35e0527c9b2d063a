// SPDX-License-Identifier: Apache-2.0
// Modules and kernels: names, links, logs, group sizes, and each way to launch.
#include "check.h"

static ze_module_handle_t NamedModule(void) {
  static const char blob[] = "simulated kernels: alpha beta";
  ze_module_desc_t description = {ZE_STRUCTURE_TYPE_MODULE_DESC,
                                  NULL,
                                  ZE_MODULE_FORMAT_NATIVE,
                                  sizeof blob - 1,
                                  (const uint8_t*)blob,
                                  "",
                                  NULL};
  ze_module_handle_t module;
  ze_module_build_log_handle_t log;
  ZE(zeModuleCreate(the_context, the_device, &description, &module, &log));
  size_t size = 0;
  ZE(zeModuleBuildLogGetString(log, &size, NULL));
  CHECK(size == 1);
  ZE(zeModuleBuildLogDestroy(log));
  ZE(zeModuleDynamicLink(1, &module, NULL));
  return module;
}

static int HasExtension(const char* name) {
  uint32_t count = 0;
  ZE(zeDriverGetExtensionProperties(the_driver, &count, NULL));
  ze_driver_extension_properties_t all[16];
  CHECK(count <= 16);
  ZE(zeDriverGetExtensionProperties(the_driver, &count, all));
  for (uint32_t i = 0; i < count; ++i) {
    if (strcmp(all[i].name, name) == 0) return 1;
  }
  return 0;
}

static void Names(void) {
  ze_module_handle_t module = NamedModule();
  uint32_t count = 0;
  ZE(zeModuleGetKernelNames(module, &count, NULL));
  CHECK(count == 2);
  const char* names[2];
  ZE(zeModuleGetKernelNames(module, &count, names));
  CHECK(strcmp(names[0], "alpha") == 0 && strcmp(names[1], "beta") == 0);
  ze_kernel_desc_t description = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, 0, "gamma"};
  ze_kernel_handle_t kernel;
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_KERNEL_NAME, zeKernelCreate(module, &description, &kernel));
  description.pKernelName = "beta";
  ZE(zeKernelCreate(module, &description, &kernel));
  char name[8];
  size_t size = 0;
  ZE(zeKernelGetName(kernel, &size, NULL));
  CHECK(size == 5);
  ZE(zeKernelGetName(kernel, &size, name));
  CHECK(strcmp(name, "beta") == 0);
  uint32_t x, y, z;
  ZE(zeKernelSuggestGroupSize(kernel, 96, 1, 1, &x, &y, &z));
  CHECK(x > 1 && 96 % x == 0 && y == 1 && z == 1);
  ZE(zeKernelSetGroupSize(kernel, x, y, z));
  ZE_GIVES(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION, zeKernelSetGroupSize(kernel, 0, 1, 1));
  CHECK(HasExtension(ZE_GLOBAL_OFFSET_EXP_NAME));
  ZE(zeKernelSetGlobalOffsetExp(kernel, 32, 0, 0));
  ZE(zeKernelSetArgumentValue(kernel, 2, sizeof x, &x));
  ze_kernel_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
  ZE(zeKernelGetProperties(kernel, &properties));
  CHECK(properties.numKernelArgs == 3);
  ZE(zeKernelSetIndirectAccess(kernel, ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST));
  ze_kernel_indirect_access_flags_t flags;
  ZE(zeKernelGetIndirectAccess(kernel, &flags));
  CHECK(flags == ZE_KERNEL_INDIRECT_ACCESS_FLAG_HOST);
  ZE(zeKernelDestroy(kernel));
  ZE(zeModuleDestroy(module));
}

int main(void) {
  Start();
  Names();
  ze_command_list_handle_t list = AsyncList();
  ze_event_handle_t event = NewEvent(Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
  const ze_group_count_t one = {1, 1, 1};
  ZE(zeCommandListAppendLaunchCooperativeKernel(list, NewKernel("together"), &one, NULL, 0, NULL));
  ze_group_count_t* counts = HostMemory(2 * sizeof *counts);
  uint32_t* number = HostMemory(sizeof *number);
  counts[0] = counts[1] = one;
  *number = 2;
  ZE(zeCommandListAppendLaunchKernelIndirect(list, NewKernel("indirect"), counts, NULL, 0, NULL));
  ze_kernel_handle_t two[] = {NewKernel("many_a"), NewKernel("many_b")};
  ZE(zeCommandListAppendLaunchMultipleKernelsIndirect(list, 2, two, number, counts, event, 0,
                                                      NULL));
  ZE(zeEventHostSynchronize(event, FOREVER));
  return Done();
}
