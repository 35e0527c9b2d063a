// SPDX-License-Identifier: Apache-2.0
// Writes what a framework's compiler did in a process as slices on a row of their own.
#pragma once

#include "model/run/rank_model.h"
#include "writers/chrome/layout/rows.h"
#include "writers/chrome/text/event_buffer.h"
#include "writers/chrome/text/time_text.h"

namespace syncline {

// Behind other events of the trace.
void WriteCompilations(const ProgramRun& run, const RankModel& model, const RowIds& rows,
                       TimeUnit unit, EventBuffer* out);

}  // namespace syncline
