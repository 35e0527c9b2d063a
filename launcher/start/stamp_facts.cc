// SPDX-License-Identifier: Apache-2.0
// Runs of readings between two readings of CLOCK_MONOTONIC.
#include "launcher/start/stamp_facts.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "inject/core/clock.h"

namespace syncline {
namespace {

constexpr size_t kRuns = 65;
constexpr size_t kReadings = 64;

}  // namespace

StampFacts MeasureStamps(ClockId clock) {
  const ClockId before = g_clock;
  g_clock = clock;
  std::vector<double> costs;
  uint64_t step = 0;
  const uint64_t first_ns = MonotonicNs(), first_ticks = Ticks();
  for (size_t run = 0; run < kRuns; ++run) {
    std::array<uint64_t, kReadings> ticks;
    for (uint64_t& reading : ticks) reading = Ticks();
    costs.push_back(static_cast<double>(ticks.back() - ticks.front()) / (kReadings - 1));
    for (size_t i = 1; i < kReadings; ++i) step = std::gcd(step, ticks[i] - ticks[i - 1]);
  }
  const double ticks = static_cast<double>(Ticks() - first_ticks);
  const double ns_per_tick = static_cast<double>(MonotonicNs() - first_ns) / ticks;
  g_clock = before;
  std::nth_element(costs.begin(), costs.begin() + kRuns / 2, costs.end());
  return {costs[kRuns / 2] * ns_per_tick, static_cast<double>(step) * ns_per_tick};
}

}  // namespace syncline
