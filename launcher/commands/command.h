// SPDX-License-Identifier: Apache-2.0
// The subcommands of `syncline`: one row, one file each.
#pragma once

#include "launcher/commands/cli.h"

namespace syncline {

struct Command {
  const char* name;
  const char* synopsis;  // what follows "syncline "
  const char* summary;   // one line
  bool has_options;      // a CommandLine of its own, which shows its help
  bool hidden;
  int (*run)(const Arguments& arguments);  // the words behind its name; returns the exit status
};

extern const Command kCommands[];
extern const size_t kCommandCount;

// Null if there is none of this name.
const Command* FindCommand(const std::string& name);

int RunRun(const Arguments& arguments);
int RunRecover(const Arguments& arguments);
int RunReportCommand(const Arguments& arguments);
int RunCompare(const Arguments& arguments);
int RunFindingsCommand(const Arguments& arguments);
int RunCheck(const Arguments& arguments);
int RunBench(const Arguments& arguments);
int RunBenchScript(const Arguments& arguments);
int RunDoctor(const Arguments& arguments);
int RunOptions(const Arguments& arguments);
int RunView(const Arguments& arguments);
int RunExport(const Arguments& arguments);
int RunNcu(const Arguments& arguments);
int RunHelp(const Arguments& arguments);
int RunCompletion(const Arguments& arguments);

// What `report` and `view` do first: writes the traces of a run that was killed, and says so.
void RecoverWhatIsLeft(const std::string& directory);

// On stdout: the page of `syncline --help`, or of one command with the help of its options.
void PrintGeneralHelp();
void PrintCommandHelp(const Command& command, const std::string& options);

// Parses the words of a subcommand whose options are in `line`, after adding -h. True: go on; else
// *exit_code is set and everything is said.
bool ParseCommandLine(CommandLine* line, const Arguments& arguments, int* exit_code);

}  // namespace syncline
