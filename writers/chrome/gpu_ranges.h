// SPDX-License-Identifier: Apache-2.0
// Projects the ranges of a process's threads on the GPU streams that their work went to.
#pragma once

#include <cstdint>
#include <vector>

#include "model/rank_model.h"
#include "writers/chrome/device_lanes.h"
#include "writers/chrome/trace_span.h"

namespace syncline {

// A call that made a GPU do something. Times are ticks.
struct Launch {
  uint64_t begin;
  uint32_t thread;  // as in RangeLog
  uint32_t correlation;
};

// Times are those that are shown.
struct LaunchedOp {
  uint64_t begin;
  uint64_t end;
  uint32_t correlation;
  uint32_t stream : 31;  // in RangeWork::streams
  uint32_t first_lane : 1;
};

// What the projection needs, in any order but for `ranges`.
struct RangeWork {
  std::vector<Launch> launches;
  std::vector<LaunchedOp> ops;
  std::vector<GpuStream> streams;
  std::vector<LoggedRange> ranges;  // an inner one before the one around it
  std::vector<RangeLabel> labels;
  uint64_t left_out = 0;
};

// The run's records are as they were read: not yet placed in time. `lanes`: of its operations.
RangeWork RangeWorkOf(const ProgramRun& run, const DeviceLanes& lanes, const TimeLimits& limits);

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
  std::vector<GpuRange> ranges;  // of a stream the outer ones first
  std::vector<GpuStream> streams;
  std::vector<uint32_t> rows;  // by stream: how many of its own it needs
  std::vector<RangeLabel> labels;
  uint64_t left_out = 0;  // beyond the caps
};

// `work` is used up.
GpuRanges ProjectRanges(RangeWork work);

}  // namespace syncline
