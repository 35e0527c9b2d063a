// SPDX-License-Identifier: Apache-2.0
// How far a report can be trusted, in sentences.
#pragma once

#include "report/report_builder.h"

namespace syncline {

// After the ranks.
void AddHealth(const RunFindings& findings, const RankMeetings& meetings,
               const ReportSources& sources, Report* report);

}  // namespace syncline
