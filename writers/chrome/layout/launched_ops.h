// SPDX-License-Identifier: Apache-2.0
// The operations of a process as the projection of ranges asks for them.
#pragma once

#include <cstdint>
#include <vector>

#include "writers/chrome/layout/gpu_ranges.h"

namespace syncline {

// A part of a stream's time; nanoseconds on the job's line.
struct Extent {
  uint32_t stream;  // in DeviceLanes::order
  uint64_t begin;
  uint64_t end;
};

// The operations in the order of their correlations, with the times and streams that are shown.
// Takes 4 bytes an operation if they were not recorded in that order. One thread.
class LaunchedOps {
 public:
  // `work` has to outlive this.
  explicit LaunchedOps(const RangeLaunches& work);

  uint32_t size() const { return static_cast<uint32_t>(ops_.size()); }
  uint32_t Correlation(uint32_t index) const { return ops_[At(index)].correlation; }

  // The first operation of this correlation, or size(). Quick where correlations are asked for in
  // order.
  uint32_t Find(uint32_t correlation);

  // False: it is not shown.
  bool Shown(uint32_t index, Extent* extent) const;

  // The operations on the first lane of their stream, by stream and begin: places in GpuRecords.
  std::vector<std::vector<uint32_t>> OnFirstLanes() const;
  // The extent of one of those; an operation that is not shown has no length.
  Extent SpanOnLane(uint32_t op) const;

 private:
  static constexpr uint32_t kNoStream = UINT32_MAX;

  uint32_t At(uint32_t index) const { return order_.empty() ? index : order_[index]; }
  uint32_t LowerBound(uint32_t from, uint32_t correlation) const;
  uint32_t StreamOf(const GpuOp& op) const;
  const DeviceTimeline& ClockOf(uint32_t op) const { return work_.clocks.Of(ops_[op].device); }

  const RangeLaunches& work_;
  const std::vector<GpuOp>& ops_;
  std::vector<uint32_t> order_;  // empty: they are in order
  uint32_t next_ = 0;            // of Find
  mutable GpuStream last_stream_;
  mutable uint32_t last_number_ = kNoStream;
};

}  // namespace syncline
