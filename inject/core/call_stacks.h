// SPDX-License-Identifier: Apache-2.0
// Which calls bear the stack of their thread, and who takes it. Off until somebody turns it on.
#pragma once

#include <atomic>
#include <cstdint>

#include "inject/core/record.h"
#include "inject/core/thread_log.h"

namespace syncline {

// On the thread of the call, in the scope of its hook: no lock, no heap, no call of the program's
// libraries. Returns the id of a stack of the thread's stream; 0: there is none, or it was not to
// be had.
using TakeStack = uint32_t (*)(ThreadLog& log);

struct CallStacks {
  std::atomic<TakeStack> take{nullptr};
  std::atomic<uint32_t> roles{0};  // a bit for each CallRole; written after `take`
};
extern CallStacks g_call_stacks;

inline __attribute__((always_inline)) uint32_t StackOfCall(ThreadLog& log, CallRole role) {
  // Acquire: pairs with the release of whoever turned it on.
  const uint32_t roles = g_call_stacks.roles.load(std::memory_order_acquire);
  if (__builtin_expect((roles >> static_cast<uint32_t>(role) & 1) == 0, 1)) return 0;
  const TakeStack take = g_call_stacks.take.load(std::memory_order_relaxed);
  return take == nullptr ? 0 : take(log);
}

// Of calls of these roles, and of no others.
void TakeStacksOf(uint32_t roles, TakeStack take);

}  // namespace syncline
