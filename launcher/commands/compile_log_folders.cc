// SPDX-License-Identifier: Apache-2.0
// The folder is there before the program is: a framework that cannot write its log may fail.
#include "launcher/commands/compile_log_folders.h"

#include <cstring>

#include "base/text.h"
#include "inject/core/options.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "model/devices/source_facts.h"
#include "offline/compile_logs.h"

namespace syncline {

std::vector<EnvChange> CompileLogVariables(const std::string& held, const std::string& named,
                                           const std::string& node, const EnvBlock& inherited) {
  std::vector<EnvChange> variables;
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const CompileLog* const log = kSourceFacts[i]->compile_log;
    if (log == nullptr || OptionNumber(log->option) == 0) continue;
    const char* const users = inherited.Find(log->variable);
    char flag[64];
    OptionFlag(log->option, flag);
    if (users != nullptr && *users != '\0') {
      SayWarning(Text(flag, " does nothing, because ", log->variable,
                      " is set: unset it, and its log is written into the run's folder"));
      continue;
    }
    const std::string folder = CompileLogFolder(held, *kSourceFacts[i], node);
    if (const int error = MakeDirectories(folder, 0700); error != 0) {
      SayWarning(Text(flag, " does nothing: the folder ", folder, " cannot be made (",
                      std::strerror(error), ")"));
      continue;
    }
    variables.push_back({log->variable, CompileLogFolder(named, *kSourceFacts[i], node)});
  }
  return variables;
}

}  // namespace syncline
