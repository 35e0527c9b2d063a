// SPDX-License-Identifier: Apache-2.0
// `syncline options`: the option table.
#include <cstdio>

#include "inject/core/options.h"
#include "launcher/commands/collect_option.h"
#include "launcher/commands/command.h"
#include "writers/files/json_fields.h"

namespace syncline {
namespace {

constexpr const char* kTypeNames[] = {"flag", "text", "bytes", "int", "seconds", "word", "words"};
constexpr const char* kGroupNames[] = {"what", "where", "limits", "control"};

void PrintTable() {
  std::printf("%-26s %-30s %-22s %s\n", "variable", "option", "default", "meaning");
  for (size_t i = 0; i < kOptionCount; ++i) {
    char variable[64];
    char flag[64];
    OptionVariable(i, variable);
    OptionFlag(i, flag);
    std::string spelling = flag;
    if (kOptions[i].type == OptionType::kFlag) spelling += std::string(", --no-") + (flag + 2);
    std::printf("%-26s %-30s %-22s %s\n", variable, spelling.c_str(),
                kOptions[i].fallback[0] == '\0' ? "-" : kOptions[i].fallback,
                OptionHelp(i).c_str());
  }
}

void PrintJson() {
  Json rows = Json::array();
  for (size_t i = 0; i < kOptionCount; ++i) {
    char variable[64];
    char flag[64];
    OptionVariable(i, variable);
    OptionFlag(i, flag);
    rows.push_back({{"name", kOptions[i].name},
                    {"variable", variable},
                    {"flag", flag},
                    {"type", kTypeNames[static_cast<size_t>(kOptions[i].type)]},
                    {"default", kOptions[i].fallback},
                    {"least", kOptions[i].least},
                    {"most", kOptions[i].most},
                    {"group", kGroupNames[static_cast<size_t>(kOptions[i].group)]},
                    {"help", OptionHelp(i)}});
  }
  const Json json = {{"schema", "syncline.options/1"}, {"options", rows}};
  std::fputs(JsonText(json, 2).c_str(), stdout);
}

}  // namespace

int RunOptions(const Arguments& arguments) {
  CommandLine words("options");
  bool json = false;
  words.Flag("--json", &json, "For programs");
  int exit_code = 0;
  if (!ParseCommandLine(&words, arguments, &exit_code)) return exit_code;
  if (json) {
    PrintJson();
  } else {
    PrintTable();
  }
  return 0;
}

}  // namespace syncline
