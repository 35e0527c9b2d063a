// SPDX-License-Identifier: Apache-2.0
// `syncline completion bash`: a completion script made from the tables, for `source <(syncline
// completion bash)`.
#include <algorithm>
#include <cstdio>
#include <string>

#include "inject/core/collect_list.h"
#include "inject/core/options.h"
#include "launcher/commands/collect_option.h"
#include "launcher/commands/command.h"
#include "launcher/host/messages.h"
#include "launcher/start/program.h"

namespace syncline {
namespace {

// The words that the value of an option may be, separated by blanks; "" for others.
std::string ValuesOf(size_t index) {
  std::string words;
  if (kOptions[index].type == OptionType::kWord || kOptions[index].type == OptionType::kWords) {
    words = kOptions[index].fallback;
    std::replace(words.begin(), words.end(), '|', ' ');
  } else if (index == OptionIndex("collect")) {
    words = kAllCollectors;
    for (const std::string& name : CollectorNames()) words += " " + name;
  }
  return words;
}

// A case of the script for each option whose values are words.
std::string ValueCases() {
  std::string cases;
  for (size_t i = 0; i < kOptionCount; ++i) {
    const std::string words = ValuesOf(i);
    if (words.empty()) continue;
    char flag[64];
    OptionFlag(i, flag);
    cases += std::string("    ") + flag + ") COMPREPLY=($(compgen -W '" + words +
             "' -- \"$word\")); return ;;\n";
  }
  return cases;
}

}  // namespace

int RunCompletion(const Arguments& arguments) {
  if (arguments.size() != 1 || arguments[0] != "bash") {
    SayError("completion is made for bash only. Write: source <(syncline completion bash)");
    return kExitOurFailure;
  }
  std::string commands;
  for (size_t i = 0; i < kCommandCount; ++i) {
    if (!kCommands[i].hidden)
      commands += std::string(commands.empty() ? "" : " ") + kCommands[i].name;
  }
  std::string options = "--help --version --dry-run --no-preload --verbose";
  for (size_t i = 0; i < kOptionCount; ++i) {
    char flag[64];
    OptionFlag(i, flag);
    options += std::string(" ") + flag;
    if (kOptions[i].type == OptionType::kFlag) options += std::string(" --no-") + (flag + 2);
  }
  const std::string values = ValueCases();
  std::printf(
      "_syncline() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" at\n"
      "  COMPREPLY=()\n"
      "  for ((at = 1; at < COMP_CWORD; at++)); do\n"
      "    if [[ \"${COMP_WORDS[at]}\" == -- ]]; then _command_offset $((at + 1)); return; fi\n"
      "  done\n"
      "  case \"${COMP_WORDS[COMP_CWORD - 1]}\" in\n"
      "%s"
      "  esac\n"
      "  if [[ \"$word\" == -* ]]; then\n"
      "    COMPREPLY=($(compgen -W '%s' -- \"$word\"))\n"
      "  elif ((COMP_CWORD == 1)); then\n"
      "    COMPREPLY=($(compgen -W '%s' -c -- \"$word\"))\n"
      "  else\n"
      "    COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "  fi\n"
      "}\n"
      "complete -o filenames -F _syncline syncline\n",
      values.c_str(), options.c_str(), commands.c_str());
  return 0;
}

}  // namespace syncline
