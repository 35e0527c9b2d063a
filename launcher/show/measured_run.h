// SPDX-License-Identifier: Apache-2.0
// A run whose numbers can be held against a contract: it is over, whole, and ended well.
#pragma once

#include <string>

#include "launcher/show/kept_run.h"

namespace syncline {

// False: it is none, and why was said.
bool ReadMeasuredRun(const std::string& directory, KeptRun* run);

}  // namespace syncline
