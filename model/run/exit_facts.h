// SPDX-License-Identifier: Apache-2.0
// How a process ended, and from whom that is known.
#pragma once

#include <string>

namespace syncline {

enum class ExitKind { kUnknown, kRunning, kExited, kSignaled };

struct ExitFacts {
  ExitKind kind = ExitKind::kUnknown;
  int value = 0;            // status or signal
  const char* source = "";  // who said so
};

// "exited with status 3", "killed by signal 9 (KILL)", "unknown", ...
std::string DescribeExit(const ExitFacts& exit);

}  // namespace syncline
