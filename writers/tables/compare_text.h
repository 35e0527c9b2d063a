// SPDX-License-Identifier: Apache-2.0
// A comparison for a terminal.
#pragma once

#include <string>

#include "compare/comparison.h"
#include "writers/tables/text_table.h"

namespace syncline {

// What changed stands in the first ten lines. At most kMostTextLines (report_text.h), unless
// style.all; none is wider than style.columns.
std::string ComparisonText(const Comparison& comparison, const TextStyle& style);

}  // namespace syncline
