// SPDX-License-Identifier: Apache-2.0
// What `syncline report` would say of it.
#include "launcher/show/measured_run.h"

#include <utility>

#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/node_places.h"
#include "launcher/show/read_findings.h"
#include "report/report_builder.h"

namespace syncline {

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
  const RankMeetings meetings = MeetingsOf(&read.findings);
  ReportSources sources;
  sources.directory = directory;
  run->report = BuildReport(read.findings, meetings, KernelPatterns(), std::move(sources));
  run->findings = std::move(read.findings);
  return "";
}

}  // namespace syncline
