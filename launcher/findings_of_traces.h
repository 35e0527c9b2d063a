// SPDX-License-Identifier: Apache-2.0
// Findings for traces that have none: an older Syncline wrote them, or somebody removed the
// findings.
#pragma once

#include <string>

#include "launcher/rank_part.h"

namespace syncline {

// Reads each such trace of `directory` once, one trace after the other, adds what it tells to
// `run`, and writes it to run/rank-N.findings where that can be written. Says what it does.
void AddFindingsOfTraces(const std::string& directory, ReadRun* run);

}  // namespace syncline
