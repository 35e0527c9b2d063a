// SPDX-License-Identifier: Apache-2.0
// The vendor's own functions, as they stood in the loader's tables before ours.
#pragma once

#include <level_zero/ze_api.h>
#include <level_zero/ze_ddi.h>

namespace syncline::level_zero {

// Of later versions of the API than ze_api.h of 1.4; level-zero v1.32, include/ze_api.h.
struct GroupSize {
  uint32_t x, y, z;
};
using CommandListHostSynchronize = ze_result_t (*)(ze_command_list_handle_t, uint64_t);  // 1.6
using AppendLaunchKernelWithParameters = ze_result_t (*)(ze_command_list_handle_t,       // 1.14
                                                         ze_kernel_handle_t,
                                                         const ze_group_count_t*, const void*,
                                                         ze_event_handle_t, uint32_t,
                                                         ze_event_handle_t*);
using AppendLaunchKernelWithArguments = ze_result_t (*)(ze_command_list_handle_t,  // 1.14
                                                        ze_kernel_handle_t, ze_group_count_t,
                                                        GroupSize, void**, const void*,
                                                        ze_event_handle_t, uint32_t,
                                                        ze_event_handle_t*);
using ImmediateAppendCommandLists = ze_result_t (*)(ze_command_list_handle_t, uint32_t,  // 1.9
                                                    ze_command_list_handle_t*, ze_event_handle_t,
                                                    uint32_t, ze_event_handle_t*);

// Null: the loader has none. Written while the program is in its first zeInit, then only read.
struct Api {
#define SYNCLINE_ZE_FUNCTION(table, name) ze_pfn##table##name##_t table##name;
#define SYNCLINE_ZE_HOOK(table, name) SYNCLINE_ZE_FUNCTION(table, name)
#define SYNCLINE_ZE_KEEPER(table, name) SYNCLINE_ZE_HOOK(table, name)
#include "collectors/level_zero/functions.def"
#undef SYNCLINE_ZE_KEEPER
#undef SYNCLINE_ZE_HOOK
#undef SYNCLINE_ZE_FUNCTION
  level_zero::CommandListHostSynchronize CommandListHostSynchronize;
  level_zero::AppendLaunchKernelWithParameters CommandListAppendLaunchKernelWithParameters;
  level_zero::AppendLaunchKernelWithArguments CommandListAppendLaunchKernelWithArguments;
  level_zero::ImmediateAppendCommandLists CommandListImmediateAppendCommandLists;
};
extern Api g_api;

}  // namespace syncline::level_zero
