// SPDX-License-Identifier: Apache-2.0
// The memory of simulated devices: reserved address space that costs host memory only where bytes
// were really written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tests/simulated_gpu/engine/model.h"
#include "tests/simulated_gpu/engine/observer.h"
#include "tests/simulated_gpu/engine/timeline.h"

namespace simgpu {

struct Pool;

constexpr uint64_t kPage = 4096;

enum class MemoryOrigin : uint8_t {
  kCall,          // one call, and its stream-ordered kin
  kGraph,         // an allocation node
  kMapping,       // cuMemMap
  kOtherProcess,  // an IPC handle
};

struct Allocation {
  uintptr_t base = 0;
  uint64_t bytes = 0;
  MemoryKind kind = MemoryKind::kPageable;
  uint64_t id = 0;
  unsigned flags = 0;       // of cuMemHostAlloc, cuMemHostRegister, cuMemAllocManaged
  bool registered = false;  // the program's own memory, pinned
  MemoryOrigin origin = MemoryOrigin::kCall;
  Context* context = nullptr;
  Pool* pool = nullptr;
};

// A pool of the stream-ordered allocator. Guarded by the engine lock.
struct Pool {
  struct Block {
    Allocation memory;
    Point free_from;  // the stream-ordered free has happened
  };
  bool alive = true, is_default = false;
  Device* device = nullptr;
  uint64_t release_threshold = 0, reserved = 0, used = 0, reserved_high = 0, used_high = 0;
  std::multimap<uint64_t, Block> cached;  // by size
};

inline bool IsOnDevice(MemoryKind kind) {
  return kind == MemoryKind::kDevice || kind == MemoryKind::kManaged ||
         kind == MemoryKind::kDeviceStatic;
}

// The functions answer with a CUresult and take what locks they need. They block where
// docs/waits.md says so.
int Allocate(Context* context, uint64_t bytes, MemoryKind kind, unsigned flags, void** address);
int AllocateFromPool(Pool* pool, Stream* stream, uint64_t bytes, void** address);
// `stream` of a stream-ordered free, else null; `wanted`: what kinds this call frees.
int Free(void* address, bool host);
int FreeOrdered(void* address, Stream* stream);
int RegisterHost(Context* context, void* address, uint64_t bytes, unsigned flags);
int UnregisterHost(void* address);
std::optional<Allocation> FindMemory(const void* address);
void MemoryInfo(Device* device, uint64_t* free_bytes, uint64_t* total_bytes);
// All memory of a context that is destroyed.
void FreeContextMemory(Context* context);

Pool* DefaultPool(Device* device);
Pool*& CurrentPool(Device* device);
Pool* CreatePool(Device* device);
void DestroyPool(Pool* pool);
Pool* AsPool(const void* handle);
int TrimPool(Pool* pool, uint64_t keep_bytes);
// At a synchronisation: gives back what is over the pools' release thresholds.
void ReleasePools(Device* device);

}  // namespace simgpu
