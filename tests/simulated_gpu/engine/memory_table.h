// SPDX-License-Identifier: Apache-2.0
// The table of all memory the driver knows, by address; and what memory.cc and pools.cc share.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "tests/simulated_gpu/engine/memory.h"

namespace simgpu {

// Has a lock of its own, a leaf.
class MemoryTable {
 public:
  // False where it overlaps with known memory. Gives it its id.
  bool Insert(Allocation* memory);
  bool Erase(uintptr_t base);
  std::optional<Allocation> Find(const void* address) const;      // the one that holds the address
  std::optional<Allocation> FindBase(const void* address) const;  // the one that begins there
  std::vector<Allocation> OfContext(const Context* context) const;

 private:
  mutable std::mutex mutex_;
  std::map<uintptr_t, Allocation> by_base_;
  uint64_t next_id_ = 1;
};

MemoryTable& Table();
const std::vector<Pool*>& AllPools();  // under the engine lock

// Takes `bytes` from the device's memory; may wait for stream-ordered frees. Without the engine
// lock.
bool Reserve(Device* device, uint64_t bytes);
bool ReserveNow(Device* device, uint64_t bytes);  // under the engine lock; never waits
void* Map(uint64_t bytes);                        // null where the system has no address space left
uint64_t RoundToPage(uint64_t bytes);
void TellMemory(MemoryAction action, const Allocation& memory, const Stream* stream);
// Under the engine lock: unmaps a cached block; the iterator behind it.
std::multimap<uint64_t, Pool::Block>::iterator ReleaseBlock(
    Pool* pool, std::multimap<uint64_t, Pool::Block>::iterator block);

}  // namespace simgpu
