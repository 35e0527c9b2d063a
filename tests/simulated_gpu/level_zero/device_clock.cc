// SPDX-License-Identifier: Apache-2.0
// The clocks of devices.
#include "tests/simulated_gpu/level_zero/device_clock.h"

#include <algorithm>
#include <ctime>
#include <deque>
#include <iterator>
#include <mutex>

#include "tests/simulated_gpu/engine/clock.h"
#include "tests/simulated_gpu/level_zero/settings.h"

namespace simgpu::level_zero {
namespace {

constexpr int64_t kBetweenPairsNs = 10'000'000;
constexpr size_t kMostPieces = 20'000;
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

// From `begin_ns` of CLOCK_MONOTONIC to the next piece: what was wrong at its begin is made good
// little by little, so that the line has no steps, and a time once asked for stays what it was.
struct Piece {
  uint64_t begin_ns, raw_ns;
  int64_t wrong_ns;

  uint64_t At(uint64_t monotonic_ns) const {
    const auto since = static_cast<int64_t>(monotonic_ns - begin_ns);
    const int64_t made_good = wrong_ns * std::min(since, kBetweenPairsNs) / kBetweenPairsNs;
    return raw_ns + static_cast<uint64_t>(since + made_good);
  }
};

struct Line {
  std::mutex mutex;
  std::deque<Piece> pieces;
};
Line& TheLine() {
  static Line& line = *new Line;
  return line;
}

Piece NextPiece(const std::deque<Piece>& pieces) {
  const Pair pair = Measure();
  if (pieces.empty()) return {pair.monotonic_ns, pair.raw_ns, 0};
  const uint64_t raw_ns = pieces.back().At(pair.monotonic_ns);
  const auto wrong_ns = static_cast<int64_t>(pair.raw_ns - raw_ns);
  return {pair.monotonic_ns, raw_ns,
          std::clamp(wrong_ns, -kBetweenPairsNs / 2, kBetweenPairsNs / 2)};
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
  Line& line = TheLine();
  std::lock_guard<std::mutex> lock(line.mutex);
  std::deque<Piece>& pieces = line.pieces;
  if (pieces.empty() || (monotonic_ns > pieces.back().begin_ns &&
                         Now() - pieces.back().begin_ns > uint64_t{kBetweenPairsNs})) {
    pieces.push_back(NextPiece(pieces));
    if (pieces.size() > kMostPieces) pieces.pop_front();
  }
  const auto after = std::upper_bound(pieces.begin(), pieces.end(), monotonic_ns,
                                      [](uint64_t at, const Piece& p) { return at < p.begin_ns; });
  return (after == pieces.begin() ? *after : *std::prev(after)).At(monotonic_ns);
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
