// SPDX-License-Identifier: Apache-2.0
// The last words of a run: at most four lines about what was written, what was lost, what is
// missing, what to do next.
#pragma once

#include <string>
#include <vector>

#include "launcher/format_run.h"

namespace syncline {

struct ReportFacts {
  std::string directory;
  std::vector<RankManifest> traces;  // of this launcher and of the others of its job
  std::vector<int> missing_ranks;
  std::vector<std::string> running;  // processes
  std::vector<std::string> late;     // processes that began to record while traces were written
  std::optional<LookedFor> looked_for;
};

// The lines without their prefix; pure.
std::vector<std::string> ReportLines(const ReportFacts& facts);

// Adds the other ranks' manifests that are there, or come within a second; the ranks of the rest
// are missing. Lists one directory a round, however many ranks the job has.
void GatherOtherRanks(const FormatRequest& request, ReportFacts* facts);

// Says the lines if `speaks`, and whatever went wrong in any case. The launcher of rank 0 waits up
// to a second for the manifests of the other ranks, so that its lines cover them.
void ReportRun(const FormatRequest& request, const FormatSummary& summary, bool speaks);

// As short as it can be written from here: relative if it lies below the current directory.
std::string ShortPath(const std::string& path);

}  // namespace syncline
