// SPDX-License-Identifier: Apache-2.0
// A rank's trace alone, as tests and benchmarks want it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "offline/rank_job.h"
#include "offline/rank_pipeline.h"
#include "writers/chrome/event_filter.h"
#include "writers/chrome/text/time_text.h"

namespace syncline {

struct TraceJob : RankJob {
  std::string output;  // path of the trace
  TimeUnit unit = TimeUnit::kNs;
  EventFilter shown;
  std::string step_range;
  // Called before the second reading: findings of the test's own may be planted in the runs.
  std::function<void(const RankModel&)> plant;
};

// The pipeline that writes the trace, and nothing else.
std::unique_ptr<RankPipeline> TracePipeline(const TraceJob& job);

// All of it.
RankResult WriteRankTrace(const TraceJob& job);

}  // namespace syncline
