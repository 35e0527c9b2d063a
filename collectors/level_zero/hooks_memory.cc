// SPDX-License-Identifier: Apache-2.0
// Memory, modules, kernels and contexts.
#include <cstring>

#include "collectors/level_zero/hooks.h"
#include "collectors/level_zero/kernel_names.h"
#include "collectors/level_zero/level_zero_source.h"
#include "collectors/level_zero/notes.h"

namespace syncline::level_zero::hooks {
namespace {

template <size_t kBytes>
constexpr CallName Name(const char (&text)[kBytes], CallRole role, uint8_t traits = 0) {
  return CallName(text, kBytes - 1, static_cast<uint8_t>(static_cast<uint8_t>(role) | traits), 0,
                  false);
}

constexpr CallName kAllocDevice = Name("zeMemAllocDevice", CallRole::kAllocate);
constexpr CallName kAllocShared = Name("zeMemAllocShared", CallRole::kAllocate);
constexpr CallName kAllocHost = Name("zeMemAllocHost", CallRole::kAllocateHost);
constexpr CallName kFree = Name("zeMemFree", CallRole::kFree, kCallIsAsync);
constexpr CallName kFreeExt = Name("zeMemFreeExt", CallRole::kFree, kCallIsAsync);
constexpr CallName kBlockingFree = Name("zeMemFreeExt", CallRole::kFree);
constexpr CallName kModuleCreate = Name("zeModuleCreate", CallRole::kLoad);
constexpr CallName kModuleLink = Name("zeModuleDynamicLink", CallRole::kLoad);

template <typename Call>
ze_result_t Allocate(const CallName& name, MemoryKind kind, size_t bytes, ze_device_handle_t device,
                     void** out, Call call) {
  const WatchedCall watched = {&name, NextCorrelation()};
  const uint64_t begun = g_calls.Begin(watched);
  const ze_result_t result = call();
  if (result == ZE_RESULT_SUCCESS && out != nullptr) {
    Allocation* memory = g_objects.allocations.Insert(*out);
    if (memory != nullptr) {
      *memory = {bytes, device == nullptr ? nullptr : DeviceOf(device), kind};
      TellAllocation(watched.correlation, *out, *memory, true);
    }
  }
  g_calls.End(watched, begun, static_cast<uint32_t>(result));
  return result;
}

// It is forgotten first: another thread may get the same address at once.
template <typename Call>
ze_result_t Free(const CallName& name, void* address, Call call) {
  const WatchedCall watched = {&name, NextCorrelation()};
  const Allocation* known = g_objects.allocations.Find(address);
  const Allocation memory = known == nullptr ? Allocation() : *known;
  if (known != nullptr) g_objects.allocations.Erase(address);
  const uint64_t begun = g_calls.Begin(watched);
  const ze_result_t result = call();
  if (result == ZE_RESULT_SUCCESS) TellAllocation(watched.correlation, address, memory, false);
  g_calls.End(watched, begun, static_cast<uint32_t>(result));
  return result;
}

template <typename Call>
ze_result_t Build(const CallName& name, Call call) {
  const WatchedCall watched = {&name, NextCorrelation()};
  const uint64_t begin = SharedNow();
  const uint64_t begun = g_calls.Begin(watched);
  const ze_result_t result = call();
  if (result == ZE_RESULT_SUCCESS) TellBuild(watched.correlation, begin);
  g_calls.End(watched, begun, static_cast<uint32_t>(result));
  return result;
}

}  // namespace

ze_result_t MemAllocDevice(ze_context_handle_t context, const ze_device_mem_alloc_desc_t* desc,
                           size_t bytes, size_t alignment, ze_device_handle_t device, void** out) {
  return Allocate(kAllocDevice, MemoryKind::kDevice, bytes, device, out, [&] {
    return g_api.MemAllocDevice(context, desc, bytes, alignment, device, out);
  });
}

ze_result_t MemAllocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t* desc,
                         size_t bytes, size_t alignment, void** out) {
  return Allocate(kAllocHost, MemoryKind::kPinned, bytes, nullptr, out,
                  [&] { return g_api.MemAllocHost(context, desc, bytes, alignment, out); });
}

ze_result_t MemAllocShared(ze_context_handle_t context, const ze_device_mem_alloc_desc_t* desc,
                           const ze_host_mem_alloc_desc_t* host_desc, size_t bytes,
                           size_t alignment, ze_device_handle_t device, void** out) {
  return Allocate(kAllocShared, MemoryKind::kManaged, bytes, device, out, [&] {
    return g_api.MemAllocShared(context, desc, host_desc, bytes, alignment, device, out);
  });
}

ze_result_t MemFree(ze_context_handle_t context, void* address) {
  return Free(kFree, address, [&] { return g_api.MemFree(context, address); });
}

ze_result_t MemFreeExt(ze_context_handle_t context, const ze_memory_free_ext_desc_t* desc,
                       void* address) {
  const bool blocks = desc != nullptr &&
                      (desc->freePolicy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE) != 0;
  return Free(blocks ? kBlockingFree : kFreeExt, address,
              [&] { return g_api.MemFreeExt(context, desc, address); });
}

ze_result_t ModuleCreate(ze_context_handle_t context, ze_device_handle_t device,
                         const ze_module_desc_t* desc, ze_module_handle_t* out,
                         ze_module_build_log_handle_t* log) {
  return Build(kModuleCreate, [&] { return g_api.ModuleCreate(context, device, desc, out, log); });
}

ze_result_t ModuleDynamicLink(uint32_t count, ze_module_handle_t* modules,
                              ze_module_build_log_handle_t* log) {
  return Build(kModuleLink, [&] { return g_api.ModuleDynamicLink(count, modules, log); });
}

ze_result_t KernelCreate(ze_module_handle_t module, const ze_kernel_desc_t* desc,
                         ze_kernel_handle_t* out) {
  const ze_result_t result = g_api.KernelCreate(module, desc, out);
  if (result != ZE_RESULT_SUCCESS || out == nullptr || desc == nullptr) return result;
  if (Kernel* kernel = Keep(&g_objects.kernels, *out))
    kernel->name = KeepKernelName(desc->pKernelName);
  return result;
}

ze_result_t KernelDestroy(ze_kernel_handle_t handle) {
  g_objects.kernels.Erase(handle);
  return g_api.KernelDestroy(handle);
}

ze_result_t KernelSetGroupSize(ze_kernel_handle_t handle, uint32_t x, uint32_t y, uint32_t z) {
  const ze_result_t result = g_api.KernelSetGroupSize(handle, x, y, z);
  Kernel* kernel = g_objects.kernels.Find(handle);
  if (result != ZE_RESULT_SUCCESS || kernel == nullptr) return result;
  kernel->group[0].store(x, std::memory_order_relaxed);
  kernel->group[1].store(y, std::memory_order_relaxed);
  kernel->group[2].store(z, std::memory_order_relaxed);
  return result;
}

ze_result_t ContextDestroy(ze_context_handle_t handle) {
  const Destruction destruction;
  if (!destruction) return ZE_RESULT_SUCCESS;
  ForgetPoolsOf(handle);
  Context* context = ForgetContext(handle);
  if (context != nullptr && !EndContext(context)) return ZE_RESULT_SUCCESS;
  return g_api.ContextDestroy(handle);
}

}  // namespace syncline::level_zero::hooks
