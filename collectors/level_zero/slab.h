// SPDX-License-Identifier: Apache-2.0
// A fixed number of elements in memory that is mapped at the first use and touched as it is used:
// no heap, no lock.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstdint>

#include "collectors/level_zero/free_list.h"
#include "inject/core/sys.h"

namespace syncline::level_zero {

// Zeros for `count` elements. Any thread, of which one maps. Null: no memory.
template <typename Element>
Element* MapOnce(std::atomic<Element*>* place, size_t count) {
  Element* known = place->load(std::memory_order_acquire);
  if (known != nullptr) return known;
  void* memory = SysMap(sizeof(Element) * count, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1);
  auto* fresh = static_cast<Element*>(memory);
  if (memory == nullptr || place->compare_exchange_strong(known, fresh, std::memory_order_acq_rel))
    return fresh;
  SysUnmap(memory, sizeof(Element) * count);
  return known;
}

// Elements have a word `next`. They begin as zeros, and keep what they held when they are taken
// again. Any thread.
template <typename Element, uint32_t kCount>
class Slab {
 public:
  // kNone: all are taken, or there is no memory.
  uint32_t Take() {
    if (MapOnce(&elements_, kCount) == nullptr) return kNone;
    const uint32_t again = free_.Pop(NextOf());
    if (again != kNone) return again;
    if (used_.load(std::memory_order_relaxed) >= kCount) return kNone;
    const uint32_t fresh = used_.fetch_add(1, std::memory_order_relaxed);
    return fresh < kCount ? fresh : kNone;
  }
  void GiveBack(uint32_t index) { free_.Push(index, NextOf()); }

  Element& operator[](uint32_t index) { return elements_.load(std::memory_order_acquire)[index]; }

  // How many were ever taken.
  uint32_t used() const {
    const uint32_t used = used_.load(std::memory_order_relaxed);
    return used < kCount ? used : kCount;
  }

  // For FreeList.
  auto NextOf() {
    return [this](uint32_t index) -> std::atomic<uint32_t>& { return (*this)[index].next; };
  }

 private:
  std::atomic<Element*> elements_{nullptr};
  std::atomic<uint32_t> used_{0};
  FreeList free_;
};

}  // namespace syncline::level_zero
