// SPDX-License-Identifier: Apache-2.0
// What headers after API 1.4 declare (Intel's ze_api.h 1.17, zex_common.h of its driver), with
// names of our own, so that a program is built with any headers. The functions are asked for by
// name.
#pragma once

#include "check.h"

typedef struct {
  uint32_t stype;
  const void* pNext;
  uint32_t flags, signal, wait;
} counter_based_event_desc;  // ze_event_counter_based_desc_t, zex_counter_based_event_desc_t
typedef struct {
  uint32_t stype;
  const void* pNext;
  uint32_t flags;
} counter_based_pool_desc;  // ze_event_pool_counter_based_exp_desc_t
typedef struct {
  uint32_t stype;
  const void* pNext;
  ze_bool_t cooperative;
} cooperative_desc;  // ze_command_list_append_launch_kernel_param_cooperative_desc_t
typedef struct {
  uint32_t x, y, z;
} group_size;  // ze_group_size_t

#define COUNTER_BASED_EVENT_DESC 0x0002003A
#define COUNTER_BASED_POOL_DESC 0x00020014
#define COOPERATIVE_DESC 0x00020036
#define FOR_IMMEDIATE_LISTS 0x1
#define FOR_REGULAR_LISTS 0x2
#define HOST_VISIBLE 0x4
#define BETWEEN_PROCESSES 0x8
#define DEVICE_TIMES 0x10
#define HOST_TIMES 0x20

typedef ze_result_t (*create_counter_based)(ze_context_handle_t, ze_device_handle_t,
                                            const counter_based_event_desc*, ze_event_handle_t*);
typedef ze_result_t (*list_synchronize)(ze_command_list_handle_t, uint64_t);
typedef ze_result_t (*device_synchronize)(ze_device_handle_t);
typedef ze_result_t (*launch_with_parameters)(ze_command_list_handle_t, ze_kernel_handle_t,
                                              const ze_group_count_t*, const void*,
                                              ze_event_handle_t, uint32_t, ze_event_handle_t*);
typedef ze_result_t (*launch_with_arguments)(ze_command_list_handle_t, ze_kernel_handle_t,
                                             ze_group_count_t, group_size, void**, const void*,
                                             ze_event_handle_t, uint32_t, ze_event_handle_t*);
typedef ze_result_t (*copy_with_parameters)(ze_command_list_handle_t, void*, const void*, size_t,
                                            const void*, ze_event_handle_t, uint32_t,
                                            ze_event_handle_t*);
typedef ze_result_t (*fill_with_parameters)(ze_command_list_handle_t, void*, const void*, size_t,
                                            size_t, const void*, ze_event_handle_t, uint32_t,
                                            ze_event_handle_t*);
typedef ze_result_t (*append_lists)(ze_command_list_handle_t, uint32_t, ze_command_list_handle_t*,
                                    ze_event_handle_t, uint32_t, ze_event_handle_t*);

static inline void* Address(const char* name) {
  void* address = NULL;
  ZE(zeDriverGetExtensionFunctionAddress(the_driver, name, &address));
  CHECK(address != NULL);
  return address;
}
