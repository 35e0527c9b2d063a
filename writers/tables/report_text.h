// SPDX-License-Identifier: Apache-2.0
// A report for a terminal.
#pragma once

#include <string>

#include "report/report.h"
#include "writers/tables/text_table.h"

namespace syncline {

inline constexpr size_t kMostTextLines = 60;

// What to change stands in the first ten lines. At most kMostTextLines, unless style.all; none is
// wider than style.columns.
std::string ReportText(const Report& report, const TextStyle& style);

}  // namespace syncline
