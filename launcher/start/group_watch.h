// SPDX-License-Identifier: Apache-2.0
// Tells a signal that was sent to us alone from one that was sent to our whole process group.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <vector>

namespace syncline {

// The kernel does not say whether a sender meant a process or its group (`kill -TERM -PGID`,
// `timeout`, Slurm, a shell that hangs up): forwarding the second kind would give it to the program
// twice. A small process in the same group blocks all signals and reports those that it gets. It
// ends with this object, or with the thread that made it.
class GroupWatch {
 public:
  GroupWatch() = default;
  ~GroupWatch();
  GroupWatch(const GroupWatch&) = delete;
  GroupWatch& operator=(const GroupWatch&) = delete;

  // All signals must be blocked and no thread started. Without it (fork refused) every signal
  // counts as ours alone.
  void Start();

  // Whether the group got the signal that we got as `info`. Waits at most 50 ms.
  bool GroupGot(const siginfo_t& info);

  // The small process; -1: there is none.
  pid_t pid() const { return pid_; }

 private:
  struct Seen {
    int signal;
    pid_t sender;
  };

  bool Read(int wait_ms);

  pid_t pid_ = -1;
  int reports_ = -1;
  std::vector<Seen> seen_;
};

}  // namespace syncline
