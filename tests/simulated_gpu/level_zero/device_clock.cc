// SPDX-License-Identifier: Apache-2.0
// The clocks of devices.
#include "tests/simulated_gpu/level_zero/device_clock.h"

#include <ctime>
#include <deque>
#include <mutex>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/level_zero/settings.h"

namespace simgpu::level_zero {
namespace {

constexpr uint64_t kBetweenPairsNs = 10'000'000;
constexpr size_t kMostPairs = 20'000;
constexpr uint64_t kBetweenDevicesNs = 10'000'000;  // devices' counters do not stand alike

uint64_t start_raw_ns = 0;

// The two clocks at one moment. NTP slews the one and not the other.
struct Pair {
  uint64_t monotonic_ns, raw_ns;
};

Pair Measure() {
  Pair best{};
  uint64_t best_width = UINT64_MAX;
  for (int i = 0; i < 5; ++i) {
    const uint64_t before = Now();
    const uint64_t raw_ns = RawNow();
    const uint64_t width = Now() - before;
    if (width >= best_width) continue;
    best_width = width;
    best = {before + width / 2, raw_ns};
  }
  return best;
}

struct Pairs {
  std::mutex mutex;
  std::deque<Pair> all;
};
Pairs& AllPairs() {
  static Pairs& pairs = *new Pairs;
  return pairs;
}

uint64_t Shift(const Pair& pair, uint64_t monotonic_ns) {
  return pair.raw_ns + monotonic_ns - pair.monotonic_ns;
}

}  // namespace

CycleCounter::CycleCounter(uint64_t hz, int64_t slew_ppm, uint32_t wrap_bits, uint64_t wrap_ns)
    : cycles_per_ns_(static_cast<double>(hz) / 1e9 * (1 + static_cast<double>(slew_ppm) / 1e6)),
      wrap_ns_(wrap_ns),
      at_wrap_(wrap_bits >= 64 ? 0 : uint64_t{2} << wrap_bits) {}

uint64_t CycleCounter::At(uint64_t raw_ns) const {
  // Relative to the wrap, so that a double has enough digits.
  if (raw_ns >= wrap_ns_)
    return at_wrap_ +
           static_cast<uint64_t>(static_cast<double>(raw_ns - wrap_ns_) * cycles_per_ns_);
  const double before = static_cast<double>(wrap_ns_ - raw_ns) * cycles_per_ns_;
  return at_wrap_ - static_cast<uint64_t>(before) - 1;
}

uint64_t RawNow() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1000000000ull + static_cast<uint64_t>(now.tv_nsec);
}

uint64_t RawAt(uint64_t monotonic_ns) {
  Pairs& pairs = AllPairs();
  std::lock_guard<std::mutex> lock(pairs.mutex);
  std::deque<Pair>& all = pairs.all;
  if (all.empty()) all.push_back(Measure());
  if (monotonic_ns > all.back().monotonic_ns && Now() - all.back().monotonic_ns > kBetweenPairsNs) {
    all.push_back(Measure());
    if (all.size() > kMostPairs) all.pop_front();
  }
  if (monotonic_ns <= all.front().monotonic_ns) return Shift(all.front(), monotonic_ns);
  if (monotonic_ns >= all.back().monotonic_ns) return Shift(all.back(), monotonic_ns);
  size_t low = 0, high = all.size() - 1;  // low is before, high not before the time
  while (high - low > 1) {
    const size_t middle = (low + high) / 2;
    (all[middle].monotonic_ns < monotonic_ns ? low : high) = middle;
  }
  const double part = static_cast<double>(monotonic_ns - all[low].monotonic_ns) /
                      static_cast<double>(all[high].monotonic_ns - all[low].monotonic_ns);
  return all[low].raw_ns +
         static_cast<uint64_t>(part * static_cast<double>(all[high].raw_ns - all[low].raw_ns));
}

void StartClocks() {
  if (start_raw_ns != 0) return;
  start_raw_ns = RawNow();
  RawAt(Now());
}

uint64_t DeviceCycles(uint32_t device, uint64_t raw_ns) {
  const Settings& settings = Settings::OfProcess();
  const uint64_t wrap_ns = start_raw_ns + settings.wrap_ms * 1'000'000 + device * kBetweenDevicesNs;
  return CycleCounter(settings.timer_hz, settings.slew_ppm, settings.kernel_timestamp_bits, wrap_ns)
      .At(raw_ns);
}

uint64_t MaskTo(uint64_t cycles, uint32_t bits) {
  return bits >= 64 ? cycles : cycles & ((uint64_t{1} << bits) - 1);
}

}  // namespace simgpu::level_zero
