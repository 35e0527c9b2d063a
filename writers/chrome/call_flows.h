// SPDX-License-Identifier: Apache-2.0
// Arrows from calls to the work of devices that they brought.
#pragma once

#include <cstdint>

#include "writers/chrome/source_job.h"

namespace syncline {

// Of one source in one process; the job outlives it. One thread.
class CallFlows {
 public:
  explicit CallFlows(const SourceJob& job) : job_(job) {}

  void Starts(uint32_t correlation, uint32_t pid, uint32_t tid, uint64_t at) {
    Write(true, correlation, pid, tid, at);
  }
  void Ends(uint32_t correlation, uint32_t pid, uint32_t tid, uint64_t at) {
    Write(false, correlation, pid, tid, at);
  }

 private:
  void Write(bool starts, uint32_t correlation, uint32_t pid, uint32_t tid, uint64_t at);

  const SourceJob& job_;
};

// Numbers of arrows to waits stand above those of calls, from here on.
uint64_t FirstWaitFlow(const SourceJob& job);

}  // namespace syncline
