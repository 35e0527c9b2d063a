// SPDX-License-Identifier: Apache-2.0
// Whether other programs had the processors while a run was recorded.
#pragma once

#include <map>
#include <string>

#include "model/findings/run_findings.h"

namespace syncline {

// From this share on other programs make a host's times longer.
inline constexpr double kLoadedByOthers = 0.1;

// By host: which share of its processors' time had others than the run. Hosts of which it is not
// known are not there.
std::map<std::string, double> SharesOfOthers(const RunFindings& findings);

// "other programs used 48 % of the processors of node1 meanwhile"; empty: they used less than
// kLoadedByOthers, or it is not known.
std::string LoadText(const RunFindings& findings);

}  // namespace syncline
