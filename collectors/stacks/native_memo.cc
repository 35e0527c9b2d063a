// SPDX-License-Identifier: Apache-2.0
// Entries are forgotten before what they stand for is overwritten: a handler may leave by a jump.
#include "collectors/stacks/native_memo.h"

#include <atomic>

#include "collectors/stacks/python_walk.h"
#include "inject/core/sys.h"

namespace syncline::stacks {
namespace {

NativeWalk WalkWithSignalsBlocked(const Registers& registers, WalkRoom* room, NativeFrame* frames,
                                  size_t most) {
  const SignalBlocker blocker;
  return WalkNative(registers, room, frames, most);
}

// Behind a signal, or a jump from stack to stack, the next slot depends on more than the return
// addresses: it may be a stale one that looks right.
bool LiesInARow(const NativeFrame* frames, size_t count) {
  constexpr uint64_t kLargestFrame = 64 << 10;
  for (size_t i = 0; i < count; ++i) {
    if ((frames[i].slot & NativeFrame::kInterrupted) != 0) return false;
    if (i != 0 && frames[i].slot - frames[i - 1].slot > kLargestFrame) return false;
  }
  return true;
}

}  // namespace

void NativeMemo::Begin() {
  Forget();
  own_.Begin();
}

void NativeMemo::Forget() {
  for (auto& set : entries_) {
    for (Entry& entry : set) entry.key = 0;
  }
}

// The stack that it was taken of may be gone, or shorter. Its places ascend (LiesInARow).
bool NativeMemo::LooksTheSame(const Entry& entry) {
  if (entry.start + kFrames < next_frame_) return false;
  const NativeFrame* const frames = FramesOf(entry);
  const NativeFrame* const end = frames + entry.count;
  if (__builtin_expect(room_.memory.AreOwn(frames->slot, end[-1].slot), 1)) {
    for (const NativeFrame* frame = frames; frame != end; ++frame) {
      if (StackMemory::ReadOwn(frame->slot) != frame->pc) return false;
    }
    return true;
  }
  for (const NativeFrame* frame = frames; frame != end; ++frame) {
    uint64_t pc;
    if (!room_.memory.Read(frame->slot, &pc) || pc != frame->pc) return false;
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
  const auto walk = LooksUpWithLock() ? WalkWithSignalsBlocked : WalkNative;
  const auto [count, code, whole] = walk(registers, &room_, frames, most);
  uint64_t hash = Mix(code, whole ? 1 : 2);
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
  const uint64_t closings = LibrariesClosed();
  if (__builtin_expect(closings != closings_, 0)) Forget();
  closings_ = closings;
  room_.memory.Begin(own_.Above(registers.of[kRsp]));
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
