// SPDX-License-Identifier: Apache-2.0
// Work after the program's end that a user may interrupt: progress on a terminal, Ctrl-C.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace syncline {

// Written by the working thread, read by the one that shows it.
struct WorkProgress {
  std::atomic<uint64_t> done{0};
  std::atomic<uint64_t> total{0};      // 0: not known yet
  std::atomic<bool> cancelled{false};  // the work should stop soon and leave its input as it is
};

// Runs `work` on a thread of its own. All signals of this thread must be blocked. After a second,
// if stderr is a terminal, a line with `title` shows the progress. SIGINT, SIGTERM, SIGHUP or
// SIGQUIT says `interrupted`, cancels, and waits for the work to return. False: interrupted. Throws
// what `work` throws.
bool WorkInForeground(const std::function<void(WorkProgress*)>& work, const std::string& title,
                      const std::string& interrupted);

}  // namespace syncline
