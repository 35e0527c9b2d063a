// SPDX-License-Identifier: Apache-2.0
// The line wins over variables, variables over the file, the file over defaults.
#include "launcher/commands/option_file.h"

#include <algorithm>

#include "inject/core/options.h"
#include "launcher/commands/list_options.h"
#include "launcher/commands/toml_text.h"
#include "launcher/host/files.h"
#include "launcher/host/messages.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

constexpr char kAuto[] = "auto";
constexpr char kOfDirectory[] = "syncline.toml";

// As it is written in a file: "step-range".
std::string NameInFile(size_t option) {
  char flag[64];
  OptionFlag(option, flag);
  return std::string(flag).substr(2);
}

// kOptionCount: there is none.
size_t OptionOf(std::string key) {
  std::replace_if(
      key.begin(), key.end(), [](char c) { return c == '_' || c == '.'; }, '-');
  size_t option = 0;
  while (option < kOptionCount && NameInFile(option) != key) ++option;
  return option;
}

std::string UnknownKey(const std::string& key, const OwnKeys& own_keys) {
  std::vector<std::string> known = own_keys;
  for (size_t i = 0; i < kOptionCount; ++i) known.push_back(NameInFile(i));
  const std::string nearest = NearestName(key, known);
  return Text(
      "there is no option ", ShellQuote(key),
      nearest.empty() ? "; `syncline options` lists them" : Text(": did you mean ", nearest, "?"));
}

std::string ValueOf(const TomlEntry& entry, size_t option) {
  if (kOptions[option].type == OptionType::kFlag && !entry.is_array && !entry.is_text) {
    if (entry.values[0] == "true") return "1";
    if (entry.values[0] == "false") return "0";
  }
  std::string joined;
  for (const std::string& value : entry.values) joined += (joined.empty() ? "" : ",") + value;
  return joined;
}

// What is wrong with an entry, without an end; "": nothing.
std::string TakeEntry(const TomlEntry& entry, const OwnKeys& own_keys,
                      std::vector<GivenOption>* options) {
  if (std::find(own_keys.begin(), own_keys.end(), entry.key) != own_keys.end()) return "";
  const size_t option = OptionOf(entry.key);
  if (option == kOptionCount) return UnknownKey(entry.key, own_keys);
  if (option == OptionIndex("config")) return "a file of options names no other one";
  const std::string text = ValueOf(entry, option);
  const std::string problem = ValueProblem(option, entry.key, text);
  if (problem.empty()) options->push_back({option, text});
  return problem;
}

}  // namespace

OptionFile ReadOptionFile(std::string_view text, const std::string& name, const OwnKeys& own_keys) {
  OptionFile file;
  const TomlText read = ReadToml(text);
  const auto fail = [&](size_t line, const std::string& error) {
    const bool has_end = error.ends_with('.') || error.ends_with('?');
    file.error = Text(name, line == 0 ? "" : Text(":", line), ": ", error, has_end ? "" : ".");
    return file;
  };
  if (!read.error.empty()) return fail(read.line, read.error);
  for (const TomlEntry& entry : read.entries) {
    const std::string error = TakeEntry(entry, own_keys, &file.options);
    if (!error.empty()) return fail(entry.line, error);
  }
  return file;
}

std::string GivenText(const RunLine& line, size_t option) {
  for (const GivenOption& given : line.options) {
    if (given.index == option) return given.text;
  }
  char variable[64];
  OptionVariable(option, variable);
  const char* text = Environment(variable);
  return text == nullptr ? "" : text;
}

bool IsGivenOption(const RunLine& line, size_t option) {
  return !GivenText(line, option).empty() ||
         std::any_of(line.options.begin(), line.options.end(),
                     [=](const GivenOption& given) { return given.index == option; });
}

std::string AddConfigFile(RunLine* line) {
  std::string path = GivenText(*line, OptionIndex("config"));
  if (path.empty()) return "";
  if (path == kAuto) {
    path = kOfDirectory;
    if (!Exists(path)) return "";
  }
  std::string text;
  if (const std::string why = ReadNamedFile(path, &text); !why.empty())
    return Text("cannot read the options of --config ", ShellQuote(path), ": ", why,
                ". Name a file with lines like stages = \"step*\".");
  const OptionFile file = ReadOptionFile(text, PrintableText(path), {});
  if (!file.error.empty()) return file.error;
  for (const GivenOption& option : file.options) {
    if (!IsGivenOption(*line, option.index)) line->options.push_back(option);
  }
  return "";
}

}  // namespace syncline
