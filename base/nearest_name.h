// SPDX-License-Identifier: Apache-2.0
// Which word was meant by one that is not known.
#pragma once

#include <string>
#include <vector>

namespace syncline {

// The candidate with the least edit distance; empty if none is near enough to be a slip of the hand
// (IsSlip; dashes in front do not count).
std::string NearestName(const std::string& name, const std::vector<std::string>& candidates);

}  // namespace syncline
