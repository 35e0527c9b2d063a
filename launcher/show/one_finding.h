// SPDX-License-Identifier: Apache-2.0
// The one thing that is said of a run after it.
#pragma once

#include <string>

#include "report/report.h"

namespace syncline {

// "waited 54 ms for the GPU at a.py:12 step() (230 times, in cudaStreamSynchronize); that is worth
// 13 ms (22 %) if the value is not needed there": the first of the answers
// (report/ranked_changes.h). Without prices, the one that cost most. Where memory was short, the
// report's first sentence of that; else, where one of several ranks was killed, that. Empty:
// nothing is worth a hundredth of the time.
std::string OneFinding(const RunFindings& findings, const RankMeetings& meetings);

// From the first begin to the last end of a rank. 0: no rank is complete.
uint64_t RunLengthNs(const RunFindings& findings);

// "rank 1 came last to 14 of 18 collectives; the others waited 2.8 s for it". `late`: the finding
// of a late rank. Empty: nothing is known of the rank.
std::string LateRankText(const RankMeetings& meetings, const ReportFinding& late);

}  // namespace syncline
