// SPDX-License-Identifier: Apache-2.0
// A lock-free stack of indices into an array whose elements have a word `next` for it.
#pragma once

#include <atomic>
#include <cstdint>

namespace syncline::level_zero {

inline constexpr uint32_t kNone = UINT32_MAX;

// Any thread. The upper half of the head counts, so that an index that came back meanwhile is not
// taken for the same.
class FreeList {
 public:
  template <typename NextOf>  // NextOf(index): the element's std::atomic<uint32_t>&
  void Push(uint32_t index, NextOf next_of) {
    uint64_t head = head_.load(std::memory_order_relaxed);
    do {
      next_of(index).store(IndexOf(head), std::memory_order_relaxed);
    } while (!head_.compare_exchange_weak(head, With(head, index), std::memory_order_release,
                                          std::memory_order_relaxed));
  }

  // kNone: empty.
  template <typename NextOf>
  uint32_t Pop(NextOf next_of) {
    uint64_t head = head_.load(std::memory_order_acquire);
    for (;;) {
      const uint32_t index = IndexOf(head);
      if (index == kNone) return kNone;
      const uint32_t next = next_of(index).load(std::memory_order_relaxed);
      if (head_.compare_exchange_weak(head, With(head, next), std::memory_order_acquire,
                                      std::memory_order_acquire)) {
        return index;
      }
    }
  }

  // All of them, the last pushed first, linked by their words. kNone: empty.
  uint32_t TakeAll() {
    uint64_t head = head_.load(std::memory_order_acquire);
    while (!head_.compare_exchange_weak(head, With(head, kNone), std::memory_order_acquire,
                                        std::memory_order_acquire)) {
    }
    return IndexOf(head);
  }

  bool empty() const { return IndexOf(head_.load(std::memory_order_relaxed)) == kNone; }

 private:
  // An index is kept with one added, so that zeroed memory is an empty list.
  static uint32_t IndexOf(uint64_t head) { return static_cast<uint32_t>(head) - 1; }
  static uint64_t With(uint64_t head, uint32_t index) {
    return ((head >> 32) + 1) << 32 | static_cast<uint32_t>(index + 1);
  }

  std::atomic<uint64_t> head_{0};
};

}  // namespace syncline::level_zero
