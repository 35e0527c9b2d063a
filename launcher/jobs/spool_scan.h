// SPDX-License-Identifier: Apache-2.0
// Finds the spools of a run that no recorder of ours has made: of processes that drain themselves,
// or left by a crash.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/run/spool_facts.h"

namespace syncline {

struct FoundSpool {
  std::string path;
  SpoolFacts facts;
  std::string problem;   // why the facts could not be read; empty: they were
  bool running = false;  // its process is alive on this node
};

struct SpoolScan {
  std::vector<FoundSpool> spools;
  std::vector<std::string> problems;  // sentences for the user
  // Host and path of spools whose process left records in memory that is not on this node: whoever
  // is there recovers them. Not among `spools`.
  std::vector<std::pair<std::string, std::string>> elsewhere;
  // Spools whose process left records in memory that another version of Syncline has to read. Not
  // among `spools`; `problems` has a sentence for each.
  std::vector<std::string> other_layout;
  // Pids of launchers of this node that are still at work on this run.
  std::vector<int> busy_launchers;
};

// Looks through run/spool/* and the local folders noted there. First drains the segments that
// self-draining processes of this node left behind. Spools in `known` are left out.
// `leave_claimed`: folders in which a process claimed the recovery of its rank (a .owner file)
// count as `elsewhere`. `disk_reserve`: as for whoever records; who recovers a run takes all.
SpoolScan ScanSpools(const std::string& run_directory, const std::string& node,
                     const std::vector<std::string>& known, bool leave_claimed = false,
                     uint64_t disk_reserve = 0);

// One sentence about `elsewhere`; empty if there is nothing.
std::string DescribeElsewhere(const SpoolScan& scan, const std::string& run_directory);

// Whether the process is alive that has this pid and start time (field 22 of /proc/PID/stat).
bool ProcessRuns(int pid, uint64_t start_time);

}  // namespace syncline
