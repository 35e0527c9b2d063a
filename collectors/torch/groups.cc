// SPDX-License-Identifier: Apache-2.0
// A group is known by its address, which PyTorch gives away with its name, and by its class.
#include "collectors/torch/groups.h"

#include <atomic>
#include <cstring>

#include "collectors/torch/record_function.h"
#include "inject/core/foreign_memory.h"

namespace syncline::torch {
namespace {

constexpr size_t kMostGroups = 256;
constexpr size_t kGroupWords = 512;  // more than a c10d::ProcessGroup has
constexpr int32_t kOurRank = 0x2b5a71c3, kOurRanks = 0x5d3f9e17;
constexpr uint32_t kMostRanks = 1 << 20;

struct KnownGroup {
  std::atomic<const void*> group;  // written last
  uint32_t bytes;
  char name[kMostGroupName];
};
constinit KnownGroup g_groups[kMostGroups] = {};
std::atomic<size_t> g_group_count;

// Of c10d::ProcessGroup; written before the inputs are known.
struct GroupLayout {
  size_t numbers = 0;      // its rank and how many there are, 32 bits each; 0: not known
  uint64_t functions = 0;  // the table of its class
};
GroupLayout g_group_layout;
// Of c10::ivalue::Object: the begin of its IValues; 0: not known yet.
std::atomic<size_t> g_slots;
constexpr size_t kFirstSlots = 16, kLastSlots = 128;

template <typename T>
bool ReadOf(uint64_t address, T* out) {
  return ReadForeign(address, out, sizeof(*out));
}

// Null: there is none at this address.
KnownGroup* FindGroup(uint64_t address) {
  size_t count = g_group_count.load(std::memory_order_acquire);
  if (count > kMostGroups) count = kMostGroups;
  while (count-- > 0) {
    const void* const group = g_groups[count].group.load(std::memory_order_acquire);
    if (group != nullptr && reinterpret_cast<uintptr_t>(group) == address) return &g_groups[count];
  }
  return nullptr;
}

// The group that the object at `object` holds, if its IValues begin where `slots` says. Null: none.
const KnownGroup* GroupAt(uint64_t object, size_t slots) {
  uint64_t span[2], held;
  constexpr uint64_t kOneValue = 16;
  return ReadOf(object + slots, &span) && span[1] - span[0] == kOneValue && ReadOf(span[0], &held)
             ? FindGroup(held)
             : nullptr;
}

const KnownGroup* GroupOf(uint64_t object) {
  const size_t known = g_slots.load(std::memory_order_relaxed);
  if (known != 0) return GroupAt(object, known);
  for (size_t slots = kFirstSlots; slots <= kLastSlots; slots += sizeof(uint64_t)) {
    const KnownGroup* const group = GroupAt(object, slots);
    if (group == nullptr) continue;
    g_slots.store(slots, std::memory_order_relaxed);
    return group;
  }
  return nullptr;
}

}  // namespace

// What stood at this address before is gone, and nobody asks for it.
void NoteGroup(const void* group, const char* name, size_t bytes) {
  KnownGroup* place = FindGroup(reinterpret_cast<uintptr_t>(group));
  const bool fits = bytes <= kMostGroupName;
  if (place != nullptr && !fits) place->group.store(nullptr, std::memory_order_release);
  if (!fits) return;
  if (place == nullptr) {
    if (g_group_count.load() >= kMostGroups) return;
    const size_t at = g_group_count.fetch_add(1);
    if (at >= kMostGroups) return;
    place = &g_groups[at];
  }
  std::memcpy(place->name, name, bytes);
  place->bytes = static_cast<uint32_t>(bytes);
  place->group.store(group, std::memory_order_release);
}

const char* LearnGroups(const Module& library) {
  void (*make)(void*, int32_t, int32_t);
  void (*unmake)(void*);
  if (!FindFunction(library, "_ZN4c10d12ProcessGroupC1Eii", &make) ||
      !FindFunction(library, "_ZN4c10d12ProcessGroupD1Ev", &unmake))
    return "its process groups are made otherwise";
  alignas(16) static uint64_t group[kGroupWords];
  make(group, kOurRank, kOurRanks);
  int32_t halves[2 * kGroupWords];
  std::memcpy(halves, group, sizeof(group));
  size_t numbers = 0, found = 0;
  for (size_t i = 0; i + 1 < 2 * kGroupWords; ++i) {
    if (halves[i] != kOurRank || halves[i + 1] != kOurRanks) continue;
    numbers = i * sizeof(int32_t);
    ++found;
  }
  const uint64_t functions = group[0];
  unmake(group);
  g_group_layout = {};
  if (found != 1 || functions == 0) return "its process groups are not as they are known";
  g_group_layout = {numbers, functions};
  return nullptr;
}

bool ReadGroup(const void* object, Group* out) {
  if (g_group_layout.numbers == 0) return false;
  const KnownGroup* const known = GroupOf(reinterpret_cast<uintptr_t>(object));
  if (known == nullptr) return false;
  const auto at = reinterpret_cast<uintptr_t>(known->group.load(std::memory_order_relaxed));
  uint64_t functions;
  uint32_t numbers[2];
  if (!ReadOf(at, &functions) || functions != g_group_layout.functions ||
      !ReadOf(at + g_group_layout.numbers, &numbers) || numbers[1] > kMostRanks ||
      numbers[0] >= numbers[1])
    return false;
  *out = {known->name, known->bytes, numbers[0], numbers[1]};
  return true;
}

}  // namespace syncline::torch
