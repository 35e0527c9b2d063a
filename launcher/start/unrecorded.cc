// SPDX-License-Identifier: Apache-2.0
// The way out of every failed set-up.
#include "launcher/start/unrecorded.h"

#include <cerrno>

#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/start/program.h"

namespace syncline {
namespace {

const char* Advice(int error) {
  switch (error) {
    case EMFILE:
      return "raise `ulimit -n`: the launcher needs 16, and three more for each further process";
    case ENFILE:
      return "the system's limit of open files is reached: fs.file-max";
    case EAGAIN:
      return "raise `ulimit -u` or `ulimit -v`, or the limit of pids of the container or job: the "
             "launcher needs four beside the program's own";
    case ENOMEM:
      return "raise `ulimit -v`, or the memory limit of the container or job";
    default:
      return nullptr;
  }
}

}  // namespace

int Become(const SpawnRequest& program, const InheritedState* inherited) {
  const int error = ReplaceByProgram(program, inherited);
  SayError(Text("cannot run ", ShellQuote(program.path), ": ", ErrorText(error), "."));
  return error == ENOENT ? kExitNotFound : kExitNotExecutable;
}

int RunUnrecorded(const SpawnRequest& program, const std::string& why,
                  const InheritedState* inherited) {
  SayError(Text("nothing is recorded: ", why, " The program runs without Syncline."));
  return Become(program, inherited);
}

std::string SetupErrorText(int error) {
  const char* advice = Advice(error);
  return advice == nullptr ? ErrorText(error) : Text(ErrorText(error), " (", advice, ")");
}

}  // namespace syncline
