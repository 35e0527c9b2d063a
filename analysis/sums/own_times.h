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
// Start/end ranges count where the thread that began them ends them, and no push/pop range of it is
// around them: that one has their time. Of those within each other the inner one has it; those that
// overlap otherwise have it both. One thread. Memory: for each thread as much as ranges nest, and
// kMostPending start/end ranges.
class OwnTimes {
 public:
  // `stream`: another number for each thread, not 0. `depth`: how many of the thread's ranges were
  // open around it. `name`: below 2^32 - 1.
  void Add(uint64_t stream, uint32_t tid, uint32_t name, uint32_t depth, uint64_t begin_ns,
           uint64_t end_ns);
  // A start/end range by its id; `name` as above.
  void Start(uint64_t stream, uint32_t tid, uint64_t id, uint32_t name, uint64_t begin_ns);
  // One that this thread began; `end_ns`: not before it.
  void End(uint64_t stream, uint32_t tid, uint64_t id, uint64_t end_ns);
  // After the last range.
  void Finish();

  // By the names' numbers; may have fewer.
  const std::vector<OwnTime>& sums() const { return sums_; }
  // Of the thread that was in ranges longest: how long it was in none, from its first to its last.
  uint64_t BetweenNs() const;

 private:
  static constexpr size_t kMostOpen = 1 << 12;     // as a collector keeps
  static constexpr size_t kMostPending = 1 << 16;  // more are in no push/pop range

  struct Started {
    uint64_t id;
    uint32_t name;
    uint64_t begin_ns;
    uint64_t pushed_ns;      // Thread::pushed_ns at its begin
    uint64_t within_ns = 0;  // own time of start/end ranges within it
  };
  // It has ended, and a push/pop range may be around it.
  struct Pending {
    uint32_t name;
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t own_ns;
  };
  struct Thread {
    std::vector<uint64_t> within_ns;  // by depth: of ranges whose outer one is still to come
    uint64_t first_ns = UINT64_MAX;   // of ranges in no other
    uint64_t last_ns = 0;
    uint64_t covered_ns = 0;
    uint64_t pushed_ns = 0;  // of these, by push/pop ranges
    std::vector<Started> open;
    std::vector<Pending> pending;
  };

  Thread& ThreadOf(uint64_t stream, uint32_t tid);
  OwnTime& SumOf(uint32_t name);
  static void Cover(Thread* thread, uint64_t begin_ns, uint64_t end_ns, uint64_t covered_ns);
  // Those that no push/pop range from `begin_ns` on is around.
  void Settle(Thread* thread, uint64_t begin_ns);

  std::vector<OwnTime> sums_;
  std::unordered_map<uint32_t, Thread> threads_;
  Thread* thread_ = nullptr;  // of the stream seen last
  uint64_t stream_ = 0;
};

}  // namespace syncline
