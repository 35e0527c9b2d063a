// SPDX-License-Identifier: Apache-2.0
// What a process says in its log of things that are not in its trace.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace syncline {

// Warnings that something will not be recorded, or was not: "CUDA: GPU work will not be recorded:
// ...", without the word for the level.
std::vector<std::string> MissingByLog(std::string_view log);

// Those of them of which nothing else tells: what was not recorded, as the process found out.
std::vector<std::string> LostByLog(std::string_view log);

}  // namespace syncline
