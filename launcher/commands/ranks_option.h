// SPDX-License-Identifier: Apache-2.0
// The option --ranks as users see it: what is wrong with a list of ranks.
#pragma once

#include <string>

namespace syncline {

// A sentence if `list` has a word that names no rank, or none at all, or one of a rank that a job
// of `world_size` (-1: unknown) cannot have; else "". `where` it stands: "--ranks" or
// "SYNCLINE_RANKS".
std::string RanksProblem(const std::string& where, const std::string& list, int world_size);

}  // namespace syncline
