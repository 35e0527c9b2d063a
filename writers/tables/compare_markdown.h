// SPDX-License-Identifier: Apache-2.0
// A comparison for a merge request.
#pragma once

#include <string>

#include "compare/comparison.h"

namespace syncline {

std::string ComparisonMarkdown(const Comparison& comparison);

}  // namespace syncline
