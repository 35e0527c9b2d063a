// SPDX-License-Identifier: Apache-2.0
// Reading a command line with CLI11, with our own words for what is wrong with it. CLI11's header
// takes seconds to compile: it stays out of this one.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {  // NOLINT(readability-identifier-naming): CLI11's
class App;
}

namespace syncline {

using Arguments = std::vector<std::string>;

// The options of a subcommand, which write to what they are given.
class CommandLine {
 public:
  explicit CommandLine(const char* command);
  ~CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // `names`: "--json", "-q,--quiet".
  void Flag(const char* names, bool* value);
  void Number(const char* names, int* value);  // not negative
  void Text(const char* names, std::string* value);
  // A word that has to stand there.
  void Word(const char* name, std::string* value);
  void OptionalWord(const char* name, std::string* value);

  std::string command() const;
  CLI::App& app() { return *app_; }

 private:
  std::unique_ptr<CLI::App> app_;
};

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
