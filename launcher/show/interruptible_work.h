// SPDX-License-Identifier: Apache-2.0
// Work after the program's end that a user may interrupt: progress on a terminal, Ctrl-C.
#pragma once

#include <functional>
#include <string>

#include "offline/job_pipeline.h"

namespace syncline {

// Runs `work` on a thread of its own. All signals of this thread must be blocked. After a second,
// if stderr is a terminal, a line with `title` shows the progress. SIGINT, SIGTERM, SIGHUP or
// SIGQUIT says `interrupted`, cancels, and waits for the work to return. False: interrupted. Throws
// what `work` throws.
bool WorkInForeground(const std::function<void(WorkProgress*)>& work, const std::string& title,
                      const std::string& interrupted);

}  // namespace syncline
