// SPDX-License-Identifier: Apache-2.0
// Tells how long threads were in ranges of each name and in no range within, and in no range at
// all.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/findings/run_findings.h"

namespace syncline {

// Push/pop ranges of a thread come in the order of their ends: what lies within one came before it.
// One thread. Memory: for each thread as much as ranges nest.
class OwnTimes {
 public:
  // `stream`: another number for each thread, not 0. `depth`: how many of the thread's ranges were
  // open around it. `name`: below 2^32 - 1.
  void Add(uint64_t stream, uint32_t tid, uint32_t name, uint32_t depth, uint64_t begin_ns,
           uint64_t end_ns);

  // By the names' numbers; may have fewer.
  const std::vector<OwnTime>& sums() const { return sums_; }
  // Of the thread that was in ranges longest: how long it was in none, from its first to its last.
  uint64_t BetweenNs() const;

 private:
  struct Thread {
    std::vector<uint64_t> within_ns;  // by depth: of ranges whose outer one is still to come
    uint64_t first_ns = UINT64_MAX;   // of ranges in no other
    uint64_t last_ns = 0;
    uint64_t covered_ns = 0;
  };

  std::vector<OwnTime> sums_;
  std::unordered_map<uint32_t, Thread> threads_;
  Thread* thread_ = nullptr;  // of the stream seen last
  uint64_t stream_ = 0;
};

}  // namespace syncline
