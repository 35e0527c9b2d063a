// SPDX-License-Identifier: Apache-2.0
// Turns the times of a GPU's records (CUPTI: CLOCK_REALTIME) into nanoseconds on the job's line.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "inject/core/record.h"
#include "model/spool/timeline.h"

namespace syncline {

// Between readings of the device clock linear, behind and before them parallel. Where that clock
// was set during the run, the line has a step. Built once, then only read.
class DeviceTimeline {
 public:
  // `readings` in any order. Without one the line cannot be built: valid() is false.
  void Build(std::span<const DeviceClockRecord> readings, Timeline* host);

  bool valid() const { return !epochs_.empty(); }
  uint64_t Convert(uint64_t device_ns) const;

  // How far a time may be off, without the host line's own error: half of the widest reading, and
  // how far readings lie from the line that the others make. Nanoseconds.
  uint64_t ErrorNs() const { return error_ns_; }
  // How often the device clock was set.
  size_t steps() const { return epochs_.empty() ? 0 : epochs_.size() - 1; }

 private:
  struct Point {
    uint64_t host_ns;
    uint64_t device_ns;
    uint64_t error_ns;
  };
  // Readings between which the clock was not set.
  using Epoch = std::vector<Point>;

  // Whether the device clock was set between two readings.
  static bool WasSet(const Point& before, const Point& after);
  // The difference from a device time to the host's, modulo 2^64.
  static uint64_t OffsetAt(const Epoch& epoch, uint64_t device_ns);
  const Epoch& EpochOf(uint64_t device_ns) const;

  std::vector<Epoch> epochs_;  // by host time
  uint64_t error_ns_ = 0;
};

}  // namespace syncline
