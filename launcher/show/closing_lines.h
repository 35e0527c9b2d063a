// SPDX-License-Identifier: Apache-2.0
// The last words of a run: at most four lines about what was written, what was lost, what is
// missing, what to do next.
#pragma once

#include <string>
#include <vector>

#include "launcher/record/write_run.h"

namespace syncline {

// What one launcher knows when it has written its traces.
struct ClosingFacts {
  std::string directory;
  std::vector<RankManifest> traces;  // of this launcher and of the others of its job
  std::vector<int> missing_ranks;
  std::vector<int> absent_ranks;     // no launcher of theirs has come into the job's directory
  uint64_t left_out_ranks = 0;       // by --ranks
  std::vector<std::string> running;  // processes
  std::vector<std::string> late;     // processes that began to record while traces were written
  std::optional<LookedFor> looked_for;
  std::string no_steps;      // NoStepsText
  std::string never_open;    // NeverOpenText
  std::string no_functions;  // NoFunctionsText
  std::string compilations;  // CompilationsText
  std::string unmatched;     // UnmatchedText
  std::string finding;       // OneFinding
};

// What is said where no range fits the pattern of --step-range: what ranges there are. "" if one
// fits. Pure.
std::string NoStepsText(const std::string& pattern, const RunFindings& findings);

// What is said where functions were recorded, but none for a pattern of --python-ranges: which
// ones. "" if each pattern has one, and where that cannot be known: a gate, options or losses kept
// ranges out, a Python could not be watched, or something is still to come. Pure.
std::string NoFunctionsText(const std::string& patterns, const RunFindings& findings,
                            const ClosingFacts& facts);

// What is said of a run in which nothing but compilations was told; "" if there are none. Pure.
std::string CompilationsText(const RunFindings& findings);

// The lines without their prefix; pure.
std::vector<std::string> ClosingLines(const ClosingFacts& facts);

// Adds the other ranks' manifests that are there; the ranks of the rest are missing. Lists one
// directory, however many ranks the job has.
void GatherOtherRanks(const RecordedRun& request, ClosingFacts* facts);

// Says what went wrong here, and then, of several launchers of a job, lets the one that ends last
// say the lines for all: when it comes here it has no mark any more (LauncherMark), all ranks are
// written, or no other launcher is at work. Who finds neither another launcher nor all ranks waits
// a second for them.
void SayClosingLines(const RecordedRun& request, const RunSummary& summary);

// "; rank 2 was the first to fail", or empty where no launcher has seen that.
std::string FirstFailureText(const std::string& directory);

// As short as it can be written from here: relative if it lies below the current directory.
std::string ShortPath(const std::string& path);

}  // namespace syncline
