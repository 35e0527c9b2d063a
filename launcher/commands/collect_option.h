// SPDX-License-Identifier: Apache-2.0
// The option --collect as users see it: the names that it takes, and what is wrong with a list of
// them.
#pragma once

#include <string>
#include <vector>

namespace syncline {

// Of all collectors, by source number.
std::vector<std::string> CollectorNames();

// A sentence if `list` names an unknown collector, or none at all; else "". `where` it stands:
// "--collect" or "SYNCLINE_COLLECT".
std::string CollectProblem(const std::string& where, const std::string& list);

// The help of an option; that of --collect ends with the names.
std::string OptionHelp(size_t index);

}  // namespace syncline
