// SPDX-License-Identifier: Apache-2.0
// The one thing that is said of a run after it.
#pragma once

#include <string>
#include <string_view>

#include "model/run_findings.h"

namespace syncline {

// The costliest of: a rank that the others waited for in collectives; waits of one class in one
// call within one range; devices that computed nothing for a cause. What a rank costs is what the
// others waited for it; what waits cost is the time that threads were blocked; all is summed over
// the ranks and divided by their number. Empty: nothing costs a hundredth of the run. Gaps behind
// waits are those waits', and those after the last operation are no finding.
std::string OneFinding(const RunFindings& findings, const RankMeetings& meetings);

// From the first begin to the last end of a rank. 0: no rank is complete.
uint64_t RunLengthNs(const RunFindings& findings);

// "between a.py:3 f() and a.py:9 g()", "on the way to a.py:9 g()" (in a loop, or the line before is
// not known), "after a.py:3 f()"; empty: neither line is known.
std::string LinesText(std::string_view before, std::string_view next);

// "rank 1 came last to 14 of 18 collectives; the others waited 2.8 s for it"; `waited_ns` is set.
// Empty: nobody waited.
std::string LateRankText(const RankMeetings& meetings, uint64_t* waited_ns);

}  // namespace syncline
