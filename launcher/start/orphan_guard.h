// SPDX-License-Identifier: Apache-2.0
// Ends what a child runs if this process is killed.
#pragma once

#include <sys/types.h>

namespace syncline {

// While it lives: if this process dies, all that `child` started gets SIGTERM, and SIGKILL some
// seconds later. The child itself goes on, and writes what was recorded. Of a process without
// threads.
class OrphanGuard {
 public:
  explicit OrphanGuard(pid_t child);
  ~OrphanGuard();
  OrphanGuard(const OrphanGuard&) = delete;
  OrphanGuard& operator=(const OrphanGuard&) = delete;

 private:
  pid_t pid_ = -1;
};

}  // namespace syncline
