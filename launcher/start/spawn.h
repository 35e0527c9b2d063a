// SPDX-License-Identifier: Apache-2.0
// Runs the program as our child so that neither it nor whoever waits for us can tell that we stand
// between.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <csignal>
#include <functional>
#include <string>
#include <vector>

#include "launcher/start/group_watch.h"

namespace syncline {

// What this process inherited and the program must get unchanged: signals, and the limit of open
// files. The constructor blocks every signal in the calling thread (threads started later inherit
// that), makes SIGCHLD waitable, and raises our limit of open files as far as it goes. One per
// process, on the main thread.
class InheritedState {
 public:
  InheritedState();
  InheritedState(const InheritedState&) = delete;
  InheritedState& operator=(const InheritedState&) = delete;
  void RestoreInChild() const;  // signal-safe
  // Before this process becomes the program: signals that our own work has raised and that wait
  // here would outlive exec (a fork's child has none).
  void DiscardOurs() const;
  const sigset_t& mask() const { return mask_; }

 private:
  sigset_t mask_;
  struct sigaction child_action_;
  rlimit files_;
  bool files_raised_ = false;
};

struct SpawnRequest {
  std::string path;
  std::vector<std::string> arguments;    // with argv[0]
  std::vector<std::string> environment;  // "NAME=value"
  // The kernel kills the program with the thread that called Start: the main thread, which lives as
  // long as this process.
  bool die_with_us = false;
};

class Program {
 public:
  // Before any thread is started. With `watch_group` a process of ours helps to tell signals apart
  // (group_watch.h).
  explicit Program(const InheritedState& signals, bool watch_group = true);

  // 0, or the errno of fork or exec. After the former (could_fork() is false) the program may still
  // take the place of this process. A file without a known format is given to /bin/sh, as execvp
  // does. Once it runs this process lets go of what the program inherited: stdin and stdout become
  // /dev/null, others without close-on-exec are closed.
  int Start(const SpawnRequest& request);
  bool could_fork() const { return could_fork_; }
  pid_t pid() const { return pid_; }  // -1: there is no child, and none has run the program

  // Waits until the program is gone; returns its wait status. Meanwhile: a signal that a process
  // sent to us alone goes to the program once; what the terminal or a sender gave to the whole
  // process group it has already; when the program stops we stop in the same way, and when one
  // of us is continued so is the other. `visit` is called now and then, and says after how many
  // nanoseconds again; 0: never again.
  int Wait(const std::function<uint64_t()>& visit = [] { return uint64_t{0}; });

 private:
  void ReapOrphans() const;
  void Forward(const siginfo_t& info);
  void StopLike(int signal);
  void Continue(pid_t guard);

  const InheritedState& signals_;
  GroupWatch group_;
  pid_t pid_ = -1;
  bool could_fork_ = true;
};

// Replaces this process by the program. Returns the errno if that fails.
int ReplaceByProgram(const SpawnRequest& request, const InheritedState* signals);

// Ends this process as `wait_status` says that the program ended: same exit status, or death by the
// same signal, with core dumps off so that the program's own core file stays.
[[noreturn]] void LeaveLike(int wait_status);

}  // namespace syncline
