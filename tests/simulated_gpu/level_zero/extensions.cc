// SPDX-License-Identifier: Apache-2.0
// Functions of newer APIs and of Intel's driver, reached through
// zeDriverGetExtensionFunctionAddress.
#include "tests/simulated_gpu/level_zero/extensions.h"

#include <cstring>

#include "tests/simulated_gpu/level_zero/append.h"

namespace simgpu::level_zero {

ze_result_t ZE_APICALL zeCommandListHostSynchronize(ze_command_list_handle_t list,
                                                    uint64_t timeout);

namespace {

// As ze_api.h 1.15 declares it (ze_event_counter_based_desc_t), and Intel's driver before that
// (zex_common.h, zex_counter_based_event_desc_t).
struct CounterBasedEventDescription {
  uint32_t stype;
  const void* pNext;
  uint32_t flags;
  uint32_t signalScope, waitScope;
};
// Flags; the first two are kOfImmediateLists and kOfRegularLists.
constexpr uint32_t kIpc = 0x8, kDeviceTimestamp = 0x10, kHostTimestamp = 0x20, kKnownFlags = 0x7f;

// What is refused: unknown flags by the header, times of a shared event by the driver. The header
// says that the two kinds of times cannot go together, but not with what answer.
ze_result_t CheckFlags(uint32_t flags) {
  if (flags > kKnownFlags) return ZE_RESULT_ERROR_INVALID_ENUMERATION;
  const bool device_times = (flags & kDeviceTimestamp) != 0;
  const bool host_times = (flags & kHostTimestamp) != 0;
  if (device_times && host_times) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  if ((flags & kIpc) != 0 && (device_times || host_times)) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  return ZE_RESULT_SUCCESS;
}

ze_result_t CreateCounterBased(ze_context_handle_t context, ze_device_handle_t device,
                               const CounterBasedEventDescription* description,
                               ze_event_handle_t* made) {
  if (description == nullptr || made == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (const ze_result_t bad = CheckFlags(description->flags); bad != ZE_RESULT_SUCCESS) return bad;
  EngineLock lock(EngineMutex());
  if (Find<Context>(context) == nullptr || Find<Device>(device) == nullptr)
    return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  auto event = std::make_shared<Event>();
  event->timed = (description->flags & (kDeviceTimestamp | kHostTimestamp)) != 0;
  MakeCounterBased(event.get(), description->flags);
  *made = static_cast<ze_event_handle_t>(NewHandle(std::move(event)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t zexCounterBasedEventCreate2(ze_context_handle_t context, ze_device_handle_t device,
                                        const CounterBasedEventDescription* description,
                                        ze_event_handle_t* made) {
  SIMGPU_ZE_ENTER();
  return CreateCounterBased(context, device, description, made);
}

ze_result_t zeEventCounterBasedCreate(ze_context_handle_t context, ze_device_handle_t device,
                                      const CounterBasedEventDescription* description,
                                      ze_event_handle_t* made) {
  SIMGPU_ZE_ENTER();
  return CreateCounterBased(context, device, description, made);
}

}  // namespace

void* ExtensionFunction(const char* name) {
  if (std::strcmp(name, "zeCommandListHostSynchronize") == 0)
    return reinterpret_cast<void*>(&level_zero::zeCommandListHostSynchronize);
  if (std::strcmp(name, "zexCounterBasedEventCreate2") == 0)
    return reinterpret_cast<void*>(&zexCounterBasedEventCreate2);
  if (std::strcmp(name, "zeEventCounterBasedCreate") == 0)
    return reinterpret_cast<void*>(&zeEventCounterBasedCreate);
  if (void* function = GraphCall(name)) return function;
  return LaterCall(name);
}

}  // namespace simgpu::level_zero
