// SPDX-License-Identifier: Apache-2.0
// Reading a command line with CLI11, with our own words for what is wrong with it. CLI11's header
// takes seconds to compile: it stays out of this one.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
class Option;
}  // namespace CLI

namespace syncline {

using Arguments = std::vector<std::string>;

// The options of a subcommand, which write to what they are given.
class CommandLine {
 public:
  explicit CommandLine(const char* command);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `shown`: "--json", "-q, --quiet", "--format NAME". `help`: "" for what is not shown.
  void Flag(const char* shown, bool* value, const char* help);
  void Number(const char* shown, int* value, const char* help);  // not negative
  void Text(const char* shown, std::string* value, const char* help);
  // May come several times.
  void Texts(const char* shown, std::vector<std::string>* values, const char* help);
  // A word that has to stand there.
  void Word(const char* name, std::string* value);
  void OptionalWord(const char* name, std::string* value);
  void OptionalWords(const char* name, std::vector<std::string>* values);

  // A sentence below the options in their help.
  void Remark(const char* text);

  std::string command() const;
  const std::string& help() const { return help_; }  // a line or more for each option
  CLI::App& app() { return *app_; }

 private:
  // The names alone; the rest is kept for help().
  std::string Names(const char* shown, const char* help);

  std::unique_ptr<CLI::App> app_;
  std::string help_;
};

// "  -o, --output TEXT      text that is wrapped and indented"
std::string OptionLine(const std::string& left, const std::string& text);

// Where the options of `app` end in `arguments`: the index of the first word that is neither an
// option nor an option's value. "--" ends them too and is counted as an option.
struct OptionSpan {
  size_t end = 0;
  bool had_separator = false;
  std::string error;  // an unknown option, with the nearest known one
};
OptionSpan FindOptionSpan(const CLI::App& app, const Arguments& arguments);

// Parses all `arguments` with `app`; options and other words in any order. Returns an error with
// what, why, what to do, or "".
std::string ParseArguments(CLI::App* app, const Arguments& arguments);

}  // namespace syncline
