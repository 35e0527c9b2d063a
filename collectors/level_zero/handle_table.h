// SPDX-License-Identifier: Apache-2.0
// What is known of the objects that the vendor's handles stand for: no lock, no heap.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

#include "collectors/level_zero/slab.h"

namespace syncline::level_zero {

// Constant-initialised; its memory is mapped by the first Insert, and touched as it is used. Any
// thread, but one handle is inserted, used and erased as the program makes, uses and destroys the
// object: whoever has the handle is after its Insert and before its Erase.
template <typename Object, size_t kSlots>
class HandleTable {
  static_assert((kSlots & (kSlots - 1)) == 0);

 public:
  // A fresh object for the handle, also where an old one of that handle was never erased. Null: no
  // room.
  Object* Insert(const void* handle) {
    Object* object = FindOrTake(handle);
    return object == nullptr ? nullptr : new (object) Object();
  }

  // The object of the handle, one that is all zeros where there is none. Threads that bring the
  // same handle at once get the same object. Null: no room.
  Object* FindOrTake(const void* handle) {
    Slot* slots = MapOnce(&slots_, kSlots);
    if (slots == nullptr || handle == nullptr) return nullptr;
    const auto key = reinterpret_cast<uintptr_t>(handle);
    Slot* slot = Seek(slots, key);
    if (slot == nullptr) slot = Take(slots, key);
    return slot == nullptr ? nullptr : &slot->object;
  }

  // Null: unknown.
  Object* Find(const void* handle) const {
    Slot* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr || handle == nullptr) return nullptr;
    Slot* slot = Seek(slots, reinterpret_cast<uintptr_t>(handle));
    return slot == nullptr ? nullptr : &slot->object;
  }

  void Erase(const void* handle) {
    Slot* slots = slots_.load(std::memory_order_acquire);
    if (slots == nullptr || handle == nullptr) return;
    Slot* slot = Seek(slots, reinterpret_cast<uintptr_t>(handle));
    // Release: pairs with Take's acquire, which gives the slot to another handle.
    if (slot != nullptr) slot->handle.store(0, std::memory_order_release);
  }

  template <typename Visit>
  void Each(Visit visit) {
    Slot* slots = slots_.load(std::memory_order_acquire);
    for (size_t i = 0; slots != nullptr && i < kSlots; ++i) {
      const uintptr_t handle = slots[i].handle.load(std::memory_order_acquire);
      if (handle != 0) visit(reinterpret_cast<void*>(handle), &slots[i].object);
    }
  }

 private:
  struct Slot {
    std::atomic<uintptr_t> handle;  // 0: free
    Object object;
  };
  static constexpr size_t kNearby = kSlots < 64 ? kSlots : 64;  // where a handle may be

  static size_t PlaceOf(uintptr_t key) {
    return static_cast<size_t>((key * 0x9E3779B97F4A7C15ull) >> 32);
  }
  static Slot& At(Slot* slots, uintptr_t key, size_t step) {
    return slots[(PlaceOf(key) + step) & (kSlots - 1)];
  }
  static Slot* Seek(Slot* slots, uintptr_t key) {
    for (size_t i = 0; i < kNearby; ++i) {
      Slot& slot = At(slots, key, i);
      if (slot.handle.load(std::memory_order_acquire) == key) return &slot;
    }
    return nullptr;
  }
  static Slot* Take(Slot* slots, uintptr_t key) {
    for (size_t i = 0; i < kNearby; ++i) {
      Slot& slot = At(slots, key, i);
      uintptr_t free = 0;
      if (slot.handle.compare_exchange_strong(free, key, std::memory_order_acq_rel) || free == key)
        return &slot;
    }
    return nullptr;
  }

  std::atomic<Slot*> slots_{nullptr};
};

}  // namespace syncline::level_zero
