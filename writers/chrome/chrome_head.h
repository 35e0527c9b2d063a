// SPDX-License-Identifier: Apache-2.0
// All of a Chrome trace but its ranges and marks: head, metadata, rows, processes, losses, foot.
#pragma once

#include <string>

#include "model/rank_model.h"
#include "writers/chrome/event_buffer.h"
#include "writers/chrome/time_text.h"
#include "writers/chrome/trace_layout.h"

namespace syncline {

// Everything before the first event. The order of the keys is what readers rely on: HTA takes the
// first "rank": N of the file, and reads nothing that stands behind the events.
std::string TraceHead(const RankModel& model, const TraceLayout& layout);

// Names and order of all rows, then each process's life and its losses. Writes at least one event;
// the first one has no comma before it.
void WriteRowsAndLives(const RankModel& model, const TraceLayout& layout, TimeUnit unit,
                       EventBuffer* out);

// Everything behind the last event. `name` is the file's.
std::string TraceFoot(std::string_view name);

}  // namespace syncline
