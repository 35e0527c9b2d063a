// SPDX-License-Identifier: Apache-2.0
// A word with a slash, or that ends in .toml, is a file.
#include "launcher/commands/presets.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "inject/core/options.h"
#include "launcher/commands/option_file.h"
#include "launcher/host/files.h"
#include "launcher/host/preset_table.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

const OwnKeys kOwnKeys = {"package"};  // whose stages they are

std::vector<std::string> WordsOf(const std::string& list) {
  std::vector<std::string> words;
  for (size_t at = 0; at <= list.size();) {
    const size_t comma = std::min(list.find(',', at), list.size());
    std::string word = list.substr(at, comma - at);
    word.erase(0, word.find_first_not_of(' '));
    word.erase(word.find_last_not_of(' ') + 1);
    if (!word.empty()) words.push_back(std::move(word));
    at = comma + 1;
  }
  return words;
}

// False: *error says why.
bool FindPreset(const std::string& word, std::string* text, std::string* error) {
  if (word.find('/') != std::string::npos || word.ends_with(".toml")) {
    const std::string why = ReadNamedFile(word, text);
    if (!why.empty()) *error = Text("cannot read the preset ", ShellQuote(word), ": ", why, ".");
    return why.empty();
  }
  std::vector<std::string> known;
  for (const Preset* preset = kPresets; preset->name != nullptr; ++preset) {
    if (word == preset->name) return *text = preset->text, true;
    known.emplace_back(preset->name);
  }
  const std::string nearest = NearestName(word, known);
  *error = Text("there is no preset ", ShellQuote(word),
                nearest.empty() ? "" : Text(" (did you mean ", nearest, "?)"), ": --preset takes ",
                JoinNames(known), ", or a file of yours: ./", PrintableText(word), ".toml.");
  return false;
}

// "": it could be read; else why not.
std::string ReadPreset(const std::string& word, OptionFile* file) {
  std::string text, error;
  if (!FindPreset(word, &text, &error)) return error;
  *file = ReadOptionFile(text, PrintableText(word), kOwnKeys);
  return file->error.empty() ? "" : Text("the preset ", file->error);
}

void Append(const std::string& patterns, std::string* list) {
  *list += Text(list->empty() ? "" : ",", patterns);
}

void Add(const GivenOption& of_preset, RunLine* line) {
  if (of_preset.index != OptionIndex("python.ranges")) {
    if (!IsGivenOption(*line, of_preset.index)) line->options.push_back(of_preset);
    return;
  }
  std::string patterns = GivenText(*line, of_preset.index);
  std::erase_if(line->options,
                [&](const GivenOption& option) { return option.index == of_preset.index; });
  Append(of_preset.text, &patterns);
  line->options.push_back({of_preset.index, std::move(patterns)});
}

}  // namespace

std::string AddPresets(RunLine* line) {
  for (const std::string& word : WordsOf(GivenText(*line, OptionIndex("preset")))) {
    OptionFile file;
    if (std::string error = ReadPreset(word, &file); !error.empty()) return error;
    for (const GivenOption& option : file.options) {
      if (option.index == OptionIndex("preset"))
        return Text("the preset ", PrintableText(word), " names another one.");
      Add(option, line);
    }
  }
  return "";
}

std::vector<std::pair<std::string, std::string>> PresetFunctions(const std::string& presets) {
  std::vector<std::pair<std::string, std::string>> all;
  for (const std::string& word : WordsOf(presets)) {
    OptionFile file;
    if (!ReadPreset(word, &file).empty()) continue;
    std::string functions;
    for (const GivenOption& option : file.options) {
      if (option.index == OptionIndex("python.ranges")) Append(option.text, &functions);
    }
    if (!functions.empty()) all.emplace_back(word, std::move(functions));
  }
  return all;
}

}  // namespace syncline
