// SPDX-License-Identifier: Apache-2.0
// The table of subcommands.
#include "launcher/commands/command.h"

#include "launcher/host/messages.h"
#include "launcher/start/program.h"

namespace syncline {

const Command kCommands[] = {
    {"run", "[run] [options] [--] program [arguments]", "Record a command", false, false, RunRun},
    {"recover", "recover DIR", "Write the traces from what a crash left", true, false, RunRecover},
    {"report", "report [options] [DIR]", "What to change first, and what the run spent its time on",
     true, false, RunReportCommand},
    {"compare", "compare [options] A B  |  A... -- B...",
     "What changed from one run to another, and whether it helped", true, false, RunCompare},
    {"findings", "findings [options] [DIR]",
     "What was found: waits, gaps, late ranks, ranges, kernels", true, false, RunFindingsCommand},
    {"check", "check --that EXPRESSION [options] [DIR]",
     "Whether a run is as a contract says: waits per step, times, memory", true, false, RunCheck},
    {"view", "view [options] [DIR|FILE]", "Open a trace in the Perfetto UI, served from 127.0.0.1",
     true, false, RunView},
    {"export", "export [options] DIR", "What a rank recorded, as another tool's file", true, false,
     RunExport},
    {"ncu", "ncu [options] [DIR]", "Commands that profile the costliest kernels in Nsight Compute",
     true, false, RunNcu},
    {"bench", "bench [options] command [arguments] --against command [arguments]",
     "Record two commands in turn, to compare them", true, false, RunBench},
    {"bench-script", "bench-script [options] [DIR]",
     "Write a Python file that runs one recorded function alone", true, false, RunBenchScript},
    {"doctor", "doctor [--json]", "What can be recorded here, and if not why", true, false,
     RunDoctor},
    {"options", "options [--json]", "All options, with their variables and defaults", true, false,
     RunOptions},
    {"help", "help [command]", "This text, or a command's", false, false, RunHelp},
    {"completion", "completion bash", "Completion for a shell", false, true, RunCompletion},
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
  line->Flag("-h, --help", &help, "");
  for (const std::string& argument : arguments) {  // before anything that is required
    if (argument == "-h" || argument == "--help") help = true;
  }
  if (help) {
    PrintCommandHelp(*FindCommand(line->command()), line->help());
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
