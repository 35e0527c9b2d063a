// SPDX-License-Identifier: Apache-2.0
// From a run's findings to its report.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "model/findings/run_findings.h"
#include "report/kernel_classes.h"
#include "report/report.h"

namespace syncline {

// What is known of a run beside its findings.
struct ReportSources {
  std::string directory;
  std::vector<std::string> problems;  // what could not be read
  std::set<int> left_out;             // ranks, by --ranks
  bool running = false;               // somebody is at work on the run
  bool unwritten = false;             // records are there that are in no trace yet
  bool all = false;                   // findings that bring little, too
  std::string first_failure;          // "; rank 2 was the first to fail", or empty
};

inline constexpr size_t kMostKernels = 50;

Report BuildReport(const RunFindings& findings, const RankMeetings& meetings,
                   const KernelPatterns& patterns, ReportSources sources);

}  // namespace syncline
