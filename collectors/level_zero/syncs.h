// SPDX-License-Identifier: Apache-2.0
// What all functions have in common that wait.
#pragma once

#include "collectors/level_zero/level_zero_source.h"
#include "collectors/level_zero/notes.h"

namespace syncline::level_zero {

// With a timeout of 0 the same function only asks.
struct SyncNames {
  CallName wait, query;
};
template <size_t kBytes>
constexpr SyncNames SyncNamesOf(const char (&text)[kBytes], CallRole role) {
  return {CallName(text, kBytes - 1, static_cast<uint8_t>(role), 0, false),
          CallName(text, kBytes - 1, static_cast<uint8_t>(CallRole::kQuery), 0, false)};
}

// One call that waits, or asks.
class Sync {
 public:
  Sync(const SyncNames& names, const void* object, uint64_t timeout)
      : call_{timeout == 0 ? &names.query : &names.wait, NextCorrelation(),
              timeout == 0 ? object : nullptr},
        begin_(timeout == 0 ? 0 : SharedNow()),
        begun_(g_calls.Begin(call_)) {}

  void WaitedFor(const Queue& queue) { TellWaitFor(queue, call_.correlation, Began()); }
  void WaitedFor(const Device& device) { TellWaitFor(device, call_.correlation, Began()); }
  // A question that nobody had to repeat is no wait: what it asked about is not told.
  void WaitedFor(Signal* signal, ze_result_t result) {
    if (call_.name->queries) {
      if (result == ZE_RESULT_NOT_READY) signal->was_asked.store(true, std::memory_order_relaxed);
      if (!signal->was_asked.load(std::memory_order_relaxed)) return;
    }
    TellWaitFor(*signal, call_.correlation, Began());
  }

  ze_result_t End(ze_result_t result);

 private:
  uint64_t Began() const { return begin_ == 0 ? SharedNow() : begin_; }

  WatchedCall call_;
  uint64_t begin_;  // 0: it only asks
  uint64_t begun_;
};

}  // namespace syncline::level_zero
