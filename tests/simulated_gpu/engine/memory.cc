// SPDX-License-Identifier: Apache-2.0
// Allocations that are not stream ordered, and the table of all memory that the driver knows.
#include "tests/simulated_gpu/engine/memory.h"

#include <cuda.h>
#include <sys/mman.h>

#include <algorithm>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/device_facts.h"
#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/faults.h"
#include "tests/simulated_gpu/engine/graph_memory.h"
#include "tests/simulated_gpu/engine/interprocess.h"
#include "tests/simulated_gpu/engine/memory_table.h"
#include "tests/simulated_gpu/engine/truth.h"
#include "tests/simulated_gpu/engine/waits.h"

namespace simgpu {
namespace {

bool CountsAgainstDevice(MemoryKind kind) { return kind == MemoryKind::kDevice; }

// What allocations may take in all. Under the engine lock.
uint64_t Capacity(const Device* device) {
  const Faults& faults = Faults::OfProcess();
  if (faults.Find("out_of_memory") != nullptr) return faults.Number("out_of_memory", 0);
  return DeviceMemoryBytes() - std::min(DeviceMemoryBytes(), device->context_bytes);
}

// Under the engine lock: gives back cached blocks of the device's pools whose free has happened.
void ReleaseCached(Device* device, uint64_t now) {
  for (Pool* pool : AllPools()) {
    if (pool->device != device) continue;
    for (auto block = pool->cached.begin(); block != pool->cached.end();) {
      block = IsOver(&block->second.free_from, now) ? ReleaseBlock(pool, block) : std::next(block);
    }
  }
}

const char* NameOf(const Allocation& memory) {
  if (memory.pool != nullptr) return "pool";
  if (memory.origin == MemoryOrigin::kGraph) return "graph";
  if (memory.origin == MemoryOrigin::kMapping) return "mapping";
  switch (memory.kind) {
    case MemoryKind::kPinned:
      return "pinned";
    case MemoryKind::kManaged:
      return "managed";
    default:
      return "device";
  }
}

}  // namespace

MemoryTable& Table() {
  static MemoryTable& table = *new MemoryTable;
  return table;
}

bool ReserveNow(Device* device, uint64_t bytes) {
  if (device->used_bytes + bytes > Capacity(device)) ReleaseCached(device, Now());
  if (device->used_bytes + bytes > Capacity(device)) return false;
  device->used_bytes += bytes;
  return true;
}

bool Reserve(Device* device, uint64_t bytes) {
  const auto try_once = [&] {
    EngineLock lock(EngineMutex());
    return ReserveNow(device, bytes);
  };
  if (try_once()) return true;
  const uint64_t entry_ns = Now();
  Dependencies work;
  {
    EngineLock lock(EngineMutex());
    bool may_help = false;
    for (const Pool* pool : AllPools())
      may_help = may_help || (pool->device == device && !pool->cached.empty());
    if (!may_help) return false;
    work = DeviceWork(device);
  }
  HostWait(WaitClass::kAllocation, work, entry_ns, Record::kIfItWaited);
  return try_once();
}

void* Map(uint64_t bytes) {
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (address == MAP_FAILED) return nullptr;
  // The pages are not the program's: a core or a fork's child has no use of them.
  madvise(address, bytes, MADV_DONTDUMP);
  return address;
}

uint64_t RoundToPage(uint64_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

void TellMemory(MemoryAction action, const Allocation& memory, const Stream* stream) {
  const Device* device = memory.context->device;
  if (TruthIsOn()) {
    TruthLine line(action == MemoryAction::kAllocate ? "alloc" : "free");
    line.Text("kind", NameOf(memory))
        .Number("device", device->ordinal)
        .Number("context", memory.context->id)
        .Number("address", memory.base)
        .Number("bytes", memory.bytes)
        .Text("call", OutermostCall())
        .Number("correlation", CurrentCorrelation())
        .Number("thread", CurrentTid())
        .Number("time_ns", Now());
    if (stream != nullptr) line.Number("stream", stream->id);
    line.Write();
  }
  // CUPTI's documentation names no record for memory of graphs and mappings.
  if (!Observed(kMemory) || memory.origin != MemoryOrigin::kCall) return;
  const Observer* observer = CurrentObserver();
  if (observer == nullptr || observer->memory == nullptr) return;
  MemoryEvent event{};
  event.action = action;
  event.kind = memory.kind;
  event.is_async = stream != nullptr;
  event.correlation = CurrentCorrelation();
  event.device = device->ordinal;
  event.context_id = memory.context->id;
  event.stream_id = stream == nullptr ? 0 : stream->id;
  event.address = memory.base;
  event.bytes = memory.bytes;
  event.time_ns = Now();
  if (memory.pool != nullptr) {
    EngineLock lock(EngineMutex());
    event.pool = reinterpret_cast<uint64_t>(memory.pool);
    event.pool_release_threshold = memory.pool->release_threshold;
    event.pool_bytes = memory.pool->reserved;
    event.pool_used_bytes = memory.pool->used;
  }
  observer->memory(&event);
}

int Allocate(Context* context, uint64_t bytes, MemoryKind kind, unsigned flags, void** address) {
  *address = nullptr;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (bytes > (1ull << 46)) return CUDA_ERROR_OUT_OF_MEMORY;
  Allocation memory;
  memory.bytes = RoundToPage(bytes);
  memory.kind = kind;
  memory.flags = flags;
  memory.context = context;
  if (CountsAgainstDevice(kind) && !Reserve(context->device, memory.bytes))
    return CUDA_ERROR_OUT_OF_MEMORY;
  *address = Map(memory.bytes);
  if (*address == nullptr) {
    EngineLock lock(EngineMutex());
    if (CountsAgainstDevice(kind)) context->device->used_bytes -= memory.bytes;
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  memory.base = reinterpret_cast<uintptr_t>(*address);
  Table().Insert(&memory);
  TellMemory(MemoryAction::kAllocate, memory, nullptr);
  return CUDA_SUCCESS;
}

int Free(void* address, bool host) {
  if (address == nullptr) return CUDA_SUCCESS;
  const std::optional<Allocation> memory = Table().FindBase(address);
  if (!memory || memory->registered || host != (memory->kind == MemoryKind::kPinned))
    return CUDA_ERROR_INVALID_VALUE;
  if (memory->origin == MemoryOrigin::kMapping || memory->origin == MemoryOrigin::kOtherProcess)
    return CUDA_ERROR_INVALID_VALUE;
  if (memory->pool != nullptr) return FreeOrdered(address, memory->context->legacy);
  const uint64_t entry_ns = Now();
  Dependencies work;
  {
    EngineLock lock(EngineMutex());
    if (host) {
      for (Device* device : Devices()) work.Merge(DeviceWork(device));
    } else {
      work = DeviceWork(memory->context->device);
    }
  }
  HostWait(WaitClass::kAllocation, work, entry_ns, Record::kIfItWaited);
  if (memory->origin == MemoryOrigin::kGraph)
    return FreeGraphMemory(memory->base, memory->context->legacy);
  if (!Table().Erase(memory->base)) return CUDA_ERROR_INVALID_VALUE;  // another thread was quicker
  TellMemory(MemoryAction::kRelease, *memory, nullptr);
  munmap(address, memory->bytes);
  ForgetShared(memory->id);
  if (CountsAgainstDevice(memory->kind)) {
    EngineLock lock(EngineMutex());
    memory->context->device->used_bytes -= memory->bytes;
  }
  return CUDA_SUCCESS;
}

int RegisterHost(Context* context, void* address, uint64_t bytes, unsigned flags) {
  if (address == nullptr || bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  Allocation memory;
  memory.base = reinterpret_cast<uintptr_t>(address);
  memory.bytes = bytes;
  memory.kind = MemoryKind::kPinned;
  memory.flags = flags;
  memory.registered = true;
  memory.context = context;
  return Table().Insert(&memory) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
}

int UnregisterHost(void* address) {
  const std::optional<Allocation> memory = Table().FindBase(address);
  if (!memory || !memory->registered) return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  const uint64_t entry_ns = Now();
  Dependencies work;
  {
    EngineLock lock(EngineMutex());
    for (Device* device : Devices()) work.Merge(DeviceWork(device));
  }
  HostWait(WaitClass::kAllocation, work, entry_ns, Record::kIfItWaited);
  return Table().Erase(memory->base) ? CUDA_SUCCESS : CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
}

std::optional<Allocation> FindMemory(const void* address) { return Table().Find(address); }

void MemoryInfo(Device* device, uint64_t* free_bytes, uint64_t* total_bytes) {
  EngineLock lock(EngineMutex());
  *total_bytes = DeviceMemoryBytes();
  const uint64_t capacity = std::min(Capacity(device), *total_bytes);
  *free_bytes = capacity - std::min(capacity, device->used_bytes);
}

void FreeContextMemory(Context* context) {
  for (const Allocation& memory : Table().OfContext(context)) {
    if (memory.origin == MemoryOrigin::kMapping) continue;  // of the process
    Table().Erase(memory.base);
    if (memory.registered) continue;
    if (memory.origin != MemoryOrigin::kCall) {  // its bytes are counted elsewhere
      munmap(reinterpret_cast<void*>(memory.base), memory.bytes);
      continue;
    }
    ForgetShared(memory.id);
    TellMemory(MemoryAction::kRelease, memory, nullptr);
    munmap(reinterpret_cast<void*>(memory.base), memory.bytes);
    EngineLock lock(EngineMutex());
    if (CountsAgainstDevice(memory.kind)) context->device->used_bytes -= memory.bytes;
    if (memory.pool != nullptr) {
      memory.pool->used -= memory.bytes;
      memory.pool->reserved -= memory.bytes;
    }
  }
}

}  // namespace simgpu
