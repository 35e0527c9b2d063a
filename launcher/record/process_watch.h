// SPDX-License-Identifier: Apache-2.0
// A handle on a process that is not our child: when it ends, and how, where the kernel tells.
#pragma once

#include <cstdint>

namespace syncline {

// Owns a pidfd. Movable by pointer only.
class ProcessWatch {
 public:
  // `pid` is 0 for a process outside our pid namespace; `pidfd`, if there is one, is then all that
  // tells of it, and this object's to close.
  explicit ProcessWatch(int pid, int pidfd = -1);
  ~ProcessWatch();
  ProcessWatch(const ProcessWatch&) = delete;
  ProcessWatch& operator=(const ProcessWatch&) = delete;

  // Readable when the process is gone; -1 on a kernel without pidfds (before 5.3; for pid 0: before
  // 6.5): use Gone().
  int fd() const { return fd_; }
  int pid() const { return pid_; }
  bool Gone() const;  // false also where that cannot be known
  // Whether it is on its way out: it was killed, or gives back its memory. False: cannot be known.
  bool Dying() const;

  // The wait status of a process that is gone and was waited for by its parent (Linux 6.15 and
  // later tell it to anyone who holds a pidfd). False: cannot be known.
  bool ExitStatus(int* wait_status) const;

 private:
  int pid_;
  int fd_;
  uint64_t start_time_;  // tells the process from a later one with the same pid
};

}  // namespace syncline
