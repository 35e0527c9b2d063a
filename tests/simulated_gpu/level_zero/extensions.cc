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

// As Intel's driver declares it (zex_event.h); it is in no header of the loader.
struct CounterBasedEventDescription {
  uint32_t stype;
  const void* pNext;
  uint32_t flags;
  uint32_t signalScope, waitScope;
};
constexpr uint32_t kTimestampFlags = 0xc;  // device and host timestamps

// An event that is complete from the start, that only commands of lists in order can signal, and
// that needs no reset.
ze_result_t zexCounterBasedEventCreate2(ze_context_handle_t context, ze_device_handle_t device,
                                        const CounterBasedEventDescription* description,
                                        ze_event_handle_t* made) {
  SIMGPU_ZE_ENTER();
  if (description == nullptr || made == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  const auto target = Find<Device>(device);
  if (Find<Context>(context) == nullptr || target == nullptr)
    return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  auto event = std::make_shared<Event>();
  event->timed = (description->flags & kTimestampFlags) != 0;
  event->device = target->number;
  event->semaphore->counter_based = true;
  event->semaphore->line.SignalAt({});
  *made = static_cast<ze_event_handle_t>(NewHandle(std::move(event)));
  return ZE_RESULT_SUCCESS;
}

}  // namespace

void* ExtensionFunction(const char* name) {
  if (std::strcmp(name, "zeCommandListHostSynchronize") == 0)
    return reinterpret_cast<void*>(&level_zero::zeCommandListHostSynchronize);
  if (std::strcmp(name, "zexCounterBasedEventCreate2") == 0)
    return reinterpret_cast<void*>(&zexCounterBasedEventCreate2);
  return nullptr;
}

}  // namespace simgpu::level_zero
