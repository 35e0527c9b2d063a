// SPDX-License-Identifier: Apache-2.0
// Reads the clocks; applies the fault clock_step.
#include "tests/simulated_gpu/cupti/clock.h"

#include <cstdlib>
#include <cstring>
#include <ctime>

#include "tests/simulated_gpu/cupti/engine.h"

namespace simgpu::cupti {
namespace {

constexpr uint64_t kOffsetLifeNs = 1'000'000;
constexpr int64_t kOffsetTolerance =
    2'000;  // less is reading noise, and would make nested records overlap
constexpr uint64_t kShortestLineNs = 1'000'000;

uint64_t Read(clockid_t clock) {
  timespec now;
  clock_gettime(clock, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

// The client's clock and the engine's at one moment: of a few tries the one that nothing
// interrupted.
struct Reading {
  uint64_t engine_ns, said;
};
Reading ReadBoth(CUpti_TimestampCallbackFunc callback) {
  constexpr int kTries = 3;
  Reading best = {};
  uint64_t narrowest = ~0ull;
  for (int i = 0; i < kTries; ++i) {
    const uint64_t before = Read(CLOCK_MONOTONIC);
    const uint64_t said = callback();
    const uint64_t took = Read(CLOCK_MONOTONIC) - before;
    if (took >= narrowest) continue;
    narrowest = took;
    best = {before + took / 2, said};
  }
  return best;
}

const uint64_t g_loaded_ns = Read(CLOCK_MONOTONIC);

// The fault clock_step=MS[:AFTER_MS]: what is added to CLOCK_REALTIME at that time.
int64_t Step(uint64_t engine_ns) {
  const char* value = Fault("clock_step");
  if (value == nullptr) return 0;
  const char* colon = std::strchr(value, ':');
  const int64_t step_ns = std::atoll(value) * 1'000'000;
  if (colon == nullptr) return step_ns;
  const uint64_t after_ns = std::strtoull(colon + 1, nullptr, 10) * 1'000'000;
  return engine_ns < g_loaded_ns + after_ns ? 0 : step_ns;
}

}  // namespace

uint64_t Clock::Now() {
  const CUpti_TimestampCallbackFunc callback = callback_.load(std::memory_order_acquire);
  if (callback != nullptr) return callback();
  return Read(CLOCK_REALTIME) + static_cast<uint64_t>(Step(Read(CLOCK_MONOTONIC)));
}

int64_t Clock::RealtimeOffset() {
  const uint64_t now = Read(CLOCK_MONOTONIC);
  const uint64_t taken = offset_taken_ns_.load(std::memory_order_acquire);
  if (taken != 0 && now - taken < kOffsetLifeNs) return offset_.load(std::memory_order_relaxed);
  int64_t best = 0;
  uint64_t narrowest = ~0ull;
  for (int i = 0; i < 3; ++i) {
    const uint64_t before = Read(CLOCK_MONOTONIC);
    const uint64_t real = Read(CLOCK_REALTIME);
    const uint64_t after = Read(CLOCK_MONOTONIC);
    if (after - before >= narrowest) continue;
    narrowest = after - before;
    best = static_cast<int64_t>(real - (before + narrowest / 2));
  }
  const int64_t difference = best - offset_.load(std::memory_order_relaxed);
  if (taken == 0 || std::abs(difference) > kOffsetTolerance) {
    offset_.store(best, std::memory_order_relaxed);
  }
  offset_taken_ns_.store(now, std::memory_order_release);  // publishes the offset before it
  return offset_.load(std::memory_order_relaxed);
}

uint64_t Clock::FromEngine(uint64_t engine_ns) {
  const CUpti_TimestampCallbackFunc callback = callback_.load(std::memory_order_acquire);
  if (callback == nullptr) {
    return engine_ns + static_cast<uint64_t>(RealtimeOffset() + Step(engine_ns));
  }
  std::lock_guard lock(mutex_);
  while (Read(CLOCK_MONOTONIC) - callback_engine_ns_ < kShortestLineNs) {
    const timespec wait{0, static_cast<long>(kShortestLineNs)};
    nanosleep(&wait, nullptr);
  }
  const auto [now, said] = ReadBoth(callback);
  const double rate =
      static_cast<double>(said - callback_ns_) / static_cast<double>(now - callback_engine_ns_);
  const double before_now = static_cast<double>(static_cast<int64_t>(now - engine_ns));
  return said - static_cast<uint64_t>(static_cast<int64_t>(before_now * rate));
}

void Clock::SetCallback(CUpti_TimestampCallbackFunc callback) {
  std::lock_guard lock(mutex_);
  const Reading at = callback == nullptr ? Reading{} : ReadBoth(callback);
  callback_engine_ns_ = at.engine_ns;
  callback_ns_ = at.said;
  callback_.store(callback, std::memory_order_release);
}

Clock& TheClock() {
  static Clock& clock = *new Clock;  // never destroyed: the worker may outlive static destructors
  return clock;
}

}  // namespace simgpu::cupti
