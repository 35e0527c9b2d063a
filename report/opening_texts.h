// SPDX-License-Identifier: Apache-2.0
// What a report begins with, in sentences: how processes ended, and where memory was short.
#pragma once

#include <string>
#include <vector>

#include "report/report.h"

namespace syncline {

std::vector<std::string> OpeningTexts(const Report& report);

}  // namespace syncline
