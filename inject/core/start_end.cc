// SPDX-License-Identifier: Apache-2.0
// The table of open start/end ranges.
#include "inject/core/start_end.h"

#include <atomic>

namespace syncline {
namespace {

// An id is how often the lane was used, times kIdStep, plus the lane.
constexpr uint64_t kIdStep = 8192;
constexpr uint64_t kUnrecordedLane = kIdStep - 1;
constexpr uint32_t kWords = kMaxOpen / 64;

struct OpenSlot {
  std::atomic<uint64_t> id;  // of the open range; 0: none
  std::atomic<uint64_t> tool_id;
  std::atomic<uint32_t> forgotten;
  std::atomic<uint32_t> marks;
  uint64_t uses;  // only who holds the lane's bit touches it
};

std::atomic<uint64_t> g_taken[kWords];  // bit: the lane is in use
constinit OpenSlot g_slots[kMaxOpen] = {};
std::atomic<uint64_t> g_unrecorded;

uint64_t LaneOf(uint64_t id) { return id % kIdStep; }

OpenSlot* SlotOf(uint64_t id) {
  const uint64_t lane = LaneOf(id);
  return id != 0 && lane < kMaxOpen ? &g_slots[lane] : nullptr;
}

// Keeps the processor from reading the time before the lane was claimed.
void BarrierBeforeTime() {
#if defined(__x86_64__)
  __builtin_ia32_lfence();
#elif defined(__aarch64__)
  asm volatile("isb" ::: "memory");
#endif
}

}  // namespace

uint64_t ClaimRange(uint16_t* lane) {
  for (uint32_t word = 0; word < kWords; ++word) {
    uint64_t taken = g_taken[word].load(std::memory_order_relaxed);
    while (taken != ~uint64_t{0}) {
      const auto bit = static_cast<uint32_t>(__builtin_ctzll(~taken));
      // Acquire: pairs with the release in ReleaseRange; the slot is ours then.
      if (!g_taken[word].compare_exchange_weak(taken, taken | uint64_t{1} << bit,
                                               std::memory_order_acquire,
                                               std::memory_order_relaxed)) {
        continue;
      }
      const uint32_t index = word * 64 + bit;
      OpenSlot& slot = g_slots[index];
      const uint64_t id = ++slot.uses * kIdStep + index;
      slot.forgotten.store(0, std::memory_order_relaxed);
      slot.tool_id.store(0, std::memory_order_relaxed);
      slot.marks.store(0, std::memory_order_relaxed);
      slot.id.store(id, std::memory_order_release);
      *lane = static_cast<uint16_t>(index);
      BarrierBeforeTime();
      return id;
    }
  }
  return 0;
}

uint16_t LaneOfRange(uint64_t id) { return static_cast<uint16_t>(LaneOf(id)); }

uint64_t UnrecordedRange() {
  return (g_unrecorded.fetch_add(1, std::memory_order_relaxed) + 1) * kIdStep + kUnrecordedLane;
}

bool IsUnrecorded(uint64_t id) { return LaneOf(id) == kUnrecordedLane; }

void ForgetRange(uint64_t id) {
  if (OpenSlot* slot = SlotOf(id)) slot->forgotten.store(1, std::memory_order_relaxed);
}

void SetMarks(uint64_t id, uint8_t marks) {
  if (OpenSlot* slot = SlotOf(id)) slot->marks.store(marks, std::memory_order_relaxed);
}

EndResult ReleaseRange(uint64_t id, uint8_t* marks) {
  *marks = 0;
  OpenSlot* slot = SlotOf(id);
  if (slot == nullptr) return IsUnrecorded(id) ? EndResult::kForgotten : EndResult::kUnknown;
  const bool forgotten = slot->forgotten.load(std::memory_order_relaxed) != 0;
  const auto its_marks = static_cast<uint8_t>(slot->marks.load(std::memory_order_relaxed));
  // Whoever takes the id out has ended the range; all others come too late.
  uint64_t expected = id;
  if (!slot->id.compare_exchange_strong(expected, 0, std::memory_order_acq_rel))
    return EndResult::kUnknown;
  *marks = its_marks;
  const auto lane = static_cast<uint32_t>(LaneOf(id));
  g_taken[lane / 64].fetch_and(~(uint64_t{1} << lane % 64), std::memory_order_release);
  return forgotten ? EndResult::kForgotten : EndResult::kRecorded;
}

void SetToolRange(uint64_t id, uint64_t tool_id) {
  if (OpenSlot* slot = SlotOf(id)) slot->tool_id.store(tool_id, std::memory_order_relaxed);
}

uint64_t ToolRange(uint64_t id) {
  const OpenSlot* slot = SlotOf(id);
  return slot != nullptr && slot->id.load(std::memory_order_acquire) == id
             ? slot->tool_id.load(std::memory_order_relaxed)
             : 0;
}

void ForgetAllRanges() {
  for (uint32_t word = 0; word < kWords; ++word) {
    for (uint64_t taken = g_taken[word].load(std::memory_order_relaxed); taken != 0;
         taken &= taken - 1) {
      g_slots[word * 64 + static_cast<uint32_t>(__builtin_ctzll(taken))].id.store(
          0, std::memory_order_relaxed);
    }
    g_taken[word].store(0, std::memory_order_release);
  }
}

}  // namespace syncline
