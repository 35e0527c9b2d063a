// SPDX-License-Identifier: Apache-2.0
// CUPTI's clock: CLOCK_REALTIME, or the client's own through its timestamp callback; and from the
// engine's clock to it.
#pragma once

#include <cupti.h>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace simgpu::cupti {

class Clock {
 public:
  // What cuptiGetTimestamp answers, and host records are stamped with.
  uint64_t Now();

  // A time of the engine (CLOCK_MONOTONIC) on CUPTI's clock. With a timestamp callback this is a
  // line through the moment of its registration and now, as CUPTI interpolates device times; it
  // then may sleep 1 ms, so only the worker calls it.
  uint64_t FromEngine(uint64_t engine_ns);

  // Whether times must wait for the worker (a callback is registered) or FromEngine is right at
  // once.
  bool has_callback() const { return callback_.load(std::memory_order_acquire) != nullptr; }
  void SetCallback(CUpti_TimestampCallbackFunc callback);

 private:
  int64_t RealtimeOffset();

  std::mutex mutex_;
  std::atomic<CUpti_TimestampCallbackFunc> callback_{nullptr};
  uint64_t callback_engine_ns_ = 0, callback_ns_ = 0;  // at registration
  std::atomic<int64_t> offset_{0};                     // CLOCK_REALTIME - CLOCK_MONOTONIC
  std::atomic<uint64_t> offset_taken_ns_{0};
};

Clock& TheClock();

}  // namespace simgpu::cupti
