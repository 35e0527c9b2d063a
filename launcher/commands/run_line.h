// SPDX-License-Identifier: Apache-2.0
// The command line of `syncline run`: options of the option table, a few of its own, then the
// program.
#pragma once

#include <string>
#include <vector>

#include "launcher/commands/cli.h"

namespace syncline {

struct GivenOption {
  size_t index;      // in kOptions
  std::string text;  // parses as the option's type
};

struct RunLine {
  std::vector<GivenOption> options;
  bool dry_run = false;
  bool no_preload = false;
  bool help = false;
  Arguments program;
  std::vector<std::string> notes;  // of former names of options
  std::string error;               // empty: good
};

RunLine ParseRunLine(const Arguments& arguments);

// The options of the table among those of a command line.
class RecordingOptions {
 public:
  // Those that `fits`. They are made here, so they are to be had before the line is parsed.
  RecordingOptions(CLI::App* app, bool (*fits)(size_t option));
  RecordingOptions(const RecordingOptions&) = delete;
  RecordingOptions& operator=(const RecordingOptions&) = delete;

  // Behind the parsing: those that were given. What is wrong with one; "": nothing.
  std::string Take(std::vector<GivenOption>* given) const;

 private:
  std::vector<std::string> texts_;
  std::vector<char> flags_;
  std::vector<CLI::Option*> made_;  // null: it does not fit
};

// Some options stand for a number where none is given, such as `--sample`: with that number.
Arguments WithNumbers(const CLI::App& app, Arguments arguments);

// {"--stages", "forward"}, {"--no-python"}: as the line of `syncline run` has it.
Arguments WordsOf(const GivenOption& option);

// What is wrong with a value of the option that is called `name` where it stands, a sentence; "":
// nothing.
std::string ValueProblem(size_t option, const std::string& name, const std::string& text);

// A flag of the option table beside its long name, such as 'o' for output; 0: none.
char ShortFlag(const std::string& option_name);

// Puts the options into this process's environment, where the option table reads them. Before any
// call of OptionText and before any thread.
void ExportOptions(const std::vector<GivenOption>& options);

// What is wrong with the values of SYNCLINE_* variables, one sentence each.
std::vector<std::string> FindBadVariables();

}  // namespace syncline
