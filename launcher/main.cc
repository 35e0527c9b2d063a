// SPDX-License-Identifier: Apache-2.0
// The `syncline` command: finds the subcommand; a line that names none is `run`.
#include <cstdio>
#include <exception>

#include "launcher/commands/command.h"
#include "launcher/commands/former_options.h"
#include "launcher/host/build_text.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/start/program.h"

namespace syncline {
namespace {

int RunCommandLine(int count, char** values) {
  ReserveStandardDescriptors();
  Arguments arguments(values + (count > 0 ? 1 : 0), values + count);
  const std::string first = arguments.empty() ? "" : arguments[0];
  for (const std::string& note : AdoptFormerVariables()) SayWarning(note);
  try {
    if (first == "-h" || first == "--help") {
      PrintGeneralHelp();
      return 0;
    }
    if (first == "--version" || first == "-V") {
      std::printf("%s\n", BuildText().c_str());
      return 0;
    }
    const Command* command = FindCommand(first);
    if (command == nullptr) return RunRun(arguments);
    arguments.erase(arguments.begin());
    return command->run(arguments);
  } catch (const std::exception& error) {
    SayError(Text("internal error: ", error.what(),
                  ". Please report it with the command that you gave."));
    return kExitOurFailure;
  }
}

}  // namespace
}  // namespace syncline

int main(int count, char** values) { return syncline::RunCommandLine(count, values); }
