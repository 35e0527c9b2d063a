// SPDX-License-Identifier: Apache-2.0
// Which build this is, in one line.
#pragma once

#include <string>

namespace syncline {

// "syncline 0.1.0 (commit 0123456789ab, layout 2)". Launchers and libraries of one layout work
// together; "-dirty" behind the commit: the tree had changes; "unknown": it was not a git checkout.
std::string BuildText();

// The commit alone.
const char* BuildCommit();

}  // namespace syncline
