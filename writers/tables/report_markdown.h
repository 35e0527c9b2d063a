// SPDX-License-Identifier: Apache-2.0
// A report for a merge request, an issue or a wiki: Markdown as GitHub and GitLab read it.
#pragma once

#include <string>
#include <string_view>

#include "report/report.h"
#include "report/section.h"

namespace syncline {

std::string ReportMarkdown(const Report& report);

// As a reader of Markdown shows it back: no character means anything.
std::string MarkdownText(std::string_view text);
// The same in a span of code, also within a table.
std::string MarkdownCode(std::string_view text);
// With its heading; empty: the section has no rows.
std::string MarkdownTable(const Section& section);

}  // namespace syncline
