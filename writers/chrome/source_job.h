// SPDX-License-Identifier: Apache-2.0
// What the events of one source in one process need.
#pragma once

#include <cstdint>

#include "model/run/code_location.h"
#include "model/run/compiled_run.h"
#include "model/run/module_log.h"
#include "model/run/source_run.h"
#include "model/run/time_limits.h"
#include "writers/chrome/event_filter.h"
#include "writers/chrome/layout/gpu_rows.h"
#include "writers/chrome/text/event_buffer.h"
#include "writers/chrome/text/finding_text.h"
#include "writers/chrome/text/stack_frames.h"
#include "writers/chrome/text/time_text.h"

namespace syncline {

struct SourceJob {
  EventBuffer* out = nullptr;
  const SourceRun* source = nullptr;
  const GpuRows* rows = nullptr;
  TimeText time;
  int32_t rank = 0;
  int32_t pid = 0;            // for names
  uint64_t flows_before = 0;  // numbers of arrows that other SourceRuns of the rank may use
  TimeLimits limits;
  EventFilter shown;
  const FilteredOps* shown_ops = nullptr;  // null: `shown` means all
  const OwnCode* own = nullptr;            // null: all that no installation brings
  StackFrames* stacks = nullptr;           // of the trace; null: slices have no stack
  const ModuleLog* modules = nullptr;      // null: there are none
  const CompiledRun* compiled = nullptr;   // null: nothing is known of compilations

  uint64_t Correlation(uint32_t correlation) const {
    return TraceCorrelation(source->number, correlation);
  }
  // Where the rank's numbers of arrows begin.
  uint64_t FlowsOfRank() const;
};

}  // namespace syncline
