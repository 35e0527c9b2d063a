// SPDX-License-Identifier: Apache-2.0
// What a thread has recorded of stacks in its stream, so that each is recorded once.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "collectors/stacks/code_record.h"
#include "collectors/stacks/mixed_stack.h"
#include "collectors/stacks/native_memo.h"
#include "collectors/stacks/python_walk.h"
#include "inject/core/thread_log.h"

namespace syncline::stacks {

inline constexpr size_t kMostDepth = 1024;
static_assert(kMostDepth + NativeMemo::kMost <= kMostStackFrames);

// Remembers ids by 64-bit keys. Ids of an epoch grow. Of the keys that share a set the oldest is
// forgotten, and then recorded again under a new id.
template <size_t kSets>
class KnownIds {
 public:
  // 0: unknown.
  uint32_t Find(uint64_t key, uint32_t epoch) const {
    for (const Entry& entry : entries_[key % kSets]) {
      if (entry.key == key && entry.epoch == epoch) return entry.id;
    }
    return 0;
  }
  void Keep(uint64_t key, uint32_t epoch, uint32_t id) {
    Entry& entry = Oldest(entries_[key % kSets], epoch);
    entry.epoch = 0;  // a handler may leave this by a jump
    std::atomic_signal_fence(std::memory_order_seq_cst);
    entry.key = key;
    entry.id = id;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    entry.epoch = epoch;
  }

 private:
  static constexpr size_t kWays = 4;
  struct Entry {
    uint64_t key;
    uint32_t epoch;  // 0: empty
    uint32_t id;
  };
  // Or one of another epoch.
  static Entry& Oldest(Entry (&set)[kWays], uint32_t epoch) {
    Entry* oldest = set;
    for (Entry& entry : set) {
      if (entry.epoch != epoch) return entry;
      if (entry.id < oldest->id) oldest = &entry;
    }
    return *oldest;
  }

  Entry entries_[kSets][kWays];
};

// Begins as zeros. Belongs to a thread's log; the next thread that has the log begins with a new
// epoch. 340 KiB of room, of which only what is used becomes memory: a few pages of each array.
struct KnownStacks {
  uint64_t stream;
  uint64_t generation;
  uint32_t epoch;
  uint32_t next_code;
  uint32_t next_stack;
  uint32_t next_module;
  KnownIds<256> codes;
  KnownIds<128> stacks;
  KnownIds<64> modules;
  NativeMemo native;
  LiveFrame frames[kMostDepth];
  MixedFrame mixed[kMostStackFrames];
  StackFrame recorded[kMostStackFrames];
  char scratch[kMostCodeBytes];
};

// What is wanted of a stack.
struct Wanted {
  const Python* python;  // null: no Python frames
  bool native;           // native ones
  size_t depth;          // at most so many of each, the innermost
};

// Where the hook stands: registers of a function that is still running, and its return address.
struct Standing {
  Registers registers;
  const uint64_t* slot;
};

// The id of the calling thread's stack in its stream, which is recorded if it is new. 0: there is
// none, or it could not be recorded (counted). `*walked`: how Python's part came out. In a hook.
uint32_t StackId(const Wanted& wanted, const Standing& standing, ThreadLog& log, Walked* walked);

}  // namespace syncline::stacks
