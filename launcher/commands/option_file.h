// SPDX-License-Identifier: Apache-2.0
// Files of options: the one that --config names, and presets. Their keys are the options' names.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "launcher/commands/run_line.h"

namespace syncline {

// Keys that mean something to the file's reader and are no options.
using OwnKeys = std::vector<std::string>;

struct OptionFile {
  std::vector<GivenOption> options;
  std::string error;  // a sentence with the file's name and the line; empty: good
};

// `name`: for messages. What `own_keys` names is passed over.
OptionFile ReadOptionFile(std::string_view text, const std::string& name, const OwnKeys& own_keys);

// What the line, else a variable, gives for the option; "": nothing.
std::string GivenText(const RunLine& line, size_t option);
// Whether either gives it, also as nothing.
bool IsGivenOption(const RunLine& line, size_t option);

// Adds what the file of --config or SYNCLINE_CONFIG says and neither the line nor a variable does.
// What is wrong, a sentence; "": nothing.
std::string AddConfigFile(RunLine* line);

}  // namespace syncline
