// SPDX-License-Identifier: Apache-2.0
// The findings of a report for a spreadsheet: RFC 4180.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"

namespace syncline {

std::string ReportCsv(const Report& report);

// No formula for a spreadsheet: what begins like one gets a quote in front.
std::string CsvCell(std::string_view text);

}  // namespace syncline
