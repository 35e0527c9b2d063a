// SPDX-License-Identifier: Apache-2.0
// The stream-ordered allocator: memory pools. A block that was freed stays mapped until the stream
// has come to the free.
#include <cuda.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/engine/driver_state.h"
#include "tests/simulated_gpu/engine/graph_memory.h"
#include "tests/simulated_gpu/engine/memory_table.h"
#include "tests/simulated_gpu/engine/waits.h"

namespace simgpu {
namespace {

std::vector<Pool*>& Pools() {
  static auto& pools = *new std::vector<Pool*>;
  return pools;
}

struct PoolsOfDevice {
  Pool* standard = nullptr;
  Pool* current = nullptr;
};

PoolsOfDevice& PoolsOf(const Device* device) {  // under the engine lock
  static auto& by_device = *new std::map<const Device*, PoolsOfDevice>;
  return by_device[device];
}

void TellPool(PoolAction action, const Pool& pool, uint64_t keep) {
  if (!Observed(kPools)) return;
  const Observer* observer = CurrentObserver();
  if (observer == nullptr || observer->pool == nullptr) return;
  PoolEvent event{};
  event.action = action;
  event.correlation = CurrentCorrelation();
  event.device = pool.device->ordinal;
  event.pool = reinterpret_cast<uint64_t>(&pool);
  {
    EngineLock lock(EngineMutex());
    event.bytes = pool.reserved;
    event.used_bytes = pool.used;
    event.release_threshold = pool.release_threshold;
  }
  event.least_bytes_to_keep = keep;
  event.time_ns = Now();
  observer->pool(&event);
}

Pool* MakePool(Device* device) {
  auto* pool = new Pool;
  pool->device = device;
  EngineLock lock(EngineMutex());
  Pools().push_back(pool);
  return pool;
}

// Under the lock: gives back blocks whose free is over, until not more than `keep` is reserved.
void Trim(Pool* pool, uint64_t keep, uint64_t now) {
  for (auto block = pool->cached.begin(); block != pool->cached.end() && pool->reserved > keep;) {
    block = IsOver(&block->second.free_from, now) ? ReleaseBlock(pool, block) : std::next(block);
  }
}

// Under the lock: a cached block of that size that this stream may use now, or null in base.
Allocation TakeCached(Pool* pool, Stream* stream, uint64_t bytes) {
  const auto [begin, end] = pool->cached.equal_range(bytes);
  const uint64_t now = Now();
  for (auto block = begin; block != end; ++block) {
    Point& free_from = block->second.free_from;
    // Freed in this stream: its order is enough. Else only when the free has happened.
    const bool same_stream = block->second.memory.flags == stream->id;
    if (!same_stream && !IsOver(&free_from, now)) continue;
    const Allocation memory = block->second.memory;
    pool->cached.erase(block);
    return memory;
  }
  return Allocation{};
}

}  // namespace

const std::vector<Pool*>& AllPools() { return Pools(); }

std::multimap<uint64_t, Pool::Block>::iterator ReleaseBlock(
    Pool* pool, std::multimap<uint64_t, Pool::Block>::iterator block) {
  const Allocation& memory = block->second.memory;
  munmap(reinterpret_cast<void*>(memory.base), memory.bytes);
  pool->reserved -= memory.bytes;
  pool->device->used_bytes -= memory.bytes;
  return pool->cached.erase(block);
}

Pool* DefaultPool(Device* device) {
  {
    EngineLock lock(EngineMutex());
    if (PoolsOf(device).standard != nullptr) return PoolsOf(device).standard;
  }
  Pool* made = MakePool(device);
  made->is_default = true;
  EngineLock lock(EngineMutex());
  Pool*& standard = PoolsOf(device).standard;
  if (standard == nullptr) standard = made;
  return standard;
}

Pool*& CurrentPool(Device* device) {
  Pool* standard = DefaultPool(device);
  EngineLock lock(EngineMutex());
  Pool*& current = PoolsOf(device).current;
  if (current == nullptr || !current->alive) current = standard;
  return current;
}

Pool* CreatePool(Device* device) {
  Pool* pool = MakePool(device);
  TellPool(PoolAction::kCreated, *pool, 0);
  return pool;
}

void DestroyPool(Pool* pool) {
  TellPool(PoolAction::kDestroyed, *pool, 0);
  EngineLock lock(EngineMutex());
  pool->alive = false;
  Trim(pool, 0, Now());
}

Pool* AsPool(const void* handle) {
  EngineLock lock(EngineMutex());
  for (Pool* pool : Pools()) {
    if (pool == handle) return pool->alive ? pool : nullptr;
  }
  return nullptr;
}

int AllocateFromPool(Pool* pool, Stream* stream, uint64_t bytes, void** address) {
  *address = nullptr;
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  const uint64_t rounded = RoundToPage(bytes);
  Allocation memory;
  {
    EngineLock lock(EngineMutex());
    memory = TakeCached(pool, stream, rounded);
  }
  if (memory.base == 0) {
    if (!Reserve(pool->device, rounded)) return CUDA_ERROR_OUT_OF_MEMORY;
    void* mapped = Map(rounded);
    EngineLock lock(EngineMutex());
    if (mapped == nullptr) {
      pool->device->used_bytes -= rounded;
      return CUDA_ERROR_OUT_OF_MEMORY;
    }
    memory.base = reinterpret_cast<uintptr_t>(mapped);
    memory.bytes = rounded;
    memory.kind = MemoryKind::kDevice;
    memory.pool = pool;
    pool->reserved += rounded;
    pool->reserved_high = std::max(pool->reserved_high, pool->reserved);
  }
  memory.context = stream->context;
  memory.flags = 0;
  {
    EngineLock lock(EngineMutex());
    pool->used += rounded;
    pool->used_high = std::max(pool->used_high, pool->used);
  }
  Table().Insert(&memory);
  TellMemory(MemoryAction::kAllocate, memory, stream);
  *address = reinterpret_cast<void*>(memory.base);
  return CUDA_SUCCESS;
}

int FreeOrdered(void* address, Stream* stream) {
  std::optional<Allocation> memory = Table().FindBase(address);
  if (memory && memory->origin == MemoryOrigin::kGraph)
    return FreeGraphMemory(memory->base, stream);
  if (!memory || memory->pool == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (!Table().Erase(memory->base)) return CUDA_ERROR_INVALID_VALUE;
  {
    EngineLock lock(EngineMutex());
    Pool* pool = memory->pool;
    pool->used -= memory->bytes;
    const Dependencies order = StreamOrder(stream);
    Point free_from{order.ns(), 0, nullptr};
    if (!order.known()) free_from = Point{0, 0, order.pending().back()};
    memory->flags = stream->id;  // whose stream's order covers the free
    pool->cached.emplace(memory->bytes, Pool::Block{*memory, free_from});
  }
  TellMemory(MemoryAction::kRelease, *memory, stream);
  return CUDA_SUCCESS;
}

int TrimPool(Pool* pool, uint64_t keep_bytes) {
  const uint64_t entry_ns = Now();
  Dependencies work;
  bool gives_back = false;
  {
    EngineLock lock(EngineMutex());
    gives_back = !pool->cached.empty() && pool->reserved > keep_bytes;
    if (gives_back) work = DeviceWork(pool->device);
  }
  if (gives_back) HostWait(WaitClass::kAllocation, work, entry_ns, Record::kIfItWaited);
  {
    EngineLock lock(EngineMutex());
    Trim(pool, keep_bytes, Now());
  }
  TellPool(PoolAction::kTrimmed, *pool, keep_bytes);
  return CUDA_SUCCESS;
}

void ReleasePools(Device* device) {
  EngineLock lock(EngineMutex());
  for (Pool* pool : Pools()) {
    if (pool->device == device) Trim(pool, pool->release_threshold, Now());
  }
}

}  // namespace simgpu
