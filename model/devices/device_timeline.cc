// SPDX-License-Identifier: Apache-2.0
// Readings to epochs, of each epoch one good reading per tenth of a second.
#include "model/devices/device_timeline.h"

#include <algorithm>

namespace syncline {
namespace {

// Nobody slews a clock faster: what moves more between two readings was set.
constexpr uint64_t kMaxSlewPerSecond = 2'000'000;
constexpr uint64_t kSmallestStepNs = 100'000;
// Each operation looks through them. Nobody sets a clock so often: readings beyond are damaged.
constexpr size_t kMostEpochs = 64;
// Readings nearer than this add noise rather than knowledge: 100 ns of it bend durations by 10^-6.
constexpr uint64_t kWindowNs = 100'000'000;

// Offsets between the clocks wrap: damaged readings may hold any numbers.
int64_t Signed(uint64_t difference) { return static_cast<int64_t>(difference); }

uint64_t Distance(uint64_t a, uint64_t b) { return a > b ? a - b : b - a; }

}  // namespace

bool DeviceTimeline::WasSet(const Point& before, const Point& after) {
  const uint64_t passed = after.host_ns - before.host_ns;
  const uint64_t moved = Distance(after.device_ns - before.device_ns, passed);
  const uint64_t slew =
      kSmallestStepNs + after.error_ns + (passed / 1'000'000'000 + 1) * kMaxSlewPerSecond;
  return std::min(moved, 0 - moved) > slew;
}

void DeviceTimeline::Build(std::span<const DeviceClockRecord> readings, Timeline* host) {
  epochs_.clear();
  error_ns_ = 0;
  if (!host->valid()) return;
  std::vector<Point> points;
  for (const DeviceClockRecord& reading : readings) {
    if (reading.after < reading.before) continue;
    const uint64_t from = host->Convert(reading.before), to = host->Convert(reading.after);
    points.push_back({from + (to - from) / 2, reading.device_ns, (to - from) / 2});
  }
  std::sort(points.begin(), points.end(),
            [](const Point& a, const Point& b) { return a.host_ns < b.host_ns; });
  const Point* last = nullptr;
  for (const Point& point : points) {
    if (last == nullptr || WasSet(*last, point)) {
      if (epochs_.size() >= kMostEpochs) continue;
      epochs_.emplace_back();
    }
    Epoch& epoch = epochs_.back();
    last = &point;
    if (!epoch.empty() && point.host_ns - epoch.back().host_ns < kWindowNs) {
      if (point.error_ns < epoch.back().error_ns) {
        epoch.back().device_ns = point.device_ns;
        epoch.back().host_ns = point.host_ns;
        epoch.back().error_ns = point.error_ns;
      }
      continue;
    }
    epoch.push_back(point);
  }
  for (const Epoch& epoch : epochs_) {
    for (const Point& point : epoch) error_ns_ = std::max(error_ns_, point.error_ns);
  }
  if (steps() > 0) return;
  for (const Point& point : points) {
    // A wide reading says little of the line.
    const uint64_t off = Distance(Convert(point.device_ns), point.host_ns);
    if (off > point.error_ns) error_ns_ = std::max(error_ns_, off - point.error_ns);
  }
}

uint64_t DeviceTimeline::OffsetAt(const Epoch& epoch, uint64_t device_ns) {
  const auto next =
      std::upper_bound(epoch.begin(), epoch.end(), device_ns,
                       [](uint64_t ns, const Point& point) { return ns < point.device_ns; });
  const auto offset = [](const Point& point) { return point.host_ns - point.device_ns; };
  if (next == epoch.begin()) return offset(*next);
  const Point& before = *std::prev(next);
  if (next == epoch.end()) return offset(before);
  const double part = static_cast<double>(device_ns - before.device_ns) /
                      static_cast<double>(next->device_ns - before.device_ns);
  const auto change = static_cast<double>(Signed(offset(*next) - offset(before)));
  return offset(before) + static_cast<uint64_t>(static_cast<int64_t>(part * change));
}

// The epoch that holds the time; of none, or of several, the nearest, the later one.
const DeviceTimeline::Epoch& DeviceTimeline::EpochOf(uint64_t device_ns) const {
  const Epoch* best = &epochs_.front();
  uint64_t best_distance = UINT64_MAX;
  for (const Epoch& epoch : epochs_) {
    const uint64_t first = epoch.front().device_ns, last = epoch.back().device_ns;
    const uint64_t distance = device_ns < first  ? first - device_ns
                              : device_ns > last ? device_ns - last
                                                 : 0;
    if (distance > best_distance) continue;
    best = &epoch;
    best_distance = distance;
  }
  return *best;
}

uint64_t DeviceTimeline::Convert(uint64_t device_ns) const {
  const Epoch& epoch = epochs_.size() == 1 ? epochs_.front() : EpochOf(device_ns);
  return device_ns + OffsetAt(epoch, device_ns);
}

}  // namespace syncline
