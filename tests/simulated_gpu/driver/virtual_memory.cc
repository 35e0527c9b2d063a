// SPDX-License-Identifier: Apache-2.0
// The driver API: virtual memory management. Physical allocations are memory files, so that they
// can be mapped anywhere, many times, and by other processes.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <map>
#include <mutex>

#include "tests/simulated_gpu/driver/api.h"
#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/memory_file.h"
#include "tests/simulated_gpu/engine/memory_table.h"
#include "tests/simulated_gpu/engine/waits.h"

using simgpu::Allocation;
using simgpu::AsPointer;
using simgpu::Device;
using simgpu::DeviceAt;
using simgpu::Table;

namespace {

constexpr size_t kGranularity = 2 << 20;

struct Physical {
  int file = -1;
  size_t bytes = 0;
  Device* device = nullptr;
  bool counts = true;  // against the device's memory: made here, not imported
  int handles = 1, mappings = 0;
  CUmemAllocationProp properties{};
};

struct Mapping {
  CUmemGenericAllocationHandle handle;
  size_t bytes;
  std::map<int, CUmemAccess_flags> access;  // by device
};

struct State {
  std::mutex mutex;
  std::map<CUdeviceptr, size_t> reservations;
  std::map<CUmemGenericAllocationHandle, Physical> physical;
  std::map<CUdeviceptr, Mapping> mappings;
  CUmemGenericAllocationHandle next_handle = 1;
};

State& Memory() {
  static auto& state = *new State;
  return state;
}

bool IsWhole(size_t bytes) { return bytes != 0 && bytes % kGranularity == 0; }

// The functions below need the state's lock.
Physical* Find(CUmemGenericAllocationHandle handle) {
  const auto found = Memory().physical.find(handle);
  return found == Memory().physical.end() || found->second.handles == 0 ? nullptr : &found->second;
}

// Gives the memory back where nothing refers to it any more.
void Settle(CUmemGenericAllocationHandle handle) {
  const auto found = Memory().physical.find(handle);
  const Physical& physical = found->second;
  if (physical.handles != 0 || physical.mappings != 0) return;
  close(physical.file);
  if (physical.counts) {
    simgpu::EngineLock lock(simgpu::EngineMutex());
    physical.device->used_bytes -= physical.bytes;
  }
  Memory().physical.erase(found);
}

CUmemGenericAllocationHandle Keep(const Physical& physical) {
  const CUmemGenericAllocationHandle handle = Memory().next_handle++;
  Memory().physical[handle] = physical;
  return handle;
}

bool IsReserved(CUdeviceptr address, size_t bytes) {
  auto after = Memory().reservations.upper_bound(address);
  if (after == Memory().reservations.begin()) return false;
  const auto& [base, size] = *std::prev(after);
  return address + bytes <= base + size;
}

// Calls `see` for each mapping of the range; false unless they cover it wholly, and nothing else.
template <class See>
bool ForRange(CUdeviceptr address, size_t bytes, See see) {
  const CUdeviceptr end = address + bytes;
  for (CUdeviceptr at = address; at < end;) {
    const auto found = Memory().mappings.find(at);
    if (found == Memory().mappings.end() || at + found->second.bytes > end) return false;
    at += found->second.bytes;
  }
  for (CUdeviceptr at = address; at < end;) {
    const auto found = Memory().mappings.find(at);
    at += found->second.bytes;
    see(found);
  }
  return true;
}

// The mapping that holds the address, or null.
Mapping* MappingAt(CUdeviceptr address) {
  auto after = Memory().mappings.upper_bound(address);
  if (after == Memory().mappings.begin()) return nullptr;
  auto& [base, mapping] = *std::prev(after);
  return address < base + mapping.bytes ? &mapping : nullptr;
}

void Unmap(CUdeviceptr address, size_t bytes) {
  ForRange(address, bytes, [](auto found) {
    const auto [base, mapping] = *found;
    const auto memory = Table().FindBase(AsPointer(base));
    if (memory && Table().Erase(base))
      simgpu::TellMemory(simgpu::MemoryAction::kRelease, *memory, nullptr);
    mmap(AsPointer(base), mapping.bytes, PROT_NONE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    Memory().mappings.erase(found);
    --Memory().physical[mapping.handle].mappings;
    Settle(mapping.handle);
  });
}

}  // namespace

SIMGPU_CALL(kDriver, cuMemGetAllocationGranularity,
            (size_t * granularity, const CUmemAllocationProp* prop,
             CUmemAllocationGranularity_flags option),
            granularity, prop, option) {
  (void)option;
  if (granularity == nullptr || prop == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *granularity = kGranularity;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemAddressReserve,
            (CUdeviceptr * ptr, size_t size, size_t alignment, CUdeviceptr addr,
             unsigned long long flags),
            ptr, size, alignment, addr, flags) {
  (void)addr;  // a wish
  if (ptr == nullptr || !IsWhole(size) || flags != 0 || (alignment & (alignment - 1)) != 0)
    return CUDA_ERROR_INVALID_VALUE;
  const size_t aligned = std::max(alignment, kGranularity);
  void* mapped =
      mmap(nullptr, size + aligned, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) return CUDA_ERROR_OUT_OF_MEMORY;
  const auto begin = reinterpret_cast<CUdeviceptr>(mapped);
  *ptr = (begin + aligned - 1) / aligned * aligned;
  if (*ptr != begin) munmap(mapped, *ptr - begin);
  munmap(AsPointer(*ptr + size), begin + aligned - *ptr);
  std::lock_guard<std::mutex> lock(Memory().mutex);
  Memory().reservations[*ptr] = size;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemAddressFree, (CUdeviceptr ptr, size_t size), ptr, size) {
  std::lock_guard<std::mutex> lock(Memory().mutex);
  const auto found = Memory().reservations.find(ptr);
  if (found == Memory().reservations.end() || found->second != size)
    return CUDA_ERROR_INVALID_VALUE;
  const auto next = Memory().mappings.lower_bound(ptr);
  if (next != Memory().mappings.end() && next->first < ptr + size) return CUDA_ERROR_INVALID_VALUE;
  munmap(AsPointer(ptr), size);
  Memory().reservations.erase(found);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemCreate,
            (CUmemGenericAllocationHandle * handle, size_t size, const CUmemAllocationProp* prop,
             unsigned long long flags),
            handle, size, prop, flags) {
  if (handle == nullptr || prop == nullptr || !IsWhole(size) || flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (prop->location.type != CU_MEM_LOCATION_TYPE_DEVICE) return CUDA_ERROR_NOT_SUPPORTED;
  if ((prop->requestedHandleTypes & ~CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR) != 0)
    return CUDA_ERROR_NOT_SUPPORTED;
  Physical physical;
  physical.device = DeviceAt(prop->location.id);
  physical.bytes = size;
  physical.properties = *prop;
  if (physical.device == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  if (!simgpu::Reserve(physical.device, size)) return CUDA_ERROR_OUT_OF_MEMORY;
  physical.file = simgpu::MakeMemoryFile("simulated GPU memory");
  if (physical.file < 0 || ftruncate(physical.file, static_cast<off_t>(size)) != 0) {
    if (physical.file >= 0) close(physical.file);
    simgpu::EngineLock lock(simgpu::EngineMutex());
    physical.device->used_bytes -= size;
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  std::lock_guard<std::mutex> lock(Memory().mutex);
  *handle = Keep(physical);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemRelease, (CUmemGenericAllocationHandle handle), handle) {
  std::lock_guard<std::mutex> lock(Memory().mutex);
  Physical* physical = Find(handle);
  if (physical == nullptr) return CUDA_ERROR_INVALID_VALUE;
  --physical->handles;
  Settle(handle);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemMap,
            (CUdeviceptr ptr, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
             unsigned long long flags),
            ptr, size, offset, handle, flags) {
  std::lock_guard<std::mutex> lock(Memory().mutex);
  Physical* physical = Find(handle);
  if (physical == nullptr || flags != 0 || offset % kGranularity != 0 || !IsWhole(size) ||
      offset + size > physical->bytes || !IsReserved(ptr, size))
    return CUDA_ERROR_INVALID_VALUE;
  Allocation memory;
  memory.base = ptr;
  memory.bytes = size;
  memory.kind = simgpu::MemoryKind::kDevice;
  memory.origin = simgpu::MemoryOrigin::kMapping;
  memory.context = simgpu::PrimaryContext(physical->device);
  if (!Table().Insert(&memory)) return CUDA_ERROR_INVALID_VALUE;  // something is mapped there
  if (mmap(AsPointer(ptr), size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, physical->file,
           static_cast<off_t>(offset)) == MAP_FAILED) {
    Table().Erase(ptr);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  simgpu::TellMemory(simgpu::MemoryAction::kAllocate, memory, nullptr);
  Memory().mappings[ptr] = Mapping{handle, size, {}};
  ++physical->mappings;
  return CUDA_SUCCESS;
}

// docs/waits.md, row L11.
SIMGPU_CALL(kDriver, cuMemUnmap, (CUdeviceptr ptr, size_t size), ptr, size) {
  const uint64_t entry_ns = simgpu::Now();
  simgpu::Dependencies work;
  {
    std::lock_guard<std::mutex> lock(Memory().mutex);
    Device* device = nullptr;
    const bool whole = ForRange(
        ptr, size, [&](auto found) { device = Memory().physical[found->second.handle].device; });
    if (!whole || device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    simgpu::EngineLock engine(simgpu::EngineMutex());
    work = simgpu::DeviceWork(device);
  }
  simgpu::HostWait(simgpu::WaitClass::kAllocation, work, entry_ns, simgpu::Record::kIfItWaited);
  std::lock_guard<std::mutex> lock(Memory().mutex);
  Unmap(ptr, size);
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemSetAccess,
            (CUdeviceptr ptr, size_t size, const CUmemAccessDesc* desc, size_t count), ptr, size,
            desc, count) {
  if (desc == nullptr || count == 0 || size == 0) return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; ++i) {
    if (DeviceAt(desc[i].location.id) == nullptr) return CUDA_ERROR_INVALID_DEVICE;
  }
  std::lock_guard<std::mutex> lock(Memory().mutex);
  const bool whole = ForRange(ptr, size, [&](auto found) {
    for (size_t i = 0; i < count; ++i) {
      found->second.access[desc[i].location.id] = desc[i].flags;
    }
  });
  return whole ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIMGPU_CALL(kDriver, cuMemGetAccess,
            (unsigned long long* flags, const CUmemLocation* location, CUdeviceptr ptr), flags,
            location, ptr) {
  if (flags == nullptr || location == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::lock_guard<std::mutex> lock(Memory().mutex);
  Mapping* mapping = MappingAt(ptr);
  if (mapping == nullptr) return CUDA_ERROR_INVALID_VALUE;
  const auto found = mapping->access.find(location->id);
  *flags = found == mapping->access.end() ? CU_MEM_ACCESS_FLAGS_PROT_NONE : found->second;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemRetainAllocationHandle,
            (CUmemGenericAllocationHandle * handle, void* addr), handle, addr) {
  std::lock_guard<std::mutex> lock(Memory().mutex);
  const Mapping* mapping = MappingAt(reinterpret_cast<CUdeviceptr>(addr));
  if (mapping == nullptr || handle == nullptr) return CUDA_ERROR_INVALID_VALUE;
  ++Memory().physical[mapping->handle].handles;
  *handle = mapping->handle;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemGetAllocationPropertiesFromHandle,
            (CUmemAllocationProp * prop, CUmemGenericAllocationHandle handle), prop, handle) {
  std::lock_guard<std::mutex> lock(Memory().mutex);
  const Physical* physical = Find(handle);
  if (physical == nullptr || prop == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *prop = physical->properties;
  prop->allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_NONE;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kDriver, cuMemExportToShareableHandle,
            (void* shareableHandle, CUmemGenericAllocationHandle handle,
             CUmemAllocationHandleType handleType, unsigned long long flags),
            shareableHandle, handle, handleType, flags) {
  std::lock_guard<std::mutex> lock(Memory().mutex);
  const Physical* physical = Find(handle);
  const bool fits = physical != nullptr && shareableHandle != nullptr && flags == 0 &&
                    handleType == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR &&
                    (physical->properties.requestedHandleTypes & handleType) != 0;
  if (!fits) return CUDA_ERROR_INVALID_VALUE;
  const int copy = fcntl(physical->file, F_DUPFD_CLOEXEC, 0);
  if (copy < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  *static_cast<int*>(shareableHandle) = copy;
  return CUDA_SUCCESS;
}

SIMGPU_CALL(kContext, cuMemImportFromShareableHandle,
            (CUmemGenericAllocationHandle * handle, void* osHandle,
             CUmemAllocationHandleType shHandleType),
            handle, osHandle, shHandleType) {
  if (handle == nullptr || shHandleType != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR)
    return CUDA_ERROR_INVALID_VALUE;
  const int given = static_cast<int>(reinterpret_cast<uintptr_t>(osHandle));
  struct stat facts {};
  if (fstat(given, &facts) != 0 || !IsWhole(static_cast<size_t>(facts.st_size)))
    return CUDA_ERROR_INVALID_VALUE;
  Physical physical;
  physical.file = fcntl(given, F_DUPFD_CLOEXEC, 0);
  if (physical.file < 0) return CUDA_ERROR_OPERATING_SYSTEM;
  physical.bytes = static_cast<size_t>(facts.st_size);
  physical.device = simgpu::CurrentContext()->device;
  physical.counts = false;
  physical.properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  physical.properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  physical.properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  physical.properties.location.id = static_cast<int>(physical.device->ordinal);
  std::lock_guard<std::mutex> lock(Memory().mutex);
  *handle = Keep(physical);
  return CUDA_SUCCESS;
}
