// SPDX-License-Identifier: Apache-2.0
// What is said after a run of a program that uses a framework of which there is a preset.
#pragma once

#include <string>

#include "model/findings/run_findings.h"

namespace syncline {

// "the program uses diffusers: `--preset diffusers` shows its stages"; "" where the lines of waits
// and gaps name no such package. Pure.
std::string PresetHint(const RunFindings& findings);

}  // namespace syncline
