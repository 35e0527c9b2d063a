// SPDX-License-Identifier: Apache-2.0
// Counts the ends of Python's code objects, so that a key that was made of a code's address is not
// found again when other code has come to that address.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace syncline::stacks {

using Dealloc = void (*)(void*);
inline constexpr int64_t kDeallocOffset = 48;  // in PyTypeObject, the same in all versions

// Deaths of those that share a slot are counted together: each makes the stacks forgotten that the
// others are in, too. No two live ones share one within half a megabyte: none is shorter.
inline constexpr size_t kDeathSlots = 4096;
inline constexpr uintptr_t kShortestCode = 128;
extern std::array<std::atomic<uint32_t>, kDeathSlots> g_code_deaths;
extern std::atomic<Dealloc> g_code_dealloc;  // the function of ours that stood in the type last

// Whether functions can be put into the type. Takes the loader's lock.
bool IsInWritableData(const void* type);

// What CountsDeaths does where the type has a function that is not known to be ours: puts ours into
// it, which calls what stood there. False: too many others have done so since. No lock; any thread.
bool CountDeathsFromNowOn(const void* code_type);

// Whether deaths were counted since the keys were made that can be found now. Before DeathsAt, in
// the same hook, of a thread whose frames keep the code alive: who dies meanwhile is in no key.
inline bool CountsDeaths(const void* code_type) {
  const auto* place =
      reinterpret_cast<const Dealloc*>(static_cast<const char*>(code_type) + kDeallocOffset);
  // Acquire: pairs with the release in CountDeathsFromNowOn, for the deaths that it adds.
  const Dealloc found = __atomic_load_n(place, __ATOMIC_ACQUIRE);
  return __builtin_expect(found == g_code_dealloc.load(std::memory_order_relaxed), 1) ||
         CountDeathsFromNowOn(code_type);
}

inline std::atomic<uint32_t>& DeathSlot(const void* code) {
  return g_code_deaths[reinterpret_cast<uintptr_t>(code) / kShortestCode % kDeathSlots];
}

// With its address this stands for a live code object: it changes before the memory of one that had
// the address before is given back. Relaxed: between the death and whoever gets the memory stand
// the locks of the allocator or of the interpreter.
inline uint32_t DeathsAt(const void* code) {
  return DeathSlot(code).load(std::memory_order_relaxed);
}

}  // namespace syncline::stacks
