// SPDX-License-Identifier: Apache-2.0
// A run's report as one page of HTML: report.html.
#pragma once

#include <string>

#include "report/report.h"

namespace syncline {

// The whole file. It asks the network for nothing, and its policy (CSP) allows only the page's own
// style and script, by their hashes. What is too much is summed up or left out, and the page says
// so: it stays below 5 MB.
std::string ReportHtml(const Report& report);

}  // namespace syncline
