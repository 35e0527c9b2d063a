// SPDX-License-Identifier: Apache-2.0
// Stages of frameworks: files of options that come with the command (launcher/presets), or the
// user's own.
#pragma once

#include <string>

#include "launcher/commands/run_line.h"

namespace syncline {

// Adds what the presets of --preset or SYNCLINE_PRESET say. Patterns of Python functions join those
// that are given; else what is given wins. After AddConfigFile. What is wrong, a sentence; "":
// nothing.
std::string AddPresets(RunLine* line);

// The functions that presets name, as in --python-ranges; of one that cannot be read none.
std::string PresetFunctions(const std::string& presets);

}  // namespace syncline
