// SPDX-License-Identifier: Apache-2.0
// A table that only grows, readable and writable by any thread without a lock, alive through fork.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstdint>

#include "inject/core/sys.h"

namespace syncline::nvtx {

inline constexpr uint32_t kNoIndex = 0xffffffff;

// Entries keep their address for the life of the process. Zero-initialised, so that it needs no
// static initialiser. T is an aggregate for which all zeros is valid. Claim and Publish may be
// interrupted by a signal handler that does the same.
template <typename T>
class AppendTable {
 public:
  // A zeroed entry that nobody else sees until Publish; null: the table or the memory is full.
  T* Claim(uint32_t* index) {
    const uint32_t at = claimed_.fetch_add(1, std::memory_order_relaxed);
    if (at >= kMaxEntries) {
      claimed_.store(kMaxEntries, std::memory_order_relaxed);
      return nullptr;
    }
    Slot* slot = SlotAt(at, true);
    if (slot == nullptr) return nullptr;
    *index = at;
    return &slot->value;
  }

  // Release: pairs with the acquire in At.
  void Publish(uint32_t index) { SlotAt(index, false)->ready.store(1, std::memory_order_release); }

  // Null: no such entry, or not published yet.
  T* At(uint32_t index) {
    if (index >= kMaxEntries) return nullptr;
    Slot* slot = SlotAt(index, false);
    if (slot == nullptr || slot->ready.load(std::memory_order_acquire) == 0) return nullptr;
    return &slot->value;
  }

  // How many entries were claimed: an upper bound of what is published.
  uint32_t count() const {
    const uint32_t claimed = claimed_.load(std::memory_order_relaxed);
    return claimed < kMaxEntries ? claimed : kMaxEntries;
  }

 private:
  struct Slot {
    T value;
    std::atomic<uint32_t> ready;
  };

  // Entries of the first chunk; each next one is twice as large.
  static constexpr uint32_t kFirst = 32;
  static constexpr uint32_t kChunks = 15;
  static constexpr uint32_t kMaxEntries = kFirst * ((1u << kChunks) - 1);

  Slot* SlotAt(uint32_t index, bool make) {
    const uint32_t chunk = 31 - static_cast<uint32_t>(__builtin_clz(index / kFirst + 1));
    Slot* slots = chunks_[chunk].load(std::memory_order_acquire);
    if (slots == nullptr) {
      if (!make) return nullptr;
      const size_t bytes = (static_cast<size_t>(kFirst) << chunk) * sizeof(Slot);
      void* memory = SysMap(bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
      if (memory == nullptr) return nullptr;
      // Acquire and release: whoever loses uses the winner's chunk.
      if (chunks_[chunk].compare_exchange_strong(slots, static_cast<Slot*>(memory),
                                                 std::memory_order_acq_rel)) {
        slots = static_cast<Slot*>(memory);
      } else {
        SysUnmap(memory, bytes);
      }
    }
    return slots + (index - kFirst * ((1u << chunk) - 1));
  }

  std::atomic<uint32_t> claimed_;
  std::atomic<Slot*> chunks_[kChunks];
};

}  // namespace syncline::nvtx
