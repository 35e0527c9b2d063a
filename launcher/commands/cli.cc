// SPDX-License-Identifier: Apache-2.0
// Unknown options, and CLI11's errors as sentences.
#include "launcher/commands/cli.h"

#include <CLI/CLI.hpp>

#include <algorithm>

#include "launcher/host/shell_text.h"

namespace syncline {
namespace {

constexpr size_t kTextColumn = 25;
constexpr size_t kLineWidth = 100;

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string UnknownOption(const CLI::App& app, const std::string& name) {
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& text : option->get_lnames()) known.push_back("--" + text);
    for (const std::string& text : option->get_fnames()) known.push_back("--" + text);
    if (name.size() <= 2) {
      for (const std::string& text : option->get_snames()) known.push_back("-" + text);
    }
  }
  const std::string nearest = NearestName(name, known);
  const std::string command = app.get_name().empty() ? "" : " " + app.get_name();
  return Text("there is no option ", ShellQuote(name),
              nearest.empty() ? "." : Text(": did you mean ", nearest, "?"), " `syncline help",
              command, "` lists the options.");
}

// "" if it may be written so.
std::string UnwantedValue(const CLI::App& app, const CLI::Option& option, const std::string& name) {
  const bool has_opposite = app.get_option_no_throw("--no-" + name.substr(2)) == &option;
  return TakesValue(option) ? ""
                            : Text("the option ", name, " takes no value: write ", name,
                                   has_opposite ? " or --no-" + name.substr(2) : "", ".");
}

// `-vq`, `-oDIR`: the number of further arguments taken (0 or 1), or -1 for an unknown letter.
int ShortOptions(const CLI::App& app, const std::string& argument, std::string* unknown) {
  for (size_t i = 1; i < argument.size(); ++i) {
    const std::string name = std::string("-") + argument[i];
    const CLI::Option* option = app.get_option_no_throw(name);
    if (option == nullptr) return *unknown = i == 1 ? argument : name, -1;
    if (TakesValue(*option)) return i + 1 == argument.size() ? 1 : 0;
  }
  return 0;
}

}  // namespace

CommandLine::CommandLine(const char* command) : app_(std::make_unique<CLI::App>("", command)) {
  app_->set_help_flag();
}

CommandLine::~CommandLine() = default;

std::string OptionLine(const std::string& left, const std::string& text) {
  std::string line = "  " + left;
  line += line.size() + 1 < kTextColumn ? std::string(kTextColumn - line.size(), ' ')
                                        : "\n" + std::string(kTextColumn, ' ');
  size_t column = kTextColumn;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    if (column + (end - begin) > kLineWidth) {
      line += "\n" + std::string(kTextColumn, ' ');
      column = kTextColumn;
    } else if (begin > 0) {
      line += ' ';
    }
    line += text.substr(begin, end - begin);
    column += end - begin + 1;
    begin = end + 1;
  }
  return line + "\n";
}

std::string CommandLine::Names(const char* shown, const char* help) {
  if (*help != '\0') help_ += OptionLine(shown, help);
  std::string names = shown;
  if (const size_t comma = names.find(", "); comma != std::string::npos) names.erase(comma + 1, 1);
  return names.substr(0, names.find(' '));
}

void CommandLine::Flag(const char* shown, bool* value, const char* help) {
  app_->add_flag(Names(shown, help), *value);
}

void CommandLine::Remark(const char* text) { help_ += syncline::Text("\n", text, "\n"); }

void CommandLine::Number(const char* shown, int* value, const char* help) {
  app_->add_option(Names(shown, help), *value)->check([](const std::string& text) {
    const bool digits = !text.empty() && text.size() < 10 &&
                        text.find_first_not_of("0123456789") == std::string::npos;
    return digits ? std::string()
                  : syncline::Text("it must be a whole number, not ", ShellQuote(text));
  });
}

void CommandLine::Text(const char* shown, std::string* value, const char* help) {
  app_->add_option(Names(shown, help), *value);
}

void CommandLine::Texts(const char* shown, std::vector<std::string>* values, const char* help) {
  app_->add_option(Names(shown, help), *values)->allow_extra_args(false);
}

void CommandLine::Word(const char* name, std::string* value) {
  app_->add_option(name, *value)->required();
}

void CommandLine::OptionalWord(const char* name, std::string* value) {
  app_->add_option(name, *value);
}

void CommandLine::OptionalWords(const char* name, std::vector<std::string>* values) {
  app_->add_option(name, *values);
}

std::string CommandLine::command() const { return app_->get_name(); }

OptionSpan FindOptionSpan(const CLI::App& app, const Arguments& arguments) {
  OptionSpan span;
  for (; span.end < arguments.size(); ++span.end) {
    const std::string& argument = arguments[span.end];
    if (argument == "--") {
      span.had_separator = true;
      ++span.end;
      break;
    }
    if (argument.size() < 2 || argument[0] != '-') break;
    std::string unknown;
    int values = 0;
    if (argument[1] == '-') {
      const size_t equals = argument.find('=');
      const std::string name = argument.substr(0, equals);
      const CLI::Option* option = app.get_option_no_throw(name);
      if (option == nullptr) unknown = name;
      if (option != nullptr && equals != std::string::npos)
        span.error = UnwantedValue(app, *option, name);
      if (!span.error.empty()) return span;
      values = option != nullptr && equals == std::string::npos && TakesValue(*option) ? 1 : 0;
    } else {
      values = ShortOptions(app, argument, &unknown);
    }
    if (!unknown.empty()) {
      span.error = UnknownOption(app, unknown);
      return span;
    }
    span.end += static_cast<size_t>(values);
  }
  span.end = std::min(span.end, arguments.size());
  return span;
}

std::string ParseArguments(CLI::App* app, const Arguments& arguments) {
  for (size_t at = 0; at < arguments.size();) {
    const Arguments rest(arguments.begin() + static_cast<ptrdiff_t>(at), arguments.end());
    const OptionSpan span = FindOptionSpan(*app, rest);
    if (!span.error.empty()) return span.error;
    if (span.had_separator) break;
    at += span.end + 1;  // and the word behind it
  }
  try {
    Arguments reversed(arguments.rbegin(), arguments.rend());
    app->parse(std::move(reversed));
  } catch (const CLI::ParseError& error) {
    const std::string command = app->get_name().empty() ? "" : " " + app->get_name();
    return Text(error.what(), ". `syncline help", command, "` shows how it is written.");
  }
  return "";
}

}  // namespace syncline
