// SPDX-License-Identifier: Apache-2.0
// The engine's clock.
#include "tests/simulated_gpu/engine/clock.h"

#include <immintrin.h>
#include <sched.h>
#include <sys/prctl.h>

#include <ctime>

namespace simgpu {

uint64_t Now() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000ull + static_cast<uint64_t>(now.tv_nsec);
}

void SleepUntil(uint64_t ns) {
  if (Now() >= ns) return;
  const int slack = prctl(PR_GET_TIMERSLACK, 0, 0, 0, 0);
  if (slack > 1000) prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);
  const timespec until{static_cast<time_t>(ns / 1000000000ull),
                       static_cast<long>(ns % 1000000000ull)};
  while (Now() < ns)
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);  // signals wake it early
  if (slack > 1000) prctl(PR_SET_TIMERSLACK, slack, 0, 0, 0);
}

void WaitUntil(uint64_t ns, Waiting waiting) {
  if (waiting == Waiting::kBlocks) return SleepUntil(ns);
  if (ns > kSpinNs) SleepUntil(ns - kSpinNs);
  while (Now() < ns) {
    if (waiting == Waiting::kYields) {
      sched_yield();
    } else {
      _mm_pause();
    }
  }
}

}  // namespace simgpu
