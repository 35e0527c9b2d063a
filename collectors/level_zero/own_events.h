// SPDX-License-Identifier: Apache-2.0
// Events of ours, for work that the program gives none: pools of them in each of the program's
// contexts.
#pragma once

#include <atomic>
#include <cstdint>

#include "collectors/level_zero/api.h"
#include "collectors/level_zero/free_list.h"

namespace syncline::level_zero {

inline constexpr uint32_t kEventsPerPool = 256;
inline constexpr uint32_t kMaxPools = 128;  // of a context

struct OwnEvent {
  ze_event_handle_t handle = nullptr;
  std::atomic<uint32_t> next{0};
};

// One of the program's contexts. Any thread.
class Context {
 public:
  // Before other threads know of it.
  void Be(ze_context_handle_t context) { handle_ = context; }
  // Called where the program makes a queue or list, so that its first work finds events.
  void Prepare();

  // Not signaled, host-visible and with time stamps; kNone: none is free, or the context ends.
  uint32_t TakeEvent();
  void GiveBack(uint32_t event);  // not signaled
  ze_event_handle_t HandleOf(uint32_t event) const;

  // Whether the program has it still.
  bool IsAlive() const { return stage_.load(std::memory_order_relaxed) == Stage::kAlive; }

  // By the thread that reads (operations.h), as all that follows. More events, where few are free.
  void Refill();
  // Whether its events are there still.
  bool HasEvents() const { return stage_.load(std::memory_order_acquire) < Stage::kEnded; }

  // The program destroys it: no event is taken any more. Any thread.
  void AskEnd();
  // What was asked for until now is done next. False: nothing was, or it was done.
  bool BeginEnd();
  // What BeginEnd began: destroys the events. False: nothing was begun.
  bool FinishEnd();
  ze_context_handle_t handle() const { return handle_; }

 private:
  enum class Stage : uint32_t { kAlive, kEndAsked, kEnding, kEnded };

  bool AddPool();
  void DestroyEvents();
  OwnEvent& EventAt(uint32_t event) const {
    return pools_[event / kEventsPerPool].events[event % kEventsPerPool];
  }

  struct Pool {
    ze_event_pool_handle_t handle;
    OwnEvent* events;
  };
  ze_context_handle_t handle_ = nullptr;
  mutable Pool pools_[kMaxPools] = {};
  std::atomic<uint32_t> pool_count_{0};  // begun; those that failed have no handle
  std::atomic<uint32_t> free_count_{0};
  std::atomic<Stage> stage_{Stage::kAlive};
  FreeList free_;
};

// The program's context; null: there are more than are followed. Never freed: work that was not
// read may name it after its end.
Context* ContextOf(ze_context_handle_t handle);
// The handle is no context's any more. Null: it was never seen.
Context* ForgetContext(ze_context_handle_t handle);
// By the thread that reads: makes events where few are free.
void RefillContexts();
// By the thread that reads: of all contexts that the program destroyed, between the two of which
// their work is read. The vendor's contexts are destroyed, too.
void BeginAskedEnds();
void FinishAskedEnds();

}  // namespace syncline::level_zero
