// SPDX-License-Identifier: Apache-2.0
// What stands before the first event of a Chrome trace, and behind the last.
#pragma once

#include <string>
#include <string_view>

#include "model/run/rank_model.h"
#include "writers/chrome/event_filter.h"
#include "writers/chrome/layout/trace_layout.h"
#include "writers/chrome/text/stack_frames.h"

namespace syncline {

// Everything before the first event. The order of the keys is what readers rely on: HTA takes the
// first "rank": N of the file, and reads nothing that stands behind the events.
// `shown`: what the trace is limited to.
std::string TraceHead(const RankModel& model, const TraceLayout& layout, const EventFilter& shown);

// Everything behind the last event. `name` is the file's.
std::string TraceFoot(std::string_view name, const StackFrames& stacks);

}  // namespace syncline
