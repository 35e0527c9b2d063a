// SPDX-License-Identifier: Apache-2.0
// Allocations. Memory of devices is memory of the host behind reserved address space.
#include "tests/simulated_gpu/level_zero/memory.h"

#include <sys/mman.h>

#include <list>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/faults.h"
#include "tests/simulated_gpu/engine/settings.h"
#include "tests/simulated_gpu/engine/truth.h"
#include "tests/simulated_gpu/level_zero/call.h"

namespace simgpu::level_zero {
namespace {

constexpr uint64_t kPage = 4096;

// Under the engine lock.
struct Memory {
  std::map<uintptr_t, Allocation> by_base;
  uint64_t allocations = 0;
  // Given back with DEFER_FREE, and the work after which it goes.
  std::list<std::pair<Allocation, Target>> deferred;
};
Memory& All() {
  static Memory& memory = *new Memory;
  return memory;
}

const char* NameOf(ze_memory_type_t type) {
  return type == ZE_MEMORY_TYPE_HOST ? "host" : type == ZE_MEMORY_TYPE_SHARED ? "shared" : "device";
}

void Tell(const char* op, const Allocation& memory) {
  if (!TruthIsOn()) return;
  TruthLine(op)
      .Text("kind", NameOf(memory.type))
      .Number("device", memory.device == nullptr ? 0 : memory.device->number)
      .Number("context", memory.context)
      .Number("address", memory.base)
      .Number("bytes", memory.bytes)
      .Text("call", CurrentCall())
      .Number("correlation", 0)
      .Number("thread", CurrentThreadId())
      .Number("time_ns", Now())
      .Write();
}

bool TakesDeviceMemory(const Allocation& memory) { return memory.type == ZE_MEMORY_TYPE_DEVICE; }

bool Map(Allocation* memory, uint64_t alignment) {
  const uint64_t more = alignment > kPage ? alignment : 0;
  memory->mapping_bytes = memory->bytes + more;
  memory->mapping = mmap(nullptr, memory->mapping_bytes, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory->mapping == MAP_FAILED) return false;
  madvise(memory->mapping, memory->mapping_bytes, MADV_DONTDUMP);
  memory->base = reinterpret_cast<uintptr_t>(memory->mapping);
  if (more != 0) memory->base = (memory->base + alignment - 1) / alignment * alignment;
  return true;
}

void Unmap(const Allocation& memory) {
  if (TakesDeviceMemory(memory)) memory.device->root->used_bytes -= memory.bytes;
  munmap(memory.mapping, memory.mapping_bytes);
}

void ReleaseDeferred() {
  const uint64_t now = Now();
  auto& deferred = All().deferred;
  for (auto it = deferred.begin(); it != deferred.end();) {
    Target::Over over;
    const bool is_over = it->second.When(now, &over) && over.ns <= now;
    if (is_over) Unmap(it->first);
    it = is_over ? deferred.erase(it) : std::next(it);
  }
}

struct Request {
  ze_context_handle_t context;
  ze_device_handle_t device;  // null for memory of the host
  size_t bytes, alignment;
};

ze_result_t Allocate(const Request& request, ze_memory_type_t type, void** address) {
  if (address == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  if (request.bytes == 0 || request.bytes > uint64_t{1} << 46)
    return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
  if ((request.alignment & (request.alignment - 1)) != 0)
    return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
  EngineLock lock(EngineMutex());
  const auto context = Find<Context>(request.context);
  const auto device = Find<Device>(request.device);
  if (context == nullptr || (type == ZE_MEMORY_TYPE_DEVICE && device == nullptr))
    return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
  ReleaseDeferred();
  const ze_result_t out_of_memory = type == ZE_MEMORY_TYPE_DEVICE
                                        ? ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY
                                        : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
  const Faults& faults = Faults::OfProcess();
  if (faults.Find("ze_out_of_memory") != nullptr &&
      ++All().allocations == faults.Number("ze_out_of_memory", 1))
    return out_of_memory;
  Allocation memory;
  memory.bytes = (request.bytes + kPage - 1) / kPage * kPage;
  memory.type = type;
  memory.context = context->id;
  memory.device = device.get();
  if (TakesDeviceMemory(memory)) {
    if (device->root->used_bytes + memory.bytes > simgpu::Settings::OfProcess().memory_bytes)
      return out_of_memory;
  }
  if (!Map(&memory, request.alignment)) return out_of_memory;
  if (TakesDeviceMemory(memory)) device->root->used_bytes += memory.bytes;
  static uint64_t next_id = 0;
  memory.id = ++next_id;
  All().by_base[memory.base] = memory;
  *address = reinterpret_cast<void*>(memory.base);
  Tell("alloc", memory);
  return ZE_RESULT_SUCCESS;
}

// The work of the context until now. Under the lock.
Target ContextWork(const Context& context) {
  Target target;
  for (const auto& stream : context.streams) {
    if (stream->last != nullptr) target.operations.push_back(stream->last);
  }
  return target;
}

ze_result_t Free(ze_context_handle_t handle, void* address, uint32_t policy) {
  if (address == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  const uintptr_t base = reinterpret_cast<uintptr_t>(address);
  Target work;
  {
    EngineLock lock(EngineMutex());
    const auto context = Find<Context>(handle);
    if (context == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_HANDLE;
    if (All().by_base.count(base) == 0) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
    if (policy != 0) work = ContextWork(*context);
  }
  if ((policy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_BLOCKING_FREE) != 0) {
    const ze_result_t result = HostWait(WaitClass::kAllocation, work, Record::kIfItWaited);
    if (result != ZE_RESULT_SUCCESS) return result;
  }
  EngineLock lock(EngineMutex());
  const auto found = All().by_base.find(base);
  if (found == All().by_base.end()) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  const Allocation memory = found->second;
  All().by_base.erase(found);
  Tell("free", memory);
  if ((policy & ZE_DRIVER_MEMORY_FREE_POLICY_EXT_FLAG_DEFER_FREE) != 0) {
    All().deferred.emplace_back(memory, std::move(work));
  } else {
    Unmap(memory);
  }
  return ZE_RESULT_SUCCESS;
}

bool IsOnDevice(const std::optional<Allocation>& memory) {
  return memory && memory->type != ZE_MEMORY_TYPE_HOST;
}

}  // namespace

std::optional<Allocation> FindMemory(const void* address) {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  const auto& by_base = All().by_base;
  const auto next = by_base.upper_bound(at);
  if (next == by_base.begin()) return std::nullopt;
  const Allocation& memory = std::prev(next)->second;
  if (at >= memory.base + memory.bytes) return std::nullopt;
  return memory;
}

CopyFacts CopyFactsOf(const void* to, const void* from) {
  EngineLock lock(EngineMutex());
  const auto target = FindMemory(to), source = FindMemory(from);
  const bool pageable = !target || !source;
  if (IsOnDevice(target) && IsOnDevice(source)) {
    const bool peers = target->device != nullptr && source->device != nullptr &&
                       target->device->root != source->device->root;
    return {peers ? CopyKind::kPeerToPeer : CopyKind::kDeviceToDevice, pageable};
  }
  if (IsOnDevice(target)) return {CopyKind::kHostToDevice, pageable};
  if (IsOnDevice(source)) return {CopyKind::kDeviceToHost, pageable};
  return {CopyKind::kHostToHost, pageable};
}

ze_result_t ZE_APICALL zeMemAllocDevice(ze_context_handle_t context,
                                        const ze_device_mem_alloc_desc_t*, size_t size,
                                        size_t alignment, ze_device_handle_t device,
                                        void** address) {
  SIMGPU_ZE_ENTER();
  return Allocate({context, device, size, alignment}, ZE_MEMORY_TYPE_DEVICE, address);
}

ze_result_t ZE_APICALL zeMemAllocHost(ze_context_handle_t context, const ze_host_mem_alloc_desc_t*,
                                      size_t size, size_t alignment, void** address) {
  SIMGPU_ZE_ENTER();
  return Allocate({context, nullptr, size, alignment}, ZE_MEMORY_TYPE_HOST, address);
}

ze_result_t ZE_APICALL zeMemAllocShared(ze_context_handle_t context,
                                        const ze_device_mem_alloc_desc_t*,
                                        const ze_host_mem_alloc_desc_t*, size_t size,
                                        size_t alignment, ze_device_handle_t device,
                                        void** address) {
  SIMGPU_ZE_ENTER();
  return Allocate({context, device, size, alignment}, ZE_MEMORY_TYPE_SHARED, address);
}

ze_result_t ZE_APICALL zeMemFree(ze_context_handle_t context, void* address) {
  SIMGPU_ZE_ENTER();
  return Free(context, address, 0);
}

ze_result_t ZE_APICALL zeMemFreeExt(ze_context_handle_t context,
                                    const ze_memory_free_ext_desc_t* description, void* address) {
  SIMGPU_ZE_ENTER();
  if (description == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  return Free(context, address, description->freePolicy);
}

ze_result_t ZE_APICALL zeMemGetAllocProperties(ze_context_handle_t, const void* address,
                                               ze_memory_allocation_properties_t* properties,
                                               ze_device_handle_t* device) {
  SIMGPU_ZE_ENTER();
  if (properties == nullptr) return ZE_RESULT_ERROR_INVALID_NULL_POINTER;
  EngineLock lock(EngineMutex());
  const auto memory = FindMemory(address);
  properties->type = memory ? memory->type : ZE_MEMORY_TYPE_UNKNOWN;
  properties->id = memory ? memory->id : 0;
  properties->pageSize = memory ? kPage : 0;
  if (device != nullptr) {
    const bool has_device = memory && memory->device != nullptr;
    *device = has_device ? static_cast<ze_device_handle_t>(memory->device->handle) : nullptr;
  }
  return ZE_RESULT_SUCCESS;
}

ze_result_t ZE_APICALL zeMemGetAddressRange(ze_context_handle_t, const void* address, void** base,
                                            size_t* size) {
  SIMGPU_ZE_ENTER();
  EngineLock lock(EngineMutex());
  const auto memory = FindMemory(address);
  if (!memory) return ZE_RESULT_ERROR_INVALID_ARGUMENT;
  if (base != nullptr) *base = reinterpret_cast<void*>(memory->base);
  if (size != nullptr) *size = memory->bytes;
  return ZE_RESULT_SUCCESS;
}

}  // namespace simgpu::level_zero
