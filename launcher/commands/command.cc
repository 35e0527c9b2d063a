// SPDX-License-Identifier: Apache-2.0
// The table of subcommands.
#include "launcher/commands/command.h"

#include "launcher/host/messages.h"
#include "launcher/start/program.h"

namespace syncline {

const Command kCommands[] = {
    {"run", "[run] [options] [--] program [arguments]", "Record a command", "", false, RunRun},
    {"recover", "recover DIR", "Write the traces from what a crash left",
     "  --keep-spool           Keep the raw records after their trace is written\n"
     "  -q, --quiet            Say nothing but errors\n",
     false, RunRecover},
    {"report", "report [options] [DIR]", "What to change first, and what the run spent its time on",
     "  --format NAME          text, json, md or csv [text]\n"
     "  --all                  All rows, and findings that bring little\n"
     "  --kernel-classes FILE  More patterns for kernels' names: lines `class pattern`\n"
     "  --no-files             Leave nothing in DIR/report\n",
     false, RunReportCommand},
    {"findings", "findings [options] [DIR]",
     "What was found: waits, gaps, late ranks, ranges, kernels",
     "  --json                 For programs: all ranks merged\n"
     "  --all                  All rows, not only the first ten of each table\n",
     false, RunFindingsCommand},
    {"view", "view [options] [DIR|FILE]", "Open a trace in the Perfetto UI, served from 127.0.0.1",
     "  --rank N               Which rank of DIR [the first]\n"
     "  --at MOMENT            Open there: 12.5, 12.5s, 340ms, 80us, 900ns after the rank's begin\n"
     "  --all                  All ranks of DIR, one after the other in one archive\n"
     "  --keep                 Serve until Ctrl-C, not only once\n"
     "  --no-open              Only print the address\n",
     false, RunView},
    {"doctor", "doctor [--json]", "What can be recorded here, and if not why",
     "  --json                 For programs\n", false, RunDoctor},
    {"options", "options [--json]", "All options, with their variables and defaults",
     "  --json                 For programs\n", false, RunOptions},
    {"help", "help [command]", "This text, or a command's", "", false, RunHelp},
    {"completion", "completion bash", "Completion for a shell", "", true, RunCompletion},
};
const size_t kCommandCount = sizeof(kCommands) / sizeof(kCommands[0]);

const Command* FindCommand(const std::string& name) {
  for (const Command& command : kCommands) {
    if (name == command.name) return &command;
  }
  return nullptr;
}

bool ParseCommandLine(CommandLine* line, const Arguments& arguments, int* exit_code) {
  bool help = false;
  line->Flag("-h,--help", &help);
  for (const std::string& argument : arguments) {  // before anything that is required
    if (argument == "-h" || argument == "--help") help = true;
  }
  if (help) {
    PrintCommandHelp(*FindCommand(line->command()));
    *exit_code = 0;
    return false;
  }
  const std::string error = ParseArguments(&line->app(), arguments);
  if (error.empty()) return true;
  SayError(error);
  *exit_code = kExitOurFailure;
  return false;
}

}  // namespace syncline
