// SPDX-License-Identifier: Apache-2.0
// The table of all memory the driver knows.
#include "tests/simulated_gpu/engine/memory_table.h"

namespace simgpu {

bool MemoryTable::Insert(Allocation* memory) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto next = by_base_.lower_bound(memory->base);
  if (next != by_base_.end() && next->first < memory->base + memory->bytes) return false;
  if (next != by_base_.begin()) {
    const Allocation& before = std::prev(next)->second;
    if (before.base + before.bytes > memory->base) return false;
  }
  memory->id = next_id_++;
  by_base_[memory->base] = *memory;
  return true;
}

bool MemoryTable::Erase(uintptr_t base) {
  std::lock_guard<std::mutex> lock(mutex_);
  return by_base_.erase(base) != 0;
}

std::optional<Allocation> MemoryTable::Find(const void* address) const {
  const uintptr_t at = reinterpret_cast<uintptr_t>(address);
  std::lock_guard<std::mutex> lock(mutex_);
  auto next = by_base_.upper_bound(at);
  if (next == by_base_.begin()) return std::nullopt;
  const Allocation& memory = std::prev(next)->second;
  if (at >= memory.base + memory.bytes) return std::nullopt;
  return memory;
}

std::optional<Allocation> MemoryTable::FindBase(const void* address) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = by_base_.find(reinterpret_cast<uintptr_t>(address));
  if (found == by_base_.end()) return std::nullopt;
  return found->second;
}

std::vector<Allocation> MemoryTable::OfContext(const Context* context) const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<Allocation> all;
  for (const auto& [base, memory] : by_base_) {
    if (memory.context == context) all.push_back(memory);
  }
  return all;
}

}  // namespace simgpu
