// SPDX-License-Identifier: Apache-2.0
// Where the recorder puts spools: in the run's folder of this node, and on a local disk where that
// folder is gone or full.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "inject/consumer/spool_file.h"

namespace syncline {

// Any thread of the recorder's.
class SpoolMaker {
 public:
  // `make_local_folder`: for spools, where the folder has no place for them; "": none.
  SpoolMaker(std::string folder, std::function<std::string()> make_local_folder)
      : folder_(std::move(folder)), make_local_folder_(std::move(make_local_folder)) {}

  // A new spool of a process, into which `begin` has written what all spools begin with. Its path;
  // "": spool->error() says why not; 0: `begin` does.
  std::string Make(int pid, uint64_t start_time, DiskBudget* budget, SpoolFile* spool,
                   const std::function<bool()>& begin) const;

  // A file that somebody has removed is there as long as a descriptor of it is: copies it to a
  // local disk. Where `path` is from now on.
  std::string SaveIfRemoved(const SpoolFile& spool, const std::string& path) const;

 private:
  std::string MakeLocalFolder() const;

  std::string folder_;
  mutable std::mutex mutex_;  // guards the next
  std::function<std::string()> make_local_folder_;
};

// A new spool in a folder, with nothing in it. Its path; "": spool->error() says why not.
std::string MakeSpoolIn(const std::string& folder, int pid, uint64_t start_time, DiskBudget* budget,
                        SpoolFile* spool);

}  // namespace syncline
