// SPDX-License-Identifier: Apache-2.0
// What a thread's stack looked like: one that looks the same is not walked again.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/stacks/native_walk.h"

namespace syncline::stacks {

struct NativeStack {
  const NativeFrame* frames = nullptr;
  size_t count = 0;
  uint64_t hash = 0;  // of the frames' instructions
  bool cut = false;   // the outermost are missing
};

// Begins as zeros, in the memory of one thread. A stack is the same if every return address is
// where it was: then each frame is the one that was there, and the next one's place is known. Only
// behind a frame whose size differs from call to call (alloca) may a stale address be taken for its
// own; one look in kAudit walks the stack in any case.
class NativeMemo {
 public:
  // The callers of the function that took `registers`, the innermost first, at most `most`. Valid
  // until the next call. In a hook.
  NativeStack Take(const Registers& registers, const uint64_t* slot, size_t most);

  // No stack is known from here on. On the thread that has the memory from now on.
  void Begin();

  // Of a frame of the stack that was taken last. Null: no module has it.
  const KnownModule* FindModule(uintptr_t address) {
    return room_.modules.Find(address, room_.memory.foreign());
  }
  ForeignMemory* foreign() { return room_.memory.foreign(); }

  static constexpr size_t kMost = 1024 + 64;  // frames of a stack
  static constexpr uint32_t kAudit = 1024;

 private:
  static constexpr size_t kSets = 64;
  static constexpr size_t kWays = 4;
  static constexpr size_t kFrames = 8192;  // of all stacks; the oldest are overwritten

  struct Entry {
    uint64_t key;    // 0: empty
    uint64_t start;  // of its frames, counted from the first that was ever kept
    uint64_t hash;
    uint32_t count;
    bool cut;
  };

  const NativeFrame* FramesOf(const Entry& entry) const { return frames_ + entry.start % kFrames; }
  void Forget();
  bool LooksTheSame(const Entry& entry);
  uint64_t RoomFor(size_t most);
  Entry* OldestOf(uint64_t key);
  NativeStack Walk(const Registers& registers, uint64_t key, size_t most);

  Entry entries_[kSets][kWays];
  uint64_t next_frame_;  // what lies kFrames before is overwritten
  uint32_t looks_;
  uint64_t closings_;  // of libraries, when this last looked
  OwnStack own_;
  WalkRoom room_;
  NativeFrame frames_[kFrames];
};

}  // namespace syncline::stacks
