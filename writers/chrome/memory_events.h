// SPDX-License-Identifier: Apache-2.0
// Counters of what a framework's allocators have given out and hold.
#pragma once

#include "model/run/rank_model.h"
#include "writers/chrome/layout/rows.h"
#include "writers/chrome/text/event_buffer.h"
#include "writers/chrome/text/time_text.h"

namespace syncline {

// At most so many points of a device are written.
inline constexpr size_t kMostMemoryPoints = 16384;

// A counter for each device, in the process's own row.
void WriteMemory(const ProgramRun& run, const RankModel& model, const RowIds& rows, TimeUnit unit,
                 EventBuffer* out);

}  // namespace syncline
