// SPDX-License-Identifier: Apache-2.0
// A comparison for programs: docs/compare.md has the fields.
#pragma once

#include <string>

#include "compare/comparison.h"

namespace syncline {

inline constexpr char kComparisonSchema[] = "syncline.comparison/1";

std::string ComparisonJson(const Comparison& comparison);

}  // namespace syncline
