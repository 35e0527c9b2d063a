// SPDX-License-Identifier: Apache-2.0
// Where the processes and devices of a rank stand in its trace.
#pragma once

#include <memory>
#include <vector>

#include "model/run/rank_model.h"
#include "writers/chrome/layout/device_lanes.h"
#include "writers/chrome/layout/gpu_ranges.h"
#include "writers/chrome/layout/gpu_rows.h"
#include "writers/chrome/layout/rows.h"
#include "writers/chrome/layout/steps.h"

namespace syncline {

struct TraceLayout {
  std::vector<RowIds> rows;       // by ProgramRun::index
  std::vector<GpuRanges> ranges;  // by SourceRun::number
  GpuRows gpu_rows;
  std::vector<StepsOfRun> steps;  // by ProgramRun::index; empty: none are asked for
};

// `lanes`: of each input, as in ProgramRun::input.
TraceLayout LayOut(const RankModel& model, const std::vector<std::unique_ptr<SourceLanes>>& lanes);

}  // namespace syncline
