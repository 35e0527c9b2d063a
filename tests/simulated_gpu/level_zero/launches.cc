// SPDX-License-Identifier: Apache-2.0
// Kernel launches. Kernels compute nothing.
#include "tests/simulated_gpu/engine/durations.h"
#include "tests/simulated_gpu/level_zero/append.h"

namespace simgpu::level_zero {
namespace {

// How long a kernel takes, as it is at the time of the append.
struct Shape {
  bool has_rule = false;
  uint64_t rule_ns = 0, threads = 1;
};

uint64_t DurationOf(const Shape& shape, const ze_group_count_t& groups) {
  if (shape.has_rule) return shape.rule_ns;
  return Durations::OfGrid(uint64_t{groups.groupCountX} * groups.groupCountY * groups.groupCountZ,
                           shape.threads);
}

// False: there is no such kernel.
bool Describe(ze_kernel_handle_t handle, Command* command, Shape* shape) {
  EngineLock lock(EngineMutex());
  const auto kernel = Find<Kernel>(handle);
  if (kernel == nullptr) return false;
  command->kind = CommandKind::kKernel;
  command->name = kernel->name;
  command->hangs = kernel->hangs;
  const uint32_t* size = kernel->group_size;
  *shape = {kernel->has_rule, kernel->rule_ns, uint64_t{size[0]} * size[1] * size[2]};
  return true;
}

}  // namespace

ze_result_t AppendLaunch(ze_command_list_handle_t list, ze_kernel_handle_t kernel,
                         const ze_group_count_t* groups, const Events& events) {
  if (groups == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Command command;
  Shape shape;
  if (!Describe(kernel, &command, &shape)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  command.duration_ns = DurationOf(shape, *groups);
  return Append(list, std::move(command), events, true);
}

ze_result_t ZE_APICALL zeCommandListAppendLaunchKernel(ze_command_list_handle_t list,
                                                       ze_kernel_handle_t kernel,
                                                       const ze_group_count_t* groups,
                                                       ze_event_handle_t signal, uint32_t count,
                                                       ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  return AppendLaunch(list, kernel, groups, {signal, count, waits});
}

ze_result_t ZE_APICALL zeCommandListAppendLaunchCooperativeKernel(
    ze_command_list_handle_t list, ze_kernel_handle_t kernel, const ze_group_count_t* groups,
    ze_event_handle_t signal, uint32_t count, ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  return AppendLaunch(list, kernel, groups, {signal, count, waits});
}

// The device reads the counts when it begins, so that commands before it may write them.
ze_result_t ZE_APICALL zeCommandListAppendLaunchKernelIndirect(
    ze_command_list_handle_t list, ze_kernel_handle_t kernel, const ze_group_count_t* groups,
    ze_event_handle_t signal, uint32_t count, ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  if (groups == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  Command command;
  Shape shape;
  if (!Describe(kernel, &command, &shape)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  command.late_duration = [shape, groups] { return DurationOf(shape, *groups); };
  return Append(list, std::move(command), {signal, count, waits}, true);
}

// Waits before the first, signals behind the last. Kernels beyond the count that the device reads
// take no time.
ze_result_t ZE_APICALL zeCommandListAppendLaunchMultipleKernelsIndirect(
    ze_command_list_handle_t list, uint32_t kernels, ze_kernel_handle_t* handles,
    const uint32_t* counted, const ze_group_count_t* groups, ze_event_handle_t signal,
    uint32_t count, ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  if (handles == nullptr || counted == nullptr || groups == nullptr)
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  for (uint32_t i = 0; i < kernels; ++i) {
    Command command;
    Shape shape;
    if (!Describe(handles[i], &command, &shape)) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    command.late_duration = [=]() -> uint64_t {
      return i < *counted ? DurationOf(shape, groups[i]) : 0;
    };
    const bool first = i == 0, last = i + 1 == kernels;
    const Events events{last ? signal : nullptr, first ? count : 0, waits, !last};
    const ze_result_t result = Append(list, std::move(command), events, true);
    if (result != ZE_RESULT_SUCCESS) return result;
  }
  return ZE_RESULT_SUCCESS;
}

}  // namespace simgpu::level_zero
