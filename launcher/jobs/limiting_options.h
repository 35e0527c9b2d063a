// SPDX-License-Identifier: Apache-2.0
// Which options let only a part of a run be recorded: numbers of its report are of that part.
#pragma once

#include <string>
#include <vector>

#include "writers/findings/manifest.h"

namespace syncline {

// As on a command line, "--steps 5:8": those of the run in `directory`, which its job file has; of
// a run without a launcher, whose processes write for themselves, those in force here.
std::vector<std::string> LimitingOptions(const std::string& directory,
                                         const RankManifest& manifest);

}  // namespace syncline
