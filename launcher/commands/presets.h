// SPDX-License-Identifier: Apache-2.0
// Stages of frameworks: files of options that come with the command (launcher/presets), or the
// user's own.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "launcher/commands/run_line.h"

namespace syncline {

// Adds what the presets of --preset or SYNCLINE_PRESET say. Patterns of Python functions join those
// that are given; else what is given wins. After AddConfigFile. What is wrong, a sentence; "":
// nothing.
std::string AddPresets(RunLine* line);

// The name of each, and the functions that it names, as in --python-ranges.
std::vector<std::pair<std::string, std::string>> PresetFunctions(const std::string& presets);

}  // namespace syncline
