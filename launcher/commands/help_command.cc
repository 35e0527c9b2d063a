// SPDX-License-Identifier: Apache-2.0
// `syncline help`: pages made from the tables of commands and options.
#include <cstdio>
#include <string>

#include "inject/core/options.h"
#include "launcher/commands/collect_option.h"
#include "launcher/commands/command.h"
#include "launcher/commands/run_line.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"
#include "launcher/start/program.h"

namespace syncline {
namespace {

struct Group {
  OptionGroup group;
  const char* title;
};
constexpr Group kGroups[] = {{OptionGroup::kWhat, "What to record"},
                             {OptionGroup::kWhere, "Where to write"},
                             {OptionGroup::kLimits, "Limits"},
                             {OptionGroup::kControl, "Control"}};

constexpr char kExamples[] =
    "Examples:\n"
    "  syncline -- python train.py                        record a program and all that it starts\n"
    "  mpirun -n 64 syncline -- ./solver input.toml       one trace per rank, in one directory\n"
    "  syncline view syncline-out/latest                  look at the last run\n\n";

const char* ValueWord(OptionType type) {
  switch (type) {
    case OptionType::kFlag:
      return "";
    case OptionType::kText:
      return " TEXT";
    case OptionType::kWord:
      return " WORD";
    case OptionType::kWords:
      return " WORDS";
    case OptionType::kBytes:
      return " SIZE";
    case OptionType::kInt:
      return " N";
    case OptionType::kSeconds:
      return " TIME";
  }
  return "";
}

std::string RowLine(size_t index) {
  const OptionRow& row = kOptions[index];
  char flag[64];
  OptionFlag(index, flag);
  std::string left;
  if (const char letter = ShortFlag(row.name); letter != 0) left = std::string("-") + letter + ", ";
  // A flag that is on by default is shown in the form that one would type.
  const bool on = row.type == OptionType::kFlag && std::string(row.fallback) == "1";
  left += on ? std::string("--no-") + (flag + 2) : std::string(flag);
  left += ValueWord(row.type);
  std::string text = OptionHelp(index);
  if (row.type != OptionType::kFlag && row.fallback[0] != '\0')
    text += Text(" [", row.fallback, "]");
  return OptionLine(left, text);
}

std::string RunOptionsText() {
  std::string text;
  for (const Group& group : kGroups) {
    text += Text(text.empty() ? "" : "\n", group.title, ":\n");
    for (size_t i = 0; i < kOptionCount; ++i) {
      if (kOptions[i].group == group.group) text += RowLine(i);
    }
  }
  text += OptionLine("-v, --verbose", "Explain what is done");
  text += OptionLine("--dry-run", "Print the environment and the command instead of running it");
  text += OptionLine("--no-preload",
                     "Leave LD_PRELOAD alone, for programs that read it as one path: less is seen");
  text +=
      "\nEach option is also a variable: --memory-ring is SYNCLINE_MEMORY_RING (`syncline "
      "options`).\n";
  return text;
}

}  // namespace

void PrintGeneralHelp() {
  std::string text = kExamples;
  text += "Usage: syncline [run] [options] [--] program [arguments]\n\nCommands:\n";
  for (size_t i = 0; i < kCommandCount; ++i) {
    if (!kCommands[i].hidden) text += OptionLine(kCommands[i].synopsis, kCommands[i].summary);
  }
  text += OptionLine("--version", "Version, commit and layout of the records");
  text += "\n" + RunOptionsText();
  std::fputs(text.c_str(), stdout);
}

void PrintCommandHelp(const Command& command, const std::string& options) {
  std::string text = Text("Usage: syncline ", command.synopsis, "\n\n", command.summary, ".\n");
  if (!options.empty()) text += Text("\nOptions:\n", options);
  std::fputs(text.c_str(), stdout);
}

int RunHelp(const Arguments& arguments) {
  const Command* command = arguments.empty() ? nullptr : FindCommand(arguments[0]);
  if (arguments.empty() || (command != nullptr && command->run == RunRun)) {
    PrintGeneralHelp();
    return 0;
  }
  if (command != nullptr && command->has_options) return command->run({"--help"});
  if (command != nullptr) {
    PrintCommandHelp(*command, "");
    return 0;
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < kCommandCount; ++i) names.push_back(kCommands[i].name);
  const std::string nearest = NearestName(arguments[0], names);
  SayError(Text("there is no command ", ShellQuote(arguments[0]),
                nearest.empty() ? "." : Text(": did you mean ", nearest, "?"),
                " `syncline help` lists the commands."));
  return kExitOurFailure;
}

}  // namespace syncline
