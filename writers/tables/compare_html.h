// SPDX-License-Identifier: Apache-2.0
// A comparison as one page, which loads nothing and works without its script.
#pragma once

#include <string>

#include "compare/comparison.h"

namespace syncline {

std::string ComparisonHtml(const Comparison& comparison);

}  // namespace syncline
