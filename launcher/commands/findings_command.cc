// SPDX-License-Identifier: Apache-2.0
// `syncline findings DIR`: the former word for `syncline report DIR --all`.
#include "launcher/commands/command.h"

namespace syncline {

int RunFindingsCommand(const Arguments& arguments) {
  Arguments words = {"--all", "--no-files"};
  for (const std::string& word : arguments) {
    if (word == "--json") {
      words.emplace_back("--format=findings");
    } else if (word != "--all" && word != "--no-files") {
      words.push_back(word);
    }
  }
  return RunReportCommand(words);
}

}  // namespace syncline
