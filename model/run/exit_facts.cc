// SPDX-License-Identifier: Apache-2.0
// In words.
#include "model/run/exit_facts.h"

#include <iterator>

namespace syncline {
namespace {

// sigabbrev_np is younger than the C library that we promise to run with.
std::string SignalName(int signal) {
  static constexpr const char* kSignals[] = {
      "",     "HUP",  "INT",  "QUIT", "ILL",  "TRAP", "ABRT", "BUS",    "FPE",
      "KILL", "USR1", "SEGV", "USR2", "PIPE", "ALRM", "TERM", "STKFLT", "CHLD",
      "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG",  "XCPU", "XFSZ"};
  const std::string number = std::to_string(signal);
  const bool known = signal > 0 && static_cast<size_t>(signal) < std::size(kSignals);
  return known ? number + " (" + kSignals[signal] + ")" : number;
}

}  // namespace

std::string DescribeExit(const ExitFacts& exit) {
  switch (exit.kind) {
    case ExitKind::kRunning:
      return "still running when recording ended";
    case ExitKind::kExited:
      return "exited with status " + std::to_string(exit.value);
    case ExitKind::kSignaled:
      return "killed by signal " + SignalName(exit.value);
    default:
      return *exit.source == '\0' ? "unknown" : exit.source;
  }
}

}  // namespace syncline
