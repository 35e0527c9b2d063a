// SPDX-License-Identifier: Apache-2.0
// Flags made from the option table; checks of their values.
#include "launcher/commands/run_line.h"

#include <cstdlib>

#include <CLI/CLI.hpp>

#include "inject/core/options.h"
#include "launcher/commands/former_options.h"
#include "launcher/commands/list_options.h"
#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

std::string RangeOf(const OptionRow& row) {
  if (*row.most == '\0') return Text("at least ", row.least);
  return *row.least == '\0' ? Text("at most ", row.most)
                            : Text("from ", row.least, " to ", row.most);
}

bool IsWhole(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

// What a value of the option must be if `text` is not one; "" if it is.
std::string ExpectedInstead(size_t index, const std::string& text) {
  int64_t number = 0;
  const OptionRow& row = kOptions[index];
  if (ParseOptionValue(row, text.c_str(), &number)) return "";
  if (ParseOptionValue(row.type, text.c_str(), &number)) return RangeOf(row);
  switch (row.type) {
    case OptionType::kFlag:
      return "0 or 1";
    case OptionType::kBytes:
      return "a size such as 512K, 64M or 2G";
    case OptionType::kInt:
      return "a whole number";
    case OptionType::kSeconds:
      return IsWhole(text) ? Text("a time with its unit: ", text, "us, ", text, "ms, ", text,
                                  "s or ", text, "m")
                           : "a time such as 500ms, 2s or 1m";
    case OptionType::kWord:
      return "one of " + JoinNames(CLI::detail::split(row.fallback, '|'));
    case OptionType::kWords:
      return "some of " + JoinNames(CLI::detail::split(row.fallback, '|')) +
             ", separated by commas";
    case OptionType::kText:
      break;
  }
  return "";
}

// The same of a value that stands on the line, where an empty word is a mistake: a shell's variable
// that is not set.
std::string ExpectedOnLine(size_t index, const std::string& text) {
  if (index == OptionIndex("output") && text.empty())
    return "a directory (without this option it is a new one below syncline-out)";
  return ExpectedInstead(index, text);
}

std::string FlagName(size_t index) {
  char name[64];
  OptionFlag(index, name);
  return name;
}

// "-o,--output", or "--quiet,-q,!--no-quiet" for a flag.
std::string FlagSpelling(size_t index) {
  std::string spelling = FlagName(index);
  if (const char letter = ShortFlag(kOptions[index].name); letter != 0)
    spelling += std::string(",-") + letter;
  if (const std::string former = FormerFlag(index); !former.empty()) spelling += "," + former;
  if (kOptions[index].type == OptionType::kFlag) spelling += ",!--no-" + FlagName(index).substr(2);
  return spelling;
}

}  // namespace

std::string ValueProblem(size_t option, const std::string& name, const std::string& text) {
  const std::string expected = ExpectedOnLine(option, text);
  if (expected.empty()) return ListProblem(option, name, text);
  return Text("the value ", ShellQuote(text), " of ", name, " is not valid: it must be ", expected,
              ".");
}

char ShortFlag(const std::string& option_name) {
  if (option_name == "output") return 'o';
  if (option_name == "quiet") return 'q';
  return 0;
}

// They are among the options, and their help names the numbers.
Arguments WithNumbers(const CLI::App& app, Arguments arguments) {
  constexpr std::pair<const char*, const char*> kFlags[] = {{"--stage-lines", "=20"},
                                                            {"--sample", "=200"}};
  for (size_t i = 0; i < FindOptionSpan(app, arguments).end; ++i) {
    const bool has_value = i + 1 < arguments.size() && IsWhole(arguments[i + 1]);
    for (const auto& [flag, value] : kFlags) {
      if (arguments[i] == flag && !has_value) arguments[i] = Text(flag, value);
    }
  }
  return arguments;
}

RecordingOptions::RecordingOptions(CLI::App* app, bool (*fits)(size_t option))
    : texts_(kOptionCount), flags_(kOptionCount, 0), made_(kOptionCount, nullptr) {
  for (size_t i = 0; i < kOptionCount; ++i) {
    if (!fits(i)) continue;
    if (kOptions[i].type == OptionType::kFlag) {
      made_[i] = app->add_flag_function(
          FlagSpelling(i), [this, i](int64_t count) { flags_[i] = count > 0 ? 1 : 0; },
          kOptions[i].help);
    } else {
      made_[i] = app->add_option(FlagSpelling(i), texts_[i], kOptions[i].help)->take_last();
    }
  }
}

std::string RecordingOptions::Take(std::vector<GivenOption>* given) const {
  for (size_t i = 0; i < kOptionCount; ++i) {
    if (made_[i] == nullptr || made_[i]->count() == 0) continue;
    const std::string text =
        kOptions[i].type == OptionType::kFlag ? std::string(flags_[i] != 0 ? "1" : "0") : texts_[i];
    std::string problem = ValueProblem(i, FlagName(i), text);
    if (!problem.empty()) return problem;
    given->push_back({i, text});
  }
  return "";
}

Arguments WordsOf(const GivenOption& option) {
  const std::string name = FlagName(option.index);
  if (kOptions[option.index].type != OptionType::kFlag) return {name, option.text};
  return {option.text == "1" ? name : "--no-" + name.substr(2)};
}

RunLine ParseRunLine(const Arguments& given) {
  RunLine line;
  CLI::App app("", "run");
  app.set_help_flag();
  bool verbose = false;
  const RecordingOptions options(&app, [](size_t) { return true; });
  app.add_flag("--dry-run", line.dry_run);
  app.add_flag("--no-preload", line.no_preload);
  app.add_flag("-v,--verbose", verbose);
  app.add_flag("-h,--help", line.help);

  const Arguments arguments = WithNumbers(app, given);
  const OptionSpan span = FindOptionSpan(app, arguments);
  line.error = span.error;
  if (!line.error.empty()) return line;
  const ptrdiff_t options_end = static_cast<ptrdiff_t>(span.end) - (span.had_separator ? 1 : 0);
  line.program.assign(arguments.begin() + static_cast<ptrdiff_t>(span.end), arguments.end());
  const Arguments own(arguments.begin(), arguments.begin() + options_end);
  line.error = ParseArguments(&app, own);
  if (!line.error.empty()) return line;
  line.notes = FormerFlagNotes(own);

  line.error = options.Take(&line.options);
  if (!line.error.empty()) return line;
  if (verbose) line.options.push_back({OptionIndex("log.level"), "info"});
  return line;
}

void ExportOptions(const std::vector<GivenOption>& options) {
  for (const GivenOption& option : options) {
    char name[64];
    OptionVariable(option.index, name);
    setenv(name, option.text.c_str(), 1);
  }
}

std::vector<std::string> FindBadVariables() {
  std::vector<std::string> sentences;
  ForEachBadValue(
      [](size_t index, const char* value, void* context) {
        char name[64];
        OptionVariable(index, name);
        static_cast<std::vector<std::string>*>(context)->push_back(
            Text("the variable ", name, "=", ShellQuote(value), " is ignored: it must be ",
                 ExpectedInstead(index, value), "."));
      },
      &sentences);
  ForEachUnknownVariable(
      [](const char* name, const char* nearest, void* context) {
        static_cast<std::vector<std::string>*>(context)->push_back(
            *nearest == '\0'
                ? Text("the variable ", name,
                       " is not known and is ignored; `syncline options` lists those that are.")
                : Text("the variable ", name, " is not known and is ignored: did you mean ",
                       nearest, "? `syncline options` lists them."));
      },
      &sentences);
  return sentences;
}

}  // namespace syncline
