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
  // Called where the program makes a queue or list, so that its first work finds events.
  void Prepare(ze_context_handle_t context);

  // Not signaled, host-visible and with time stamps; kNone: none is free, or the context ends.
  uint32_t TakeEvent();
  void GiveBack(uint32_t event);  // not signaled
  ze_event_handle_t HandleOf(uint32_t event) const;

  void Refill();

  // The program destroys its context: its events are not touched any more. False: the helper is at
  // work in it, and destroys it when it is done; the caller must not.
  bool End();
  // Around whatever the helper does with the context's events. False: it ends.
  bool Enter();
  void Leave();

 private:
  enum Use : uint32_t { kFree = 0, kInUse = 1, kEnding = 2 };

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
  std::atomic<uint32_t> use_{kFree};
  FreeList free_;
};

// The program's context; null: there are more than are followed. Never freed: work that was not
// read may name it after its end.
Context* ContextOf(ze_context_handle_t handle);
// The handle is no context's any more. Null: it was never seen.
Context* ForgetContext(ze_context_handle_t handle);
// By the thread that reads: makes events where few are free.
void RefillContexts();

}  // namespace syncline::level_zero
