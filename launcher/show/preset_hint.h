// SPDX-License-Identifier: Apache-2.0
// What is said after a run of presets: which would show something, and whose pattern is whose.
#pragma once

#include <string>

#include "launcher/host/preset_table.h"
#include "model/findings/run_findings.h"

namespace syncline {

// "the program uses diffusers: `--preset diffusers` shows its stages"; "" where the lines of waits
// and gaps name no such package. Pure.
std::string PresetHint(const RunFindings& findings);

// The one of the command's own in which this pattern of functions stands; null: none.
const Preset* PresetWith(const std::string& pattern);

}  // namespace syncline
