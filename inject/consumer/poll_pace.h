// SPDX-License-Identifier: Apache-2.0
// How long a consumer sleeps between two polls, and the sleep itself.
#pragma once

#include <cstdint>
#include <ctime>

#include "inject/core/segment.h"
#include "inject/core/sys.h"

namespace syncline {

// 1 ms while rings fill fast, doubling to 50 ms while they do not. An idle consumer costs 0.13 % of
// a core at 50 ms (`scripts/bench idle`); the producer's doorbell at half-full shortens the sleep.
class PollPace {
 public:
  // `fullest`: the greatest share of a ring that the last poll found in use, percent. Returns
  // nanoseconds.
  uint64_t Next(uint32_t fullest) {
    if (fullest >= kBusyPercent) {
      sleep_ns_ = kLeastNs;
    } else if (sleep_ns_ < kMostNs) {
      sleep_ns_ *= 2;
      if (sleep_ns_ > kMostNs) sleep_ns_ = kMostNs;
    }
    return sleep_ns_;
  }

 private:
  static constexpr uint64_t kLeastNs = 1000000;
  static constexpr uint64_t kMostNs = 50000000;
  static constexpr uint32_t kBusyPercent = 10;
  uint64_t sleep_ns_ = kLeastNs;
};

// Sleeps until a producer rings or `ns` passed.
inline void SleepOnBell(Doorbell* bell, uint64_t ns) {
  const uint32_t seen = bell->futex.load(std::memory_order_relaxed);
  // Sequentially consistent: pairs with the producer's exchange; either it sees us sleeping or we
  // see its count.
  bell->sleeping.store(1, std::memory_order_seq_cst);
  timespec time = {static_cast<time_t>(ns / 1000000000u), static_cast<long>(ns % 1000000000u)};
  if (bell->futex.load(std::memory_order_seq_cst) == seen) {
    SysCall(SYS_futex, AsLong(&bell->futex), 0 /* FUTEX_WAIT, shared between processes */, seen,
            AsLong(&time));
  }
  bell->sleeping.store(0, std::memory_order_relaxed);
}

}  // namespace syncline
