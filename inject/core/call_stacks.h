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
  // The same of the program's own language alone, where the thread runs one: for what comes often.
  std::atomic<TakeStack> take_cheaply{nullptr};
  std::atomic<uint32_t> roles{0};  // a bit for each CallRole; written after `take`
  std::atomic<bool> seldom{false};
};
extern CallStacks g_call_stacks;

// Ticks without giving a device work after which a thread was busy with something else: 131 us of a
// clock in nanoseconds, 33 us at 4 GHz. A stack takes a hundredth of it.
inline constexpr uint64_t kPauseTicks = uint64_t{1} << 17;
// Ticks after which the last stack says too little of where the thread is: 524 us, 131 us at 4 GHz.
inline constexpr uint64_t kStackStaleTicks = uint64_t{1} << 19;

inline __attribute__((always_inline)) uint32_t StackOfCall(ThreadLog& log, CallRole role) {
  // Acquire: pairs with the release of whoever turned it on.
  const uint32_t roles = g_call_stacks.roles.load(std::memory_order_acquire);
  if (__builtin_expect((roles >> static_cast<uint32_t>(role) & 1) == 0, 1)) return 0;
  const TakeStack take = g_call_stacks.take.load(std::memory_order_relaxed);
  return take == nullptr ? 0 : take(log);
}

// Of a call that gives a device work, at `now`, and is of no chosen role: where it says what the
// thread did while the device had nothing to do.
inline __attribute__((always_inline)) bool IsStackDue(const ThreadLog& log, CallRole role,
                                                      uint64_t now) {
  return (now - log.worked_at > kPauseTicks || now - log.stack_at > kStackStaleTicks) &&
         now >= log.stacks_rest && g_call_stacks.seldom.load(std::memory_order_relaxed) &&
         (g_call_stacks.roles.load(std::memory_order_relaxed) >> static_cast<uint32_t>(role) & 1) ==
             0;
}

// One that was not seen before, or could not be had, costs ten times as much: a rest follows.
inline uint32_t StackOfWork(ThreadLog& log, uint64_t now) {
  const TakeStack take = g_call_stacks.take.load(std::memory_order_acquire);
  const uint32_t stack = take == nullptr ? 0 : take(log);
  log.stack_at = now;
  if (stack == 0 || stack > log.last_stack) log.stacks_rest = now + kStackStaleTicks;
  return stack;
}

// Of a call that made a node of a graph, whatever its role: what is captured once is replayed
// often. 0 too where no stacks are asked for.
inline uint32_t StackOfNode(ThreadLog& log) {
  const bool asked = g_call_stacks.roles.load(std::memory_order_acquire) != 0;
  const TakeStack take = g_call_stacks.take.load(std::memory_order_relaxed);
  return asked && take != nullptr ? take(log) : 0;
}

// Of what is no call and comes often: an operator, a block of memory. 0 too where no stacks are
// asked for.
inline uint32_t CheapStack(ThreadLog& log) {
  const bool asked = g_call_stacks.roles.load(std::memory_order_acquire) != 0;
  const TakeStack take = g_call_stacks.take_cheaply.load(std::memory_order_relaxed);
  return asked && take != nullptr ? take(log) : 0;
}

// Of calls of these roles, and of no others. `seldom`: and of those that IsStackDue says.
void TakeStacksOf(uint32_t roles, TakeStack take, bool seldom = false);
// Whoever takes them where they come often; before TakeStacksOf.
void TakeStacksCheaply(TakeStack take);

}  // namespace syncline
