// SPDX-License-Identifier: Apache-2.0
// Projects the ranges of a process's threads on the GPU streams that their work went to.
#pragma once

#include <cstdint>
#include <vector>

#include "model/run/rank_model.h"
#include "writers/chrome/layout/device_lanes.h"
#include "writers/chrome/layout/trace_span.h"

namespace syncline {

// The input of the projection: a process's calls and operations as they were read, not yet placed
// in time, and the ranges around its calls.
struct RangeLaunches {
  const GpuRecords& records;
  const DeviceLanes& lanes;  // of the operations
  const DeviceClocks& clocks;
  TimeLimits limits;
  const RangeLog& log;
};

// What one stream did for one range: from the first begin to the last end, nanoseconds on the
// job's line.
struct GpuRange {
  uint64_t begin;
  uint64_t end;
  uint32_t stream;  // in GpuRanges::streams
  uint32_t label;   // in GpuRanges::labels
  uint32_t row;     // 0: the stream's own; n: its n-th for ranges that do not nest there
};

struct GpuRanges {
  std::vector<GpuRange> ranges;  // on each stream the outer ones first
  std::vector<GpuStream> streams;
  std::vector<uint32_t> rows;  // by stream: how many of its own it needs
  std::vector<RangeLabel> labels;
  uint64_t left_out = 0;  // beyond the caps
};

// Memory beside the result: 12 bytes a launch, 4 an operation, 16 a range.
GpuRanges ProjectRanges(const RangeLaunches& work);

}  // namespace syncline
