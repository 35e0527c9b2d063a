// SPDX-License-Identifier: Apache-2.0
// A command that this process waits for, and that may be stopped with it.
#pragma once

#include <string>
#include <vector>

namespace syncline {

struct ChildEnd {
  int error = 0;        // the errno of its start; the rest counts where it is 0
  int wait_status = 0;  // of the child
  int stopped_by = 0;   // the signal that came to us meanwhile; 0: none
};

// Runs `path` with `arguments` (argv[0] among them), without input; what it prints goes to stderr,
// because stdout is this command's own. SIGINT, SIGTERM and SIGHUP do not end this process
// meanwhile: the child gets them too, and its end is waited for. A second one kills what the child
// runs, a third one the child. If this process is killed, what the child runs is ended.
ChildEnd RunChild(const std::string& path, const std::vector<std::string>& arguments);

}  // namespace syncline
