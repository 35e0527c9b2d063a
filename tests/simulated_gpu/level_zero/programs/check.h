// SPDX-License-Identifier: Apache-2.0
// What the programs share: a failed check says where, and ends the program with status 1.
#pragma once

#include <level_zero/ze_api.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

#define ZE_GIVES(result, call)                                                                     \
  do {                                                                                             \
    const ze_result_t result_ = (call);                                                            \
    if (result_ != (result)) {                                                                     \
      fprintf(stderr, "%s:%d: %s: 0x%x, not 0x%x\n", __FILE__, __LINE__, #call, (unsigned)result_, \
              (unsigned)(result));                                                                 \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
#define ZE(call) ZE_GIVES(ZE_RESULT_SUCCESS, call)

#define COMPUTE 0
#define COPY 1
#define IN_ORDER 0x2 /* of lists and of queues; not in the headers of API 1.4 */
#define FOREVER UINT64_MAX

static ze_driver_handle_t the_driver;
static ze_device_handle_t the_device;
static ze_context_handle_t the_context;

static inline void Start(void) {
  uint32_t count = 1;
  ZE(zeInit(0));
  ZE(zeDriverGet(&count, &the_driver));
  count = 1;
  ZE(zeDeviceGet(the_driver, &count, &the_device));
  ze_context_desc_t context = {ZE_STRUCTURE_TYPE_CONTEXT_DESC, NULL, 0};
  ZE(zeContextCreate(the_driver, &context, &the_context));
}

static inline int Done(void) {
  puts("OK");
  return 0;
}

static inline ze_command_queue_desc_t QueueDescription(uint32_t ordinal, uint32_t flags,
                                                       ze_command_queue_mode_t mode) {
  ze_command_queue_desc_t description = {
      ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC, NULL, ordinal, 0, flags, mode,
      ZE_COMMAND_QUEUE_PRIORITY_NORMAL};
  return description;
}

static inline ze_command_list_handle_t ImmediateList(uint32_t ordinal, uint32_t flags,
                                                     ze_command_queue_mode_t mode) {
  ze_command_queue_desc_t description = QueueDescription(ordinal, flags, mode);
  ze_command_list_handle_t list;
  ZE(zeCommandListCreateImmediate(the_context, the_device, &description, &list));
  return list;
}

static inline ze_command_list_handle_t AsyncList(void) {
  return ImmediateList(COMPUTE, 0, ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS);
}

static inline ze_command_list_handle_t RegularList(uint32_t ordinal) {
  ze_command_list_desc_t description = {ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC, NULL, ordinal, 0};
  ze_command_list_handle_t list;
  ZE(zeCommandListCreate(the_context, the_device, &description, &list));
  return list;
}

static inline ze_command_queue_handle_t Queue(uint32_t ordinal, ze_command_queue_mode_t mode) {
  ze_command_queue_desc_t description = QueueDescription(ordinal, 0, mode);
  ze_command_queue_handle_t queue;
  ZE(zeCommandQueueCreate(the_context, the_device, &description, &queue));
  return queue;
}

static inline ze_event_pool_handle_t Pool(uint32_t flags, uint32_t count) {
  ze_event_pool_desc_t description = {ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, NULL, flags, count};
  ze_event_pool_handle_t pool;
  ZE(zeEventPoolCreate(the_context, &description, 0, NULL, &pool));
  return pool;
}

static inline ze_event_handle_t NewEvent(ze_event_pool_handle_t pool, uint32_t index) {
  ze_event_desc_t description = {ZE_STRUCTURE_TYPE_EVENT_DESC, NULL, index,
                                 ZE_EVENT_SCOPE_FLAG_HOST, ZE_EVENT_SCOPE_FLAG_HOST};
  ze_event_handle_t event;
  ZE(zeEventCreate(pool, &description, &event));
  return event;
}

static inline ze_kernel_handle_t NewKernel(const char* name) {
  static ze_module_handle_t module;
  if (module == NULL) {
    static const uint8_t blob[4] = {3, 2, 0x23, 7};
    ze_module_desc_t description = {ZE_STRUCTURE_TYPE_MODULE_DESC,
                                    NULL,
                                    ZE_MODULE_FORMAT_IL_SPIRV,
                                    sizeof blob,
                                    blob,
                                    "",
                                    NULL};
    ZE(zeModuleCreate(the_context, the_device, &description, &module, NULL));
  }
  ze_kernel_desc_t description = {ZE_STRUCTURE_TYPE_KERNEL_DESC, NULL, 0, name};
  ze_kernel_handle_t kernel;
  ZE(zeKernelCreate(module, &description, &kernel));
  ZE(zeKernelSetGroupSize(kernel, 32, 1, 1));
  return kernel;
}

static inline void Launch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                          ze_event_handle_t signal) {
  const ze_group_count_t groups = {4, 1, 1};
  ZE(zeCommandListAppendLaunchKernel(list, kernel, &groups, signal, 0, NULL));
}

static inline void* DeviceMemory(size_t bytes) {
  ze_device_mem_alloc_desc_t description = {ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC, NULL, 0, 0};
  void* memory = NULL;
  ZE(zeMemAllocDevice(the_context, &description, bytes, 64, the_device, &memory));
  return memory;
}

static inline void* HostMemory(size_t bytes) {
  ze_host_mem_alloc_desc_t description = {ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC, NULL, 0};
  void* memory = NULL;
  ZE(zeMemAllocHost(the_context, &description, bytes, 64, &memory));
  return memory;
}
