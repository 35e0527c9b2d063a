// SPDX-License-Identifier: Apache-2.0
// A value that is not the default limits.
#include "launcher/jobs/limiting_options.h"

#include <algorithm>
#include <map>

#include "base/run_file.h"
#include "inject/core/options.h"
#include "inject/core/rank.h"
#include "launcher/host/shell_text.h"
#include "launcher/jobs/gate_options.h"
#include "launcher/jobs/job.h"
#include "writers/files/json_fields.h"

namespace syncline {
namespace {

bool Limits(size_t index) {
  constexpr size_t kOthers[] = {OptionIndex("ranks"), OptionIndex("processes"), OptionIndex("skip"),
                                OptionIndex("collect")};
  return (IsGateOption(index) && index != OptionIndex("step.range")) ||
         std::find(std::begin(kOthers), std::end(kOthers), index) != std::end(kOthers);
}

// By name; empty: there is no job file, or it has none.
std::map<std::string, std::string> OptionsOfJob(const std::string& directory) {
  std::map<std::string, std::string> options;
  std::string text;
  if (ReadRunFile(JobFile(directory), kMostRunText, &text) != 0) return options;
  const Json json = ParseJson(text);
  if (!json.is_object() || !json.contains("options") || !json["options"].is_object())
    return options;
  for (const auto& [name, value] : json["options"].items()) {
    if (value.is_string()) options[name] = value.get<std::string>();
  }
  return options;
}

bool IsDefault(const OptionRow& row, const std::string& text) {
  const std::string words = row.fallback;
  int64_t number = 1;
  if (row.type == OptionType::kSeconds)
    return ParseOptionValue(row, text.c_str(), &number) && number == 0;
  return text.empty() || text == words || text == words.substr(0, words.find('|')) ||
         (row.name == kOptions[OptionIndex("collect")].name && text == "all");
}

}  // namespace

std::vector<std::string> LimitingOptions(const std::string& directory,
                                         const RankManifest& manifest) {
  const std::map<std::string, std::string> of_job = OptionsOfJob(directory);
  std::vector<std::string> limits;
  for (size_t index = 0; index < kOptionCount; ++index) {
    if (!Limits(index)) continue;
    const OptionRow& row = kOptions[index];
    const auto noted = of_job.find(row.name);
    const std::string text = of_job.empty()          ? OptionText(index)
                             : noted == of_job.end() ? ""
                                                     : noted->second;
    if (IsDefault(row, text)) continue;
    if (index == OptionIndex("ranks") && manifest.launcher == LauncherName(0)) continue;
    char flag[64];
    OptionFlag(index, flag);
    limits.push_back(Text(flag, " ", ShellQuote(text)));
  }
  const bool gated = std::any_of(manifest.processes.begin(), manifest.processes.end(),
                                 [](const ManifestProcess& process) { return process.gate.gated; });
  if (limits.empty() && gated) limits.emplace_back("options that are not known any more");
  return limits;
}

}  // namespace syncline
