// SPDX-License-Identifier: Apache-2.0
// The tables of a report on a terminal.
#pragma once

#include <vector>

#include "report/report.h"
#include "writers/tables/text_table.h"

namespace syncline {

// In the order in which they are shown; those without rows too.
std::vector<TextTable> TablesOf(const Report& report, bool all_rows);

}  // namespace syncline
