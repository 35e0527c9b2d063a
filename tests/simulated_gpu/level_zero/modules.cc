// SPDX-License-Identifier: Apache-2.0
// Modules and kernels. Any blob is a module, and has a kernel of any name; a blob that begins with
// "simulated kernels:" has those kernels alone that it names behind that.
#include <fnmatch.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/durations.h"
#include "tests/simulated_gpu/engine/faults.h"
#include "tests/simulated_gpu/level_zero/call.h"
#include "tests/simulated_gpu/level_zero/objects.h"
#include "tests/simulated_gpu/level_zero/settings.h"

namespace simgpu::level_zero {
namespace {

constexpr char kNamesFollow[] = "simulated kernels:";
constexpr size_t kNamesFollowBytes = sizeof kNamesFollow - 1;

std::vector<std::string> KernelNames(const ze_module_desc_t& description) {
  std::vector<std::string> names;
  const char* blob = reinterpret_cast<const char*>(description.pInputModule);
  if (description.inputSize < kNamesFollowBytes ||
      std::memcmp(blob, kNamesFollow, kNamesFollowBytes) != 0)
    return names;
  std::istringstream text(
      std::string(blob + kNamesFollowBytes, description.inputSize - kNamesFollowBytes));
  for (std::string name; text >> name;) names.push_back(name);
  return names;
}

// Text as the API gives it out: with its end; *size is asked for where `to` is null.
ze_result_t GiveText(const std::string& text, size_t* size, char* to) {
  if (size == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (to != nullptr && *size > 0) {
    const size_t bytes = std::min(*size, text.size() + 1);
    std::memcpy(to, text.c_str(), bytes);
    to[bytes - 1] = '\0';
  }
  *size = text.size() + 1;
  return ZE_RESULT_SUCCESS;
}

void MakeLog(ze_module_build_log_handle_t* made) {
  if (made == nullptr) return;
  auto log = std::make_shared<BuildLog>();
  *made = static_cast<ze_module_build_log_handle_t>(NewHandle(std::move(log)));
}

std::shared_ptr<Kernel> FindKernel(ze_kernel_handle_t handle) {
  EngineLock lock(EngineMutex());
  return Find<Kernel>(handle);
}

}  // namespace

ze_result_t ZE_APICALL zeModuleCreate(ze_context_handle_t context, ze_device_handle_t device,
                                      const ze_module_desc_t* description, ze_module_handle_t* made,
                                      ze_module_build_log_handle_t* log) {
  SIMGPU_ZE_ENTER();
  if (description == nullptr || made == nullptr || description->pInputModule == nullptr)
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  SleepUntil(Now() + Settings::OfProcess().build_ms * 1'000'000);  // row M1: the build
  EngineLock lock(EngineMutex());
  if (Find<Context>(context) == nullptr || Find<Device>(device) == nullptr)
    return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  auto module = std::make_shared<Module>();
  module->kernel_names = KernelNames(*description);
  *made = static_cast<ze_module_handle_t>(NewHandle(std::move(module)));
  MakeLog(log);
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeModuleDestroy(ze_module_handle_t module) {
  SIMGPU_ZE_ENTER(Call::kAlways);
  return Destroy<Module>(module);
}

ze_result_t ZE_APICALL zeModuleDynamicLink(uint32_t, ze_module_handle_t* modules,
                                           ze_module_build_log_handle_t* log) {
  SIMGPU_ZE_ENTER();
  if (modules == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  MakeLog(log);
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeModuleBuildLogDestroy(ze_module_build_log_handle_t log) {
  SIMGPU_ZE_ENTER(Call::kAlways);
  return Destroy<BuildLog>(log);
}

ze_result_t ZE_APICALL zeModuleBuildLogGetString(ze_module_build_log_handle_t handle, size_t* size,
                                                 char* text) {
  SIMGPU_ZE_ENTER();
  EngineLock lock(EngineMutex());
  const auto log = Find<BuildLog>(handle);
  if (log == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  return GiveText(log->text, size, text);
}

ze_result_t ZE_APICALL zeModuleGetKernelNames(ze_module_handle_t handle, uint32_t* count,
                                              const char** names) {
  SIMGPU_ZE_ENTER();
  if (count == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  const auto module = Find<Module>(handle);
  if (module == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  const auto all = static_cast<uint32_t>(module->kernel_names.size());
  const uint32_t asked = *count == 0 ? all : std::min(*count, all);
  for (uint32_t i = 0; *count > 0 && names != nullptr && i < asked; ++i)
    names[i] = module->kernel_names[i].c_str();
  *count = asked;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeModuleGetProperties(ze_module_handle_t,
                                             ze_module_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  properties->flags = 0;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelCreate(ze_module_handle_t handle,
                                      const ze_kernel_desc_t* description,
                                      ze_kernel_handle_t* made) {
  SIMGPU_ZE_ENTER();
  if (description == nullptr || made == nullptr || description->pKernelName == nullptr)
    return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  const std::string name = description->pKernelName;
  const std::optional<uint64_t> rule = Durations::OfProcess().Rule(name.c_str());
  const char* hangs = Faults::OfProcess().Find("ze_hang");
  EngineLock lock(EngineMutex());
  const auto module = Find<Module>(handle);
  if (module == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  const auto& names = module->kernel_names;
  if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end())
    return ZE_RESULT_ERROR_INVALID_KERNEL_NAME;
  auto kernel = std::make_shared<Kernel>();
  kernel->name = name;
  kernel->has_rule = rule.has_value();
  kernel->rule_ns = rule.value_or(0);
  kernel->hangs = hangs != nullptr && fnmatch(hangs, name.c_str(), 0) == 0;
  *made = static_cast<ze_kernel_handle_t>(NewHandle(std::move(kernel)));
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelDestroy(ze_kernel_handle_t kernel) {
  SIMGPU_ZE_ENTER(Call::kAlways);
  return Destroy<Kernel>(kernel);
}

bool SetGroupSize(Kernel* kernel, uint32_t x, uint32_t y, uint32_t z) {
  if (x == 0 || y == 0 || z == 0 || uint64_t{x} * y * z > 1024) return false;
  kernel->group_size[0] = x;
  kernel->group_size[1] = y;
  kernel->group_size[2] = z;
  return true;
}

ze_result_t ZE_APICALL zeKernelSetGroupSize(ze_kernel_handle_t handle, uint32_t x, uint32_t y,
                                            uint32_t z) {
  SIMGPU_ZE_ENTER();
  EngineLock lock(EngineMutex());
  const auto kernel = Find<Kernel>(handle);
  if (kernel == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  const bool set = SetGroupSize(kernel.get(), x, y, z);
  return set ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION;
}

// Changes the indices that a kernel computes with, and ours compute nothing.
ze_result_t ZE_APICALL zeKernelSetGlobalOffsetExp(ze_kernel_handle_t handle, uint32_t, uint32_t,
                                                  uint32_t) {
  SIMGPU_ZE_ENTER();
  return FindKernel(handle) == nullptr ? ZE_RESULT_ERROR_INVALID_NULL_HANDLE : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSuggestGroupSize(ze_kernel_handle_t handle, uint32_t width, uint32_t,
                                                uint32_t, uint32_t* x, uint32_t* y, uint32_t* z) {
  SIMGPU_ZE_ENTER();
  if (FindKernel(handle) == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (x == nullptr || y == nullptr || z == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  *x = 256;
  while (*x > 1 && width % *x != 0) *x /= 2;
  *y = *z = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSuggestMaxCooperativeGroupCount(ze_kernel_handle_t handle,
                                                               uint32_t* count) {
  SIMGPU_ZE_ENTER();
  if (FindKernel(handle) == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (count == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  *count = 512;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSetArgumentValue(ze_kernel_handle_t handle, uint32_t index, size_t,
                                                const void*) {
  SIMGPU_ZE_ENTER();
  const auto kernel = FindKernel(handle);
  if (kernel == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  EngineLock lock(EngineMutex());
  kernel->arguments = std::max(kernel->arguments, index + 1);
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSetIndirectAccess(ze_kernel_handle_t handle,
                                                 ze_kernel_indirect_access_flags_t flags) {
  SIMGPU_ZE_ENTER();
  const auto kernel = FindKernel(handle);
  if (kernel == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  EngineLock lock(EngineMutex());
  kernel->indirect_access = flags;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelGetIndirectAccess(ze_kernel_handle_t handle,
                                                 ze_kernel_indirect_access_flags_t* flags) {
  SIMGPU_ZE_ENTER();
  const auto kernel = FindKernel(handle);
  if (kernel == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (flags == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  *flags = kernel->indirect_access;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelGetSourceAttributes(ze_kernel_handle_t handle, uint32_t* size,
                                                   char** text) {
  SIMGPU_ZE_ENTER();
  if (FindKernel(handle) == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (size == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (text != nullptr && *text != nullptr && *size > 0) **text = '\0';
  *size = 1;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelSetCacheConfig(ze_kernel_handle_t handle, ze_cache_config_flags_t) {
  SIMGPU_ZE_ENTER();
  return FindKernel(handle) == nullptr ? ZE_RESULT_ERROR_INVALID_NULL_HANDLE : ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelGetProperties(ze_kernel_handle_t handle,
                                             ze_kernel_properties_t* properties) {
  SIMGPU_ZE_ENTER();
  const auto kernel = FindKernel(handle);
  if (kernel == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  const ze_structure_type_t type = properties->stype;
  void* const next = properties->pNext;
  *properties = {};
  properties->stype = type;
  properties->pNext = next;
  properties->numKernelArgs = kernel->arguments;
  properties->maxSubgroupSize = 32;
  properties->maxNumSubgroups = 32;
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeKernelGetName(ze_kernel_handle_t handle, size_t* size, char* name) {
  SIMGPU_ZE_ENTER();
  const auto kernel = FindKernel(handle);
  if (kernel == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  return GiveText(kernel->name, size, name);
}

}  // namespace simgpu::level_zero
