// SPDX-License-Identifier: Apache-2.0
// A run that is over, or is still going on, as its files tell it.
#include "launcher/show/kept_run.h"

#include <charconv>
#include <climits>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/node_places.h"
#include "launcher/show/closing_lines.h"
#include "launcher/show/read_findings.h"
#include "report/report_builder.h"

namespace syncline {
namespace {

// Whether processes have left records, of which no trace was made.
bool HasSpools(const std::string& directory) {
  const std::string root = directory + "/run/spool";
  for (const std::string& node : ListDirectory(root)) {
    for (const std::string& name : ListDirectory(Text(root, "/", node))) {
      if (name.ends_with(".spool")) return true;
    }
  }
  return false;
}

constexpr char kToGetFindings[] =
    "Record the run again; if run/spool still holds its records, `syncline recover` writes them.";

// A report is made of findings, not of traces: which traces have none; empty: all have.
std::string GoneText(const std::string& directory) {
  const std::vector<std::string> bare = TracesWithoutFindings(directory);
  if (bare.empty()) return "";
  return Text("the findings of ", SomeNames(bare),
              " are gone (run/*.findings), of which a report is made. ", kToGetFindings);
}

// Why there are no findings, and what to do.
std::string NothingThere(const std::string& directory, bool running) {
  const std::string where = ShellQuote(directory);
  if (!IsDirectory(directory))
    return Text("there is no directory ", where,
                ". Name the directory that `syncline run` printed.");
  if (running) {
    return Text("the run in ", where, " is not over, and no rank has written its findings. Call ",
                "`syncline report` again when it is.");
  }
  if (const std::string gone = GoneText(directory); !gone.empty()) return gone;
  if (!IsDirectory(directory + "/run")) {
    return Text(where, " is not the directory of a run: it has no folder run/. Name the directory ",
                "that `syncline run` printed.");
  }
  return Text("there are no findings in ", where, ": nothing was recorded, or its traces are not ",
              "written yet. `syncline recover ", where, "` writes them.");
}

// As it is called in messages and in the report, wherever links lead.
std::string RealPath(const std::string& directory) {
  char path[PATH_MAX];
  return realpath(directory.c_str(), path) == nullptr ? AbsolutePath(directory) : path;
}

}  // namespace

std::set<int> LeftOutRanks(const std::string& directory) {
  constexpr std::string_view kBefore = "rank-", kAfter = ".left-out";
  std::set<int> ranks;
  for (const std::string& name : ListDirectory(directory + "/run")) {
    if (!name.starts_with(kBefore) || !name.ends_with(kAfter)) continue;
    int rank = -1;
    const char* const end = name.data() + name.size() - kAfter.size();
    const auto [after, error] = std::from_chars(name.data() + kBefore.size(), end, rank);
    if (error == std::errc() && after == end && rank >= 0) ranks.insert(rank);
  }
  return ranks;
}

bool ReadKeptRun(const std::string& directory, const KernelPatterns& patterns, bool all,
                 KeptRun* kept) {
  ReadRun run = ReadRunFindings(directory);
  const bool running = IsLauncherAtWork(directory);
  if (const std::string gone = GoneText(directory);
      !running && !gone.empty() && !run.findings.ranks.empty())
    run.problems.push_back(gone);
  for (const std::string& problem : run.problems) SayWarning(problem);
  if (run.findings.ranks.empty()) {
    SayError(NothingThere(directory, running));
    return false;
  }
  kept->whole = run.problems.empty();
  kept->meetings = MeetingsOf(&run.findings);
  kept->report = BuildReport(run.findings, kept->meetings, patterns,
                             {RealPath(directory), std::move(run.problems), LeftOutRanks(directory),
                              running, HasSpools(directory), all, FirstFailureText(directory)});
  kept->findings = std::move(run.findings);
  return true;
}

}  // namespace syncline
