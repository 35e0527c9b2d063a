// SPDX-License-Identifier: Apache-2.0
// Which processes of this machine the program talks to that run without us: what they do for it is
// not recorded (Ray, Dask, a notebook's kernel).
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace syncline {

// Looks from time to time, through /proc and the kernel's tables of sockets: nothing of it runs in
// the program. A connection that lasts a fifth of the program's time is seen, one that comes and
// goes between two looks is not. One thread.
class OtherServers {
 public:
  // Before the program is started: what it inherits is no connection of its own.
  OtherServers();

  // The program is `pid`. Returns after how many nanoseconds the next look is due.
  uint64_t Look(int pid);

  // "raylet (pid 5)", in the order in which they were seen: processes that are connected to the
  // program or to what it started, are neither of these, nor this process or one above it, and do
  // not belong to a launcher of ours.
  const std::vector<std::string>& names() const { return names_; }

 private:
  void LookNow(int pid);

  uint64_t begun_ns_;
  std::set<uint64_t> inherited_;  // sockets, by inode
  std::set<int> told_;            // pids of those that have a name here, or need none
  std::vector<std::string> names_;
};

}  // namespace syncline
