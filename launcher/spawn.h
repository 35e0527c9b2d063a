// SPDX-License-Identifier: Apache-2.0
// Runs the program as our child so that neither it nor whoever waits for us can tell that we stand
// between.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>
#include <vector>

#include "launcher/group_watch.h"

namespace syncline {

// What this process inherited and the program must get unchanged. The constructor blocks every
// signal in the calling thread (threads started later inherit that) and makes SIGCHLD waitable. One
// per process, on the main thread.
class InheritedSignals {
 public:
  InheritedSignals();
  InheritedSignals(const InheritedSignals&) = delete;
  InheritedSignals& operator=(const InheritedSignals&) = delete;
  void RestoreInChild() const;  // signal-safe
  const sigset_t& mask() const { return mask_; }

 private:
  sigset_t mask_;
  struct sigaction child_action_;
};

struct SpawnRequest {
  std::string path;
  std::vector<std::string> arguments;    // with argv[0]
  std::vector<std::string> environment;  // "NAME=value"
};

class Program {
 public:
  // Before any thread is started. With `watch_group` a process of ours helps to tell signals apart
  // (group_watch.h).
  explicit Program(const InheritedSignals& signals, bool watch_group = true);

  // 0, or the errno of fork or exec. A file without a known format is given to /bin/sh, as execvp
  // does. Then this process lets go of what the program inherited: stdin and stdout become
  // /dev/null, others without close-on-exec are closed.
  int Start(const SpawnRequest& request);
  pid_t pid() const { return pid_; }

  // Waits until the program is gone; returns its wait status. Meanwhile: a signal that a process
  // sent to us alone goes to the program once; what the terminal or a sender gave to the whole
  // process group it has already; when the program stops we stop in the same way, and when we are
  // continued so is it.
  int Wait();

 private:
  void ReapOrphans() const;
  void Forward(const siginfo_t& info);
  void StopLike(int signal);
  void Continue();

  const InheritedSignals& signals_;
  GroupWatch group_;
  pid_t pid_ = -1;
};

// Replaces this process by the program. Returns the errno if that fails.
int ReplaceByProgram(const SpawnRequest& request, const InheritedSignals* signals);

// Ends this process as `wait_status` says that the program ended: same exit status, or death by the
// same signal, with core dumps off so that the program's own core file stays.
[[noreturn]] void LeaveLike(int wait_status);

}  // namespace syncline
