// SPDX-License-Identifier: Apache-2.0
// The files of findings of a run's directory.
#pragma once

#include <string>
#include <vector>

#include "model/run_findings.h"
#include "writers/manifest.h"

namespace syncline {

// DIR/run/rank-3.findings
std::string FindingsPath(const std::string& directory, const std::string& group_name);

// What the manifest says, for the rank's part; marks it complete.
void FillPart(const RankManifest& manifest, RankPart* part);

// Of one rank's findings: writes the name of its trace where findings of several ranks tell it.
void NameRank(const std::string& name, RunFindings* findings);

// The clock on which times stand that were recorded on `host` and that `job_anchor` ties to the
// job's line. Of another host than this one only its name is known.
ClockLine LineOf(const Anchor& job_anchor, const std::string& host);

// Whether this is a rank's trace, and not one beside it (of processes that outlived the run, whose
// collectives cannot be numbered).
bool IsWholeRank(const std::string& group_name, int rank);

// All findings below `directory`, merged; of those that cannot be read a sentence each.
struct ReadRun {
  RunFindings findings;
  std::vector<std::string> problems;
};
ReadRun ReadRunFindings(const std::string& directory);

// Names of the traces in `directory` that have no findings in its run/: somebody removed them.
std::vector<std::string> TracesWithoutFindings(const std::string& directory);

// How the ranks met: from their parts.
RankMeetings MeetingsOf(RunFindings* findings);

}  // namespace syncline
