// SPDX-License-Identifier: Apache-2.0
// Writes one rank's processes as a Chrome trace: the second reading of the spools.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "writers/chrome_events.h"
#include "writers/event_buffer.h"
#include "writers/rank_plan.h"

namespace syncline {

struct ChromeJob {
  TimeUnit unit = TimeUnit::kNs;
  std::string_view name;  // of the file, for the trace's last line
  // Bytes of spools read so far in this reading; false cancels.
  std::function<bool(uint64_t bytes)> progress;
};

// Fills in the images' counts and what was found to be damaged only now. Not ok: the sink failed,
// or cancelled. A spool that cannot be read to its end is an image's problem; what came before is
// written.
Status WriteChromeTrace(RankPlan* plan, const ChromeJob& job, EventBuffer* out);

}  // namespace syncline
