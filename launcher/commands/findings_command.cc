// SPDX-License-Identifier: Apache-2.0
// `syncline findings DIR`: what was found out about a run, from the files beside its traces.
#include <cerrno>
#include <cstdio>

#include "inject/core/options.h"
#include "launcher/commands/command.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/show/findings_text.h"
#include "launcher/show/last_run.h"
#include "launcher/show/read_findings.h"
#include "launcher/start/program.h"
#include "writers/findings/findings_file.h"

namespace syncline {
namespace {

constexpr size_t kMostRows = 10;

}  // namespace

int RunFindingsCommand(const Arguments& arguments) {
  CommandLine words("findings");
  std::string directory;
  bool json = false;
  bool all = false;
  words.OptionalWord("directory", &directory);
  words.Flag("--json", &json, "For programs: all ranks merged");
  words.Flag("--all", &all, "All rows, not only the first ten of each table");
  int exit_code = 0;
  if (!ParseCommandLine(&words, arguments, &exit_code)) return exit_code;
  SetUpMessages(OptionNumber(OptionIndex("quiet")) != 0, OptionText(OptionIndex("log.level")));
  if (!TakeLastRun(&directory)) return kExitOurFailure;
  ReadRun run = ReadRunFindings(directory);
  for (const std::string& problem : run.problems) SayWarning(problem);
  if (run.findings.ranks.empty()) {
    const bool is_run = IsDirectory(directory + "/run");
    SayError(Text("there are no findings in ", ShellQuote(directory), ": ",
                  is_run ? "nothing was recorded, or its traces are not written yet. `syncline "
                           "recover` writes them."
                         : "it is not the directory of a run. Name the directory that `syncline "
                           "run` printed."));
    return kExitOurFailure;
  }
  const RankMeetings meetings = MeetingsOf(&run.findings);
  const std::string text = json ? MergedFindingsText(run.findings, meetings)
                                : PrintableLines(FindingsTables(directory, run.findings, meetings,
                                                                all ? SIZE_MAX : kMostRows));
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    SayError(Text("cannot write the findings: ", ErrorText(errno), "."));
    return kExitOurFailure;
  }
  return run.problems.empty() ? 0 : kExitOurFailure;
}

}  // namespace syncline
