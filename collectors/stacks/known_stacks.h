// SPDX-License-Identifier: Apache-2.0
// What a thread has recorded of stacks in its stream, so that each is recorded once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "collectors/stacks/borrowed_python_frames.h"
#include "collectors/stacks/code_record.h"
#include "collectors/stacks/known_ids.h"
#include "collectors/stacks/mixed_stack.h"
#include "collectors/stacks/module_record.h"
#include "collectors/stacks/native_memo.h"
#include "collectors/stacks/python_walk.h"
#include "inject/core/thread_log.h"

namespace syncline::stacks {

static_assert(kMostDepth + NativeMemo::kMost <= kMostStackFrames);

// Begins as zeros. Belongs to a thread's log; the next thread that has the log begins with a new
// epoch. 400 KiB of room, of which only what is used becomes memory: a few pages of each array.
struct KnownStacks {
  uint64_t stream;
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
  // Null: nobody lends. A thread that Python knows, that runs none of it and that began in the code
  // of helpers works for the call whose frames are lent: they come last then.
  const LentFrames* lent = nullptr;
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
