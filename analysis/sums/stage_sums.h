// SPDX-License-Identifier: Apache-2.0
// Adds up what was done for the ranges of each name. Of ranges of one name within each other it is
// counted once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/sums/work_curves.h"
#include "model/findings/run_findings.h"
#include "model/spool/streams.h"

namespace syncline {

// Ranges of a thread come in the order of their ends, as they were recorded: what lies within one
// came before it. One thread. Memory: for each thread and name as much as ranges nest.
class StageSums {
 public:
  explicit StageSums(WorkCurves* curves) : curves_(curves) {}

  // A push/pop range; `depth`: how many of the thread's ranges were open around it.
  void AddNested(const Stream& stream, uint32_t name, uint32_t depth, uint64_t begin_ns,
                 uint64_t end_ns) {
    AddNested(stream.id(), stream.tid(), name, depth, begin_ns, end_ns);
  }
  // `stream`: another number for each thread, not 0.
  void AddNested(uint64_t stream, uint32_t tid, uint32_t name, uint32_t depth, uint64_t begin_ns,
                 uint64_t end_ns);
  // A start/end range that the thread began: each counts for itself.
  void AddStarted(uint32_t tid, uint32_t name, uint64_t begin_ns, uint64_t end_ns);

  // By the names' numbers; may have fewer.
  const std::vector<StageWork>& sums() const { return sums_; }

 private:
  // Ranges of a name which something may still be around. A range that ended later at a smaller
  // depth was around it: from then on what counts is that range's depth.
  struct Inside {
    uint32_t depth;
    uint64_t begin_ns;  // of the first
    uint64_t closes;    // Thread::closes, when `depth` was right
    StageWork work;
  };
  struct Close {
    uint32_t depth;
    uint64_t number;
  };
  struct Thread {
    WorkCurves::Thread* work = nullptr;
    uint64_t closes = 0;
    std::vector<Close> last;  // of each depth the last close that none at a smaller one followed
    std::vector<std::vector<Inside>> few;  // by name
    std::unordered_map<uint32_t, std::vector<Inside>> more;

    uint32_t DepthOf(const Inside& inside) const;
    void End(uint32_t depth);
    std::vector<Inside>& Of(uint32_t name);
  };

  Thread& ThreadOf(uint64_t stream, uint32_t tid);
  StageWork& SumOf(uint32_t name);

  WorkCurves* const curves_;
  std::vector<StageWork> sums_;
  std::unordered_map<uint32_t, Thread> threads_;
  Thread* thread_ = nullptr;  // of the stream seen last
  uint64_t stream_ = 0;
};

}  // namespace syncline
