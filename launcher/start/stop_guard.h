// SPDX-License-Identifier: Apache-2.0
// While this process is stopped because its program is, a process of ours looks at the program:
// whoever continues only the program, or kills it, means this process, too.
#pragma once

#include <sys/types.h>

namespace syncline {

// As /proc says: 'R', 'S', 'T' ...; 0: there is no such process, or no /proc.
char StateOfProcess(pid_t pid);

class StopGuard {
 public:
  // Before this process stops; `program` is stopped. Where no process can be started or there is no
  // /proc, this process stays stopped until somebody continues it.
  explicit StopGuard(pid_t program);
  ~StopGuard();
  StopGuard(const StopGuard&) = delete;
  StopGuard& operator=(const StopGuard&) = delete;

  // Sends no more SIGCONT from now on. Who has sent them: its number; -1: it could not be started.
  pid_t End();

 private:
  pid_t pid_;
  bool runs_;
};

}  // namespace syncline
