// SPDX-License-Identifier: Apache-2.0
// Findings as tables for people.
#pragma once

#include <string>

#include "model/findings/run_findings.h"

namespace syncline {

// `directory`: as the user named it. `most`: rows of each table.
std::string FindingsTables(const std::string& directory, const RunFindings& findings,
                           const RankMeetings& meetings, size_t most);

}  // namespace syncline
