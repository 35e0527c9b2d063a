// SPDX-License-Identifier: Apache-2.0
// A document for each stage: which kernels it launched.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/report.h"

namespace syncline {

inline constexpr char kStageBreakdownSchema[] = "syncline.stage-breakdown/1";
inline constexpr char kStageBreakdownEnd[] = "_breakdown.json";
inline constexpr size_t kMostStageBreakdowns = 64;

// Names of files, which are the stages' as far as a name of a file may have that, and their texts:
// of the costliest stages that launched kernels. The text begins with the schema.
std::vector<std::pair<std::string, std::string>> StageBreakdowns(const Report& report);

}  // namespace syncline
