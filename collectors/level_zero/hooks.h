// SPDX-License-Identifier: Apache-2.0
// Our functions in the loader's tables. Each calls the vendor's own once, with the program's
// arguments but for a signal event of ours where the program has none, and returns its result.
// Where events are made they ask for time stamps, and once more without them if the driver refuses.
#pragma once

#include "collectors/level_zero/api.h"

namespace syncline::level_zero::hooks {

// A function of the same type as the vendor's.
template <typename Function>
struct SameAs;
template <typename Result, typename... Arguments>
struct SameAs<Result (*)(Arguments...)> {
  using Type = Result(Arguments...);
};

#define SYNCLINE_ZE_FUNCTION(table, name)
#define SYNCLINE_ZE_APPEND(table, name, role, work)
#define SYNCLINE_ZE_HOOK(table, name) SameAs<ze_pfn##table##name##_t>::Type table##name;
#define SYNCLINE_ZE_KEEPER(table, name) SYNCLINE_ZE_HOOK(table, name)
#include "collectors/level_zero/functions.def"
#undef SYNCLINE_ZE_KEEPER
#undef SYNCLINE_ZE_HOOK
#undef SYNCLINE_ZE_APPEND
#undef SYNCLINE_ZE_FUNCTION

// Of later versions of the API than 1.4 (later_functions.def); level-zero v1.32, include/ze_api.h.
// The vendor's own function comes first.
struct GroupSize {
  uint32_t x, y, z;
};
struct CounterBasedDescription {  // of zexCounterBasedEventCreate2, too
  uint32_t stype;
  const void* next;
  uint32_t flags;
  uint32_t signal_scope, wait_scope;
};

using HostSynchronize = ze_result_t (*)(ze_command_list_handle_t, uint64_t);
ze_result_t CommandListHostSynchronize(HostSynchronize, ze_command_list_handle_t, uint64_t timeout);

using SynchronizeDevice = ze_result_t (*)(ze_device_handle_t);
ze_result_t DeviceSynchronize(SynchronizeDevice, ze_device_handle_t);

using LaunchWithParameters = ze_result_t (*)(ze_command_list_handle_t, ze_kernel_handle_t,
                                             const ze_group_count_t*, const void* next,
                                             ze_event_handle_t, uint32_t, ze_event_handle_t*);

using LaunchWithArguments = ze_result_t (*)(ze_command_list_handle_t, ze_kernel_handle_t,
                                            ze_group_count_t, GroupSize, void** arguments,
                                            const void* next, ze_event_handle_t, uint32_t,
                                            ze_event_handle_t*);

using CopyWithParameters = ze_result_t (*)(ze_command_list_handle_t, void* to, const void* from,
                                           size_t, const void* next, ze_event_handle_t, uint32_t,
                                           ze_event_handle_t*);

using FillWithParameters = ze_result_t (*)(ze_command_list_handle_t, void* to, const void* pattern,
                                           size_t, size_t, const void* next, ze_event_handle_t,
                                           uint32_t, ze_event_handle_t*);

using AppendLists = ze_result_t (*)(ze_command_list_handle_t, uint32_t, ze_command_list_handle_t*,
                                    ze_event_handle_t, uint32_t, ze_event_handle_t*);
ze_result_t CommandListImmediateAppendCommandListsExp(AppendLists, ze_command_list_handle_t,
                                                      uint32_t count,
                                                      ze_command_list_handle_t* lists,
                                                      ze_event_handle_t signal, uint32_t wait_count,
                                                      ze_event_handle_t* waits);

using AppendListsWithParameters = ze_result_t (*)(ze_command_list_handle_t, uint32_t,
                                                  ze_command_list_handle_t*, const void* next,
                                                  ze_event_handle_t, uint32_t, ze_event_handle_t*);
ze_result_t CommandListImmediateAppendCommandListsWithParameters(
    AppendListsWithParameters, ze_command_list_handle_t, uint32_t count,
    ze_command_list_handle_t* lists, const void* next, ze_event_handle_t signal,
    uint32_t wait_count, ze_event_handle_t* waits);

// Those with Exp and Ext at their ends. The two orders of the last arguments of the third make no
// difference here.
using BeginCapture = ze_result_t (*)(ze_command_list_handle_t, const void* next);
ze_result_t CommandListBeginGraphCapture(BeginCapture, ze_command_list_handle_t, const void* next);

using BeginCaptureInto = ze_result_t (*)(ze_command_list_handle_t, void* graph, const void* next);
ze_result_t CommandListBeginCaptureIntoGraph(BeginCaptureInto, ze_command_list_handle_t,
                                             void* graph, const void* next);

using EndCapture = ze_result_t (*)(ze_command_list_handle_t, void*, void*);
ze_result_t CommandListEndGraphCapture(EndCapture, ze_command_list_handle_t, void*, void*);

using AppendGraph = ze_result_t (*)(ze_command_list_handle_t, void* graph, const void* next,
                                    ze_event_handle_t, uint32_t, ze_event_handle_t*);
ze_result_t CommandListAppendGraph(AppendGraph, ze_command_list_handle_t, void* graph,
                                   const void* next, ze_event_handle_t signal, uint32_t count,
                                   ze_event_handle_t* waits);

using CreateCounterBased = ze_result_t (*)(ze_context_handle_t, ze_device_handle_t,
                                           const CounterBasedDescription*, ze_event_handle_t*);
ze_result_t EventCounterBasedCreate(CreateCounterBased, ze_context_handle_t, ze_device_handle_t,
                                    const CounterBasedDescription*, ze_event_handle_t* out);

using QueryTimestamps = ze_result_t (*)(ze_event_handle_t, ze_device_handle_t, uint32_t*, void*);
ze_result_t EventQueryTimestampsExp(QueryTimestamps, ze_event_handle_t, ze_device_handle_t,
                                    uint32_t* count, void* times);
ze_result_t EventQueryKernelTimestampsExt(QueryTimestamps, ze_event_handle_t, ze_device_handle_t,
                                          uint32_t* count, void* times);

using GetPoolFlags = ze_result_t (*)(ze_event_pool_handle_t, ze_event_pool_flags_t*);
ze_result_t EventPoolGetFlags(GetPoolFlags, ze_event_pool_handle_t, ze_event_pool_flags_t*);

}  // namespace syncline::level_zero::hooks
