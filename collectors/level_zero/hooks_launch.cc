// SPDX-License-Identifier: Apache-2.0
// Launches of kernels.
#include "collectors/level_zero/appends.h"
#include "collectors/level_zero/hooks.h"

namespace syncline::level_zero::hooks {
namespace {

constexpr AppendNames kLaunch = WorkNames("zeCommandListAppendLaunchKernel", CallRole::kLaunch);
constexpr AppendNames kCooperative =
    WorkNames("zeCommandListAppendLaunchCooperativeKernel", CallRole::kLaunch);
constexpr AppendNames kIndirect =
    WorkNames("zeCommandListAppendLaunchKernelIndirect", CallRole::kLaunch);
constexpr AppendNames kMultiple =
    WorkNames("zeCommandListAppendLaunchMultipleKernelsIndirect", CallRole::kLaunch);
constexpr AppendNames kWithParameters =
    WorkNames("zeCommandListAppendLaunchKernelWithParameters", CallRole::kLaunch);
constexpr AppendNames kWithArguments =
    WorkNames("zeCommandListAppendLaunchKernelWithArguments", CallRole::kLaunch);

// `groups`: null where only the device knows.
WorkFacts FactsOf(ze_kernel_handle_t handle, const ze_group_count_t* groups) {
  WorkFacts facts;
  facts.async = true;
  if (groups != nullptr) {
    facts.grid[0] = groups->groupCountX;
    facts.grid[1] = groups->groupCountY;
    facts.grid[2] = groups->groupCountZ;
  }
  const Kernel* kernel = g_objects.kernels.Find(handle);
  if (kernel == nullptr) return facts;
  facts.kernel = kernel->name;
  for (int i = 0; i < 3; ++i) facts.block[i] = kernel->group[i].load(std::memory_order_relaxed);
  return facts;
}

}  // namespace

ze_result_t CommandListAppendLaunchKernel(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                                          const ze_group_count_t* groups, ze_event_handle_t signal,
                                          uint32_t wait_count, ze_event_handle_t* waits) {
  Append append(list, kLaunch, signal);
  append.Work(FactsOf(kernel, groups));
  return append.End(g_api.CommandListAppendLaunchKernel(list, kernel, groups, append.signal(),
                                                        wait_count, waits));
}

ze_result_t CommandListAppendLaunchCooperativeKernel(ze_command_list_handle_t list,
                                                     ze_kernel_handle_t kernel,
                                                     const ze_group_count_t* groups,
                                                     ze_event_handle_t signal, uint32_t wait_count,
                                                     ze_event_handle_t* waits) {
  Append append(list, kCooperative, signal);
  append.Work(FactsOf(kernel, groups));
  return append.End(g_api.CommandListAppendLaunchCooperativeKernel(
      list, kernel, groups, append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendLaunchKernelIndirect(ze_command_list_handle_t list,
                                                  ze_kernel_handle_t kernel,
                                                  const ze_group_count_t* groups,
                                                  ze_event_handle_t signal, uint32_t wait_count,
                                                  ze_event_handle_t* waits) {
  Append append(list, kIndirect, signal);
  append.Work(FactsOf(kernel, nullptr));  // the counts may be in memory of the device
  return append.End(g_api.CommandListAppendLaunchKernelIndirect(
      list, kernel, groups, append.signal(), wait_count, waits));
}

// One event for all of them, so they are one slice, by the name of the first.
ze_result_t CommandListAppendLaunchMultipleKernelsIndirect(
    ze_command_list_handle_t list, uint32_t count, ze_kernel_handle_t* kernels,
    const uint32_t* launched, const ze_group_count_t* groups, ze_event_handle_t signal,
    uint32_t wait_count, ze_event_handle_t* waits) {
  Append append(list, kMultiple, signal);
  append.Work(FactsOf(count == 0 || kernels == nullptr ? nullptr : kernels[0], nullptr));
  return append.End(g_api.CommandListAppendLaunchMultipleKernelsIndirect(
      list, count, kernels, launched, groups, append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendLaunchKernelWithParameters(
    LaunchWithParameters real, ze_command_list_handle_t list, ze_kernel_handle_t kernel,
    const ze_group_count_t* groups, const void* next, ze_event_handle_t signal, uint32_t wait_count,
    ze_event_handle_t* waits) {
  Append append(list, kWithParameters, signal);
  append.Work(FactsOf(kernel, groups));
  return append.End(real(list, kernel, groups, next, append.signal(), wait_count, waits));
}

ze_result_t CommandListAppendLaunchKernelWithArguments(
    LaunchWithArguments real, ze_command_list_handle_t list, ze_kernel_handle_t kernel,
    ze_group_count_t groups, GroupSize sizes, void** arguments, const void* next,
    ze_event_handle_t signal, uint32_t wait_count, ze_event_handle_t* waits) {
  Append append(list, kWithArguments, signal);
  WorkFacts facts = FactsOf(kernel, &groups);
  facts.block[0] = sizes.x;
  facts.block[1] = sizes.y;
  facts.block[2] = sizes.z;
  append.Work(facts);
  return append.End(
      real(list, kernel, groups, sizes, arguments, next, append.signal(), wait_count, waits));
}

}  // namespace syncline::level_zero::hooks
