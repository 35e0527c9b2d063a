// SPDX-License-Identifier: Apache-2.0
// `syncline report --finding N --evidence`: one finding and what stands behind it, for programs.
#pragma once

#include <cstddef>
#include <string>

#include "report/report.h"

namespace syncline {

inline constexpr char kEvidenceSchema[] = "syncline.evidence/1";
inline constexpr size_t kMostEvidenceBytes = 8192;

// JSON of at most kMostEvidenceBytes: docs/report.md. What had no room is counted in it. `report`
// has one finding.
std::string EvidenceJson(const Report& report);

}  // namespace syncline
