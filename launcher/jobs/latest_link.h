// SPDX-License-Identifier: Apache-2.0
// The link `latest` beside the runs of a default directory.
#pragma once

#include <string>
#include <vector>

namespace syncline {

// A real file or directory of that name is the user's and stays.
void PointLatestTo(const std::string& parent, const std::string& run);

// Away from `run`, if it points there: to the newest of the other runs; without one it is removed.
void PointLatestAway(const std::string& parent, const std::string& run);

// Of directories, the one whose job file was made last. "": none has one.
std::string NewestOf(const std::vector<std::string>& runs);

// The name of the run that the link leads to, else of the newest. "": there is none.
std::string LatestRun(const std::string& parent);

}  // namespace syncline
