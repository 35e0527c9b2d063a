// SPDX-License-Identifier: Apache-2.0
// What a reader left out because it keeps only so much: nothing was lost, and nothing may vanish
// unsaid.
#pragma once

#include <string>
#include <vector>

#include "model/run/rank_model.h"

namespace syncline {

// Sentences with counts; none: all is in the trace. After the trace was written.
std::vector<std::string> LeftOutTexts(const ProgramRun& run);

}  // namespace syncline
