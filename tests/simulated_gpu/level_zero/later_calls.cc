// SPDX-License-Identifier: Apache-2.0
// Calls of APIs after 1.4 that give work to a device or wait for one. Their types are those of
// ze_api.h 1.17.
#include <cstring>

#include "tests/simulated_gpu/level_zero/append.h"
#include "tests/simulated_gpu/level_zero/extensions.h"

namespace simgpu::level_zero {
namespace {

// ze_command_list_append_launch_kernel_param_cooperative_desc_t
constexpr uint32_t kCooperativeDescription = 0x00020036;
// ze_group_size_t
struct GroupSize {
  uint32_t x, y, z;
};

// A kernel takes no extension but the one that makes it cooperative; copies and fills take none.
bool TakesExtensions(const void* chain) {
  for (auto next = static_cast<const ze_base_desc_t*>(chain); next != nullptr;
       next = static_cast<const ze_base_desc_t*>(next->pNext)) {
    if (static_cast<uint32_t>(next->stype) != kCooperativeDescription) return false;
  }
  return true;
}

// Row E9 of docs/level_zero.md: of a root device also the work of its sub-devices.
ze_result_t ZE_APICALL zeDeviceSynchronize(ze_device_handle_t handle) {
  SIMGPU_ZE_ENTER();
  Target target;
  {
    EngineLock lock(EngineMutex());
    const auto device = Find<Device>(handle);
    if (device == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    for (const auto& known : device->root->streams) {
      const auto stream = known.lock();
      if (stream == nullptr || stream->last == nullptr) continue;
      if (device->sub_device >= 0 && stream->sub_device != device->sub_device) continue;
      target.operations.push_back(stream->last);
    }
  }
  return HostWait(WaitClass::kDevice, target, Record::kAlways);
}

ze_result_t ZE_APICALL zeCommandListAppendLaunchKernelWithParameters(
    ze_command_list_handle_t list, ze_kernel_handle_t kernel, const ze_group_count_t* groups,
    const void* extensions, ze_event_handle_t signal, uint32_t count, ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  if (!TakesExtensions(extensions)) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  return AppendLaunch(list, kernel, groups, {signal, count, waits});
}

// The arguments are not looked at: nobody knows how many a simulated kernel has.
ze_result_t ZE_APICALL zeCommandListAppendLaunchKernelWithArguments(
    ze_command_list_handle_t list, ze_kernel_handle_t handle, const ze_group_count_t groups,
    const GroupSize size, void**, const void* extensions, ze_event_handle_t signal, uint32_t count,
    ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  if (!TakesExtensions(extensions)) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  {
    EngineLock lock(EngineMutex());
    const auto kernel = Find<Kernel>(handle);
    if (kernel == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (!SetGroupSize(kernel.get(), size.x, size.y, size.z))
      return ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
  }
  return AppendLaunch(list, handle, &groups, {signal, count, waits});
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryCopyWithParameters(
    ze_command_list_handle_t list, void* to, const void* from, size_t size, const void* extensions,
    ze_event_handle_t signal, uint32_t count, ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  if (extensions != nullptr) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  return AppendCopy(list, to, from, size, {signal, count, waits});
}

ze_result_t ZE_APICALL zeCommandListAppendMemoryFillWithParameters(
    ze_command_list_handle_t list, void* to, const void* pattern, size_t pattern_size, size_t size,
    const void* extensions, ze_event_handle_t signal, uint32_t count, ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  if (extensions != nullptr) return ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
  return AppendFill(list, to, {pattern, pattern_size}, size, {signal, count, waits});
}

ze_result_t ZE_APICALL zeCommandListImmediateAppendCommandListsExp(
    ze_command_list_handle_t list, uint32_t list_count, ze_command_list_handle_t* lists,
    ze_event_handle_t signal, uint32_t count, ze_event_handle_t* waits) {
  SIMGPU_ZE_ENTER();
  if (lists == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  return AppendLists(list, list_count, lists, {signal, count, waits});
}

struct Named {
  const char* name;
  void* function;
};

template <class Function>
Named Name(const char* name, Function* function) {
  return {name, reinterpret_cast<void*>(function)};
}

}  // namespace

void* LaterCall(const char* name) {
  static const Named kCalls[] = {
      Name("zeDeviceSynchronize", zeDeviceSynchronize),
      Name("zeCommandListAppendLaunchKernelWithParameters",
           zeCommandListAppendLaunchKernelWithParameters),
      Name("zeCommandListAppendLaunchKernelWithArguments",
           zeCommandListAppendLaunchKernelWithArguments),
      Name("zeCommandListAppendMemoryCopyWithParameters",
           zeCommandListAppendMemoryCopyWithParameters),
      Name("zeCommandListAppendMemoryFillWithParameters",
           zeCommandListAppendMemoryFillWithParameters),
      Name("zeCommandListImmediateAppendCommandListsExp",
           zeCommandListImmediateAppendCommandListsExp),
  };
  for (const Named& call : kCalls) {
    if (std::strcmp(call.name, name) == 0) return call.function;
  }
  return nullptr;
}

}  // namespace simgpu::level_zero
