// SPDX-License-Identifier: Apache-2.0
// Adds up what was done for the ranges of each name, and by kernel what was launched in them. Of
// ranges of one name within each other it is counted once.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/sums/kernel_sums.h"
#include "analysis/sums/work_curves.h"
#include "model/findings/run_findings.h"
#include "model/spool/streams.h"

namespace syncline {

// Ranges of a thread come in the order of their ends, as they were recorded: what lies within one
// came before it. One thread. Memory: for each thread and name as much as ranges nest, kMostPairs
// kernels of names, and where threads work for others kMostKept of their spells (of each thread)
// and of start/end ranges.
class StageSums {
 public:
  static constexpr size_t kMostPairs = 1 << 16;
  static constexpr size_t kMostKept = 1 << 20;

  explicit StageSums(WorkCurves* curves) : curves_(curves) {}

  // A push/pop range; `depth`: how many of the thread's ranges were open around it.
  void AddNested(const Stream& stream, uint32_t name, uint32_t depth, uint64_t begin_ns,
                 uint64_t end_ns) {
    AddNested(stream.id(), stream.tid(), name, depth, begin_ns, end_ns);
  }
  // `stream`: another number for each thread, not 0.
  void AddNested(uint64_t stream, uint32_t tid, uint32_t name, uint32_t depth, uint64_t begin_ns,
                 uint64_t end_ns);
  // Threads that may work for others: what they do in such a time is the other's. The time of a
  // range that comes next.
  void SetHelpers(const std::vector<uint32_t>& tids);
  void AddHelped(uint64_t stream, uint32_t tid, uint64_t begin_ns, uint64_t end_ns);
  // A start/end range that the thread began: each counts for itself. It may have ended on another
  // thread, of which nothing says whether its records come sooner.
  void AddStarted(uint32_t tid, uint32_t name, uint64_t begin_ns, uint64_t end_ns);
  // A start/end range for which no thread alone worked: what was while it was open.
  void AddOpen(uint32_t name, uint64_t begin_ns, uint64_t end_ns);

  // After the last range. Leaves the `most` costliest kernels of names; the others of a name are
  // one, KernelSums::kOtherKernels.
  void Finish(size_t most);
  // By the names' numbers; may have fewer. The kernels are numbered as in the curves.
  const std::vector<StageWork>& sums() const { return sums_; }
  const std::vector<KernelSums>& kernels() const { return kernels_; }

 private:
  // Ranges of a name which something may still be around: what was done for them counts if that is
  // of another name. A range that ended later at a smaller depth was around it: from then on what
  // counts is that range's depth.
  struct Inside {
    uint32_t depth;
    uint64_t begin_ns;  // of the first
    uint64_t closes;    // Thread::closes, when `depth` was right
    StageWork work;
    KernelSums kernels;
  };
  struct Close {
    uint32_t depth;
    uint64_t number;
  };
  struct Spell {
    uint64_t begin_ns, end_ns;
  };
  struct Started {
    uint32_t tid, name;
    uint64_t begin_ns, end_ns;
  };
  struct Thread {
    WorkCurves::Thread* work = nullptr;
    std::vector<Spell> helped;  // one behind the other
    uint64_t closes = 0;
    std::vector<Close> last;  // of each depth the last close that none at a smaller one followed
    std::vector<std::vector<Inside>> few;  // by name
    std::unordered_map<uint32_t, std::vector<Inside>> more;

    uint32_t DepthOf(const Inside& inside) const;
    void End(uint32_t depth);
    std::vector<Inside>& Of(uint32_t name);
  };

  Thread& ThreadOf(uint64_t stream, uint32_t tid);
  void Reserve(uint32_t name);
  void Count(uint32_t name, Inside* inside);
  void CountInsides(uint32_t name, std::vector<Inside>* insides);
  void KeepOwn(uint32_t name, Inside* inside);
  // What was launched in a range, to `sums`; of a push/pop range also what was in none within it.
  StageWork WorkOf(const Thread& thread, uint64_t begin_ns, uint64_t end_ns);
  void AddAllKernels(const Thread& thread, uint64_t begin_ns, uint64_t end_ns, KernelSums* sums);
  void AddKernels(WorkCurves::Thread* thread, uint64_t begin_ns, uint64_t end_ns, KernelSums* sums);
  void AddNestedKernels(WorkCurves::Thread* thread, uint64_t begin_ns, uint64_t end_ns,
                        KernelSums* sums);
  void AddHelpOf(const Started& range);
  void KeepCostliest(size_t most);

  WorkCurves* const curves_;
  std::vector<StageWork> sums_;
  std::vector<KernelSums> kernels_;
  size_t room_ = kMostPairs;
  KernelTally tally_;
  std::vector<WorkCurves::Thread*> helpers_;
  std::vector<Started> started_;  // which others may have worked for
  std::unordered_map<uint32_t, Thread> threads_;
  Thread* thread_ = nullptr;  // of the stream seen last
  uint64_t stream_ = 0;
};

}  // namespace syncline
