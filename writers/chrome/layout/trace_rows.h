// SPDX-License-Identifier: Apache-2.0
// The rows of a Chrome trace, and what stands on the row of each process: its life, its losses.
#pragma once

#include "model/run/rank_model.h"
#include "writers/chrome/layout/trace_layout.h"
#include "writers/chrome/text/event_buffer.h"
#include "writers/chrome/text/time_text.h"

namespace syncline {

// Names and order of all rows, then each process's life and its losses. Writes at least one event;
// the first one has no comma before it.
void WriteRowsAndLives(const RankModel& model, const TraceLayout& layout, TimeUnit unit,
                       EventBuffer* out);

// Behind a run's events: what of it the trace has no room for (LeftOutTexts).
void WriteLeftOut(const ProgramRun& run, const RankModel& model, const TraceLayout& layout,
                  TimeUnit unit, EventBuffer* out);

}  // namespace syncline
