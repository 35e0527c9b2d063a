// SPDX-License-Identifier: Apache-2.0
// The tables of a comparison.
#pragma once

#include <vector>

#include "compare/comparison.h"
#include "report/section.h"

namespace syncline {

// What became of the findings of A.
Section FatesSection(const Comparison& comparison);
// One for each kind of row, also without rows; told ones first, then the costliest.
std::vector<Section> RowSections(const Comparison& comparison, const RowChoice& choice);

}  // namespace syncline
