// SPDX-License-Identifier: Apache-2.0
// The driver: its start, its extensions, contexts.
#include <algorithm>
#include <cstring>

#include "tests/simulated_gpu/level_zero/call.h"
#include "tests/simulated_gpu/level_zero/extensions.h"
#include "tests/simulated_gpu/level_zero/objects.h"

namespace simgpu::level_zero {
namespace {

constexpr ze_driver_extension_properties_t kExtensions[] = {
    {ZE_MEMORY_FREE_POLICIES_EXT_NAME, ZE_MAKE_VERSION(1, 0)},
    {ZE_EVENT_QUERY_TIMESTAMPS_EXP_NAME, ZE_MAKE_VERSION(1, 0)},
    {ZE_GLOBAL_OFFSET_EXP_NAME, ZE_GLOBAL_OFFSET_EXP_VERSION_1_0},
    {"ZE_intel_experimental_in_order_command_lists", ZE_MAKE_VERSION(1, 0)},
};

ze_result_t NewContext(ze_driver_handle_t driver, const ze_context_desc_t* description,
                       ze_context_handle_t* made) {
  if (description == nullptr || made == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  if (Find<Driver>(driver) == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  static uint64_t next_id = 0;
  auto context = std::make_shared<Context>();
  context->id = ++next_id;
  *made = static_cast<ze_context_handle_t>(NewHandle(std::move(context)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t FindContext(ze_context_handle_t context) {
  EngineLock lock(EngineMutex());
  const bool found = Find<Context>(context) != nullptr;
  return found ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

}  // namespace

ze_result_t ZE_APICALL zeInit(ze_init_flags_t) {
  SIMGPU_ZE_ENTER(Call::kAlways);
  return InitializeDriver();
}

ze_result_t ZE_APICALL zeDriverGet(uint32_t* count, ze_driver_handle_t* drivers) {
  SIMGPU_ZE_ENTER();
  if (count == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (*count > 0 && drivers != nullptr) {
    drivers[0] = static_cast<ze_driver_handle_t>(DriverHandle());
  }
  *count = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDriverGetApiVersion(ze_driver_handle_t, ze_api_version_t* version) {
  SIMGPU_ZE_ENTER();
  if (version == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  *version = ZE_API_VERSION_1_4;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDriverGetProperties(ze_driver_handle_t,
                                             ze_driver_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  std::memcpy(properties->uuid.id, "Simulated driver", sizeof properties->uuid.id);
  properties->driverVersion = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDriverGetIpcProperties(ze_driver_handle_t,
                                                ze_driver_ipc_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  properties->flags = 0;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDriverGetExtensionProperties(
    ze_driver_handle_t, uint32_t* count, ze_driver_extension_properties_t* extensions) {
  SIMGPU_ZE_ENTER();
  if (count == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  const auto all = static_cast<uint32_t>(std::size(kExtensions));
  const uint32_t asked = *count == 0 ? all : std::min(*count, all);
  if (*count > 0 && extensions != nullptr) std::copy_n(kExtensions, asked, extensions);
  *count = asked;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeDriverGetExtensionFunctionAddress(ze_driver_handle_t, const char* name,
                                                           void** address) {
  SIMGPU_ZE_ENTER();
  if (name == nullptr || address == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  *address = ExtensionFunction(name);
  return *address == nullptr ? ZE_RESULT_ERROR_INVALID_ARGUMENT : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeContextCreate(ze_driver_handle_t driver,
                                       const ze_context_desc_t* description,
                                       ze_context_handle_t* made) {
  SIMGPU_ZE_ENTER();
  return NewContext(driver, description, made);
}

ze_result_t ZE_APICALL zeContextCreateEx(ze_driver_handle_t driver,
                                         const ze_context_desc_t* description, uint32_t,
                                         ze_device_handle_t*, ze_context_handle_t* made) {
  SIMGPU_ZE_ENTER();
  return NewContext(driver, description, made);
}

ze_result_t ZE_APICALL zeContextDestroy(ze_context_handle_t context) {
  SIMGPU_ZE_ENTER(Call::kAlways);
  EngineLock lock(EngineMutex());
  const bool released = ReleaseHandle(context, Context::kType);
  return released ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
}

ze_result_t ZE_APICALL zeContextGetStatus(ze_context_handle_t context) {
  SIMGPU_ZE_ENTER();
  return FindContext(context);
}

ze_result_t ZE_APICALL zeContextSystemBarrier(ze_context_handle_t context, ze_device_handle_t) {
  SIMGPU_ZE_ENTER();
  return FindContext(context);
}

ze_result_t ZE_APICALL zeContextMakeMemoryResident(ze_context_handle_t context, ze_device_handle_t,
                                                   void*, size_t) {
  SIMGPU_ZE_ENTER();
  return FindContext(context);
}

ze_result_t ZE_APICALL zeContextEvictMemory(ze_context_handle_t context, ze_device_handle_t, void*,
                                            size_t) {
  SIMGPU_ZE_ENTER();
  return FindContext(context);
}

}  // namespace simgpu::level_zero
