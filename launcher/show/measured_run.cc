// SPDX-License-Identifier: Apache-2.0
// What `syncline report` would say of it.
#include "launcher/show/measured_run.h"

#include <algorithm>
#include <set>
#include <utility>

#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/node_places.h"
#include "launcher/show/kept_run.h"
#include "launcher/show/read_findings.h"
#include "offline/rank_paths.h"
#include "report/report_builder.h"
#include "report/report_endings.h"

namespace syncline {

namespace {

// A job of which a rank is not there; empty: all are, or the user left them out.
std::string MissingRanks(const std::string& directory, const RunFindings& findings) {
  std::set<int> there = LeftOutRanks(directory);
  int world_size = 0;
  for (const auto& [name, part] : findings.ranks) {
    if (!IsWholeRank(name, part.rank)) continue;
    if (part.rank >= 0) there.insert(part.rank);
    world_size = std::max(world_size, part.world_size);
  }
  if (static_cast<int>(there.size()) >= world_size) return "";
  return Text("of ", world_size, " ranks only ", there.size(),
              " have findings: half of a job measures nothing. `syncline report ",
              ShellQuote(directory), "` says which are missing.");
}

// Why numbers of the run would be too small; empty: they are not.
std::string UnfitToMeasure(const Report& report, const RunFindings& findings) {
  if (!report.endings.empty())
    return Text("the program did not end well: ", EndingText(report.endings.front()),
                ". What it would have done is not in the numbers.");
  for (const auto& [name, part] : findings.ranks) {
    if (part.calls == 0 && part.device_ops != 0)
      return Text("of ", name, " operations of a GPU were recorded and none of the calls that ",
                  "began them: nobody knows what waited. Record it without options that leave ",
                  "calls out.");
  }
  return "";
}

}  // namespace

std::string ReadMeasuredRun(const std::string& directory, MeasuredRun* run) {
  const std::string where = ShellQuote(directory);
  if (!IsDirectory(directory))
    return Text("there is no directory ", where,
                ". Name the directory that `syncline run` printed.");
  if (IsLauncherAtWork(directory))
    return Text("the run in ", where, " is not over: measure it when it is.");
  ReadRun read = ReadRunFindings(directory);
  if (!read.problems.empty()) return Text(JoinNames(read.problems), ".");
  if (read.findings.ranks.empty())
    return Text("there are no findings in ", where,
                ": it is no directory of a run, or nothing was ", "recorded. `syncline report ",
                where, "` says which.");
  const std::vector<std::string> bare = TracesWithoutFindings(directory);
  if (!bare.empty())
    return Text("the findings of ", SomeNames(bare), " are gone (run/*.findings in ", where,
                "). Record the run again.");
  if (const std::string missing = MissingRanks(directory, read.findings); !missing.empty())
    return missing;
  const RankMeetings meetings = MeetingsOf(&read.findings);
  ReportSources sources;
  sources.directory = directory;
  run->report = BuildReport(read.findings, meetings, KernelPatterns(), std::move(sources));
  run->findings = std::move(read.findings);
  return UnfitToMeasure(run->report, run->findings);
}

}  // namespace syncline
