// SPDX-License-Identifier: Apache-2.0
// Options that nothing of the run fitted, told with the nearest name that was there.
#pragma once

#include <string>
#include <vector>

#include "model/findings/run_findings.h"
#include "writers/findings/manifest.h"

namespace syncline {

// Their texts; empty: not given.
struct NameOptions {
  std::string kernels;
  std::string own;
  std::string skip;
  std::string ranks;
};

NameOptions GivenNameOptions();

// Sentences joined by "; ". "": all fit, or nobody can know. `traces`: of all ranks, all written.
// Pure.
std::string UnmatchedText(const NameOptions& options, const RunFindings& findings,
                          const std::vector<RankManifest>& traces, bool ranks_left_out);

}  // namespace syncline
