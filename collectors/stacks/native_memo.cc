// SPDX-License-Identifier: Apache-2.0
// Entries are forgotten before what they stand for is overwritten: a handler may leave by a jump.
#include "collectors/stacks/native_memo.h"

#include <atomic>

#include "collectors/stacks/python_walk.h"
#include "inject/core/sys.h"

namespace syncline::stacks {
namespace {

// Between the hook's beginning and end the slots are the thread's own stack.
__attribute__((no_sanitize("address", "thread"))) bool Holds(const NativeFrame& frame) {
  const uint64_t slot = frame.slot & ~NativeFrame::kInterrupted;
  return *reinterpret_cast<const uint64_t*>(slot) == frame.pc;  // NOLINT: a live frame's
}

bool WalkWithSignalsBlocked(const Registers& registers, FrameRecipes* recipes, NativeFrame* frames,
                            size_t most, size_t* count) {
  const SignalBlocker blocker;
  return WalkNative(registers, recipes, frames, most, count);
}

// Behind a signal, or a jump from stack to stack, the next slot may lie on a coroutine's stack that
// is gone when the innermost frames look the same again.
bool LiesInARow(const NativeFrame* frames, size_t count) {
  constexpr uint64_t kLargestFrame = 64 << 10;
  for (size_t i = 0; i < count; ++i) {
    if ((frames[i].slot & NativeFrame::kInterrupted) != 0) return false;
    if (i != 0 && frames[i].slot - frames[i - 1].slot > kLargestFrame) return false;
  }
  return true;
}

}  // namespace

void NativeMemo::Forget() {
  for (auto& set : entries_) {
    for (Entry& entry : set) entry.key = 0;
  }
}

bool NativeMemo::LooksTheSame(const Entry& entry) const {
  if (entry.start + kFrames < next_frame_) return false;
  const NativeFrame* frames = FramesOf(entry);
  for (size_t i = 0; i < entry.count; ++i) {
    if (!Holds(frames[i])) return false;
  }
  return true;
}

// Frames of one stack lie in a row.
uint64_t NativeMemo::RoomFor(size_t most) {
  uint64_t start = next_frame_;
  if (start % kFrames + most > kFrames) start += kFrames - start % kFrames;
  next_frame_ = start + most;
  return start;
}

NativeMemo::Entry* NativeMemo::OldestOf(uint64_t key) {
  Entry* oldest = nullptr;
  for (Entry& entry : entries_[key / 2 % kSets]) {
    if (entry.key == 0) return &entry;
    if (oldest == nullptr || entry.start < oldest->start) oldest = &entry;
  }
  return oldest;
}

NativeStack NativeMemo::Walk(const Registers& registers, uint64_t key, size_t most) {
  if (most > kMost) most = kMost;
  Entry& entry = *OldestOf(key);
  entry.key = 0;
  const uint64_t start = RoomFor(most);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  NativeFrame* frames = frames_ + start % kFrames;
  size_t count;
  const auto walk = LooksUpWithLock() ? WalkWithSignalsBlocked : WalkNative;
  const bool whole = walk(registers, &recipes_, frames, most, &count);
  uint64_t hash = whole ? 1 : 2;
  for (size_t i = 0; i < count; ++i) hash = Mix(hash, frames[i].instruction());
  entry.start = start;
  entry.hash = hash;
  entry.count = static_cast<uint32_t>(count);
  entry.cut = !whole;
  next_frame_ = start + count;
  std::atomic_signal_fence(std::memory_order_seq_cst);
  if (count != 0 && LiesInARow(frames, count)) entry.key = key;
  return {frames, count, hash, !whole};
}

NativeStack NativeMemo::Take(const Registers& registers, const uint64_t* slot, size_t most) {
  const uint64_t key = Mix(reinterpret_cast<uintptr_t>(slot), *slot) | 1;
  const bool is_audit = ++looks_ % kAudit == 0;
  for (Entry& entry : entries_[key / 2 % kSets]) {
    if (entry.key != key || !LooksTheSame(entry)) continue;
    if (__builtin_expect(!is_audit, 1))
      return {FramesOf(entry), entry.count, entry.hash, entry.cut};
    entry.key = 0;
    break;
  }
  return Walk(registers, key, most);
}

}  // namespace syncline::stacks
