// SPDX-License-Identifier: Apache-2.0
// Findings as JSON values, and back.
#pragma once

#include <string>
#include <vector>

#include "model/findings/run_findings.h"
#include "writers/files/json_fields.h"
#include "writers/findings/findings_fields.h"

namespace syncline {

// Sums as `write` does.
Json RankJson(const RankPart& part, SumsWriter write);
// [number, begin_ns, duration_ns] of each step, for people's programs.
Json StepRowsJson(const std::vector<StepSeries>& all);
Json MeetingsJson(const RankMeetings& meetings);
// waits_by_line, of findings and of manifests.
Json LinesJson(const std::vector<LineWaits>& lines);

void TakeRank(const JsonValue& object, RankPart* part);

}  // namespace syncline
