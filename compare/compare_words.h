// SPDX-License-Identifier: Apache-2.0
// What is said of a comparison beside its rows.
#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"

namespace syncline {

// "before -> after: one run of each, 20 and 20 steps, 1 rank   (Simulated)".
std::string HeadText(const Comparison& comparison);
// Where nothing is told.
std::string NoChangeText(const Comparison& comparison);
// What limits the second program now: the first of its findings.
std::string LimitsText(const Comparison& comparison);
// To know about the numbers, in sentences.
std::vector<std::string> NotesOf(const Comparison& comparison);

}  // namespace syncline
