// SPDX-License-Identifier: Apache-2.0
// Processes below the launcher that see another root directory (chroot, containers) and cannot
// reach it: where their spools lie.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace syncline {

// A process in another root directory drains itself into the path that it was given, below its own
// root. It cannot tell us where that is, but while it lives we can see its root. Nothing is held
// open: the program could not unmount a file system that we hold.
class OtherRoots {
 public:
  // `run_directory`: this run's, absolute.
  explicit OtherRoots(std::string run_directory) : run_directory_(std::move(run_directory)) {}

  // Looks at all processes of the node, if the last time is long enough ago: takes little of a
  // processor however many there are. Call it often, on one thread.
  void Look();

  // Sentences for the user: where spools lie, and what writes their traces.
  std::vector<std::string> Describe() const;

 private:
  using Directory = std::pair<dev_t, ino_t>;
  struct Seen {
    int pid;           // of the first process
    std::string path;  // of the root as seen from here; "": it cannot be reached by a path
    bool has_spools;
  };

  void LookAt(int pid);

  std::string run_directory_;
  std::map<Directory, Seen> seen_;
  std::set<std::pair<int, ino_t>> others_;  // processes that are not ours, with their roots
  uint64_t next_ns_ = 0;
  uint64_t pause_ns_ = 0;
  uint32_t looks_ = 0;
};

}  // namespace syncline
