// SPDX-License-Identifier: Apache-2.0
// The rows of a Chrome trace, and what stands on the row of each process: its life, its losses.
#pragma once

#include "model/rank_model.h"
#include "writers/chrome/event_buffer.h"
#include "writers/chrome/time_text.h"
#include "writers/chrome/trace_layout.h"

namespace syncline {

// Names and order of all rows, then each process's life and its losses. Writes at least one event;
// the first one has no comma before it.
void WriteRowsAndLives(const RankModel& model, const TraceLayout& layout, TimeUnit unit,
                       EventBuffer* out);

// Behind a run's events: what of it the trace has no room for (LeftOutTexts).
void WriteLeftOut(const ProgramRun& run, const RankModel& model, const TraceLayout& layout,
                  TimeUnit unit, EventBuffer* out);

}  // namespace syncline
