// SPDX-License-Identifier: Apache-2.0
// What a process did with its devices, over time: how busy they were, how much memory it held, what
// each thread gave them and how long it waited for them. Kept from the first reading to the second,
// which asks for each range.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/sums/busy_prefix_sums.h"
#include "analysis/sums/launch_curve.h"
#include "analysis/sums/submitted_ends.h"
#include "analysis/sums/time_curves.h"
#include "model/devices/device_survey.h"
#include "model/devices/gpu_records.h"
#include "model/devices/op_label.h"
#include "model/findings/run_findings.h"
#include "model/run/memory_log.h"
#include "model/run/time_limits.h"

namespace syncline {

// Bytes that are held, over time. One thread.
class LevelCurve {
 public:
  void Add(uint64_t ns, int64_t bytes) { changes_.push_back({ns, bytes}); }
  void Finish();
  uint64_t MostBetween(uint64_t begin_ns, uint64_t end_ns);

 private:
  struct Change {
    uint64_t ns;
    int64_t level;  // the difference until Finish
  };
  size_t PlaceOf(uint64_t ns);
  int64_t MostOf(size_t from, size_t to) const;

  std::vector<Change> changes_;
  std::vector<int64_t> most_;  // of the halves, the quarters ... of changes_
  size_t near_ = 0;
};

// What a copy, or a set, is called by: from where, to where.
using CopyLabel = std::tuple<Source, DeviceOpType, MemoryKind, MemoryKind>;
using CopyParts = std::map<CopyLabel, StepPart>;

// One thread. Memory: 24 bytes for a spell of work or a wait, 48 to 96 for an operation, each up to
// a number of them; beyond, steps are coarser.
class WorkCurves {
 public:
  static constexpr size_t kMostOps = 1 << 24;
  // How many of each are kept.
  static constexpr size_t kMostCopies = 1 << 20;
  struct Most {
    size_t ops = kMostOps;
    size_t spells = SpellCurve::kMostSpells;  // of a device
  };

  class Thread {
   private:
    friend class WorkCurves;
    void Finish(size_t every, const std::vector<CoverageGap>& closed);

    std::vector<CoverageGap> waits_;  // until Finish
    LaunchCurve launches_;
    SubmittedEnds ends_;
    SpellCurve blocked_;
    std::set<DeviceKey> devices_;  // that it gave work
  };

  // `closed`: when nothing was recorded.
  WorkCurves(std::vector<CoverageGap> closed, const Most& most);
  explicit WorkCurves(std::vector<CoverageGap> closed) : WorkCurves(std::move(closed), Most()) {}

  // Of each source: what its devices did, with ops_by_device filled in; what threads gave them,
  // its records sorted as FindWaits leaves them; the waits for them.
  void AddDevices(const GpuRecords& records, const TimeLimits& limits);
  // `labels`: by GpuOp::kernel.
  void AddLaunches(Source source, const GpuRecords& records, const std::vector<OpLabel>& labels,
                   const TimeLimits& limits);
  void AddWaits(const std::vector<Wait>& waits, const TimeLimits& limits);
  void AddMemory(const DeviceSurvey& survey, const DeviceClocks& clocks);
  // By what its time goes by with.
  TimeCurves& times() { return times_; }
  // What frameworks' allocators had given out, and held, of all devices.
  void AddAllocators(const MemoryLog& log, Timeline* timeline);
  bool has_allocators() const { return has_allocators_; }
  uint64_t AllocatedPeak(uint64_t begin_ns, uint64_t end_ns) {
    return allocated_.MostBetween(begin_ns, end_ns);
  }
  uint64_t HeldPeak(uint64_t begin_ns, uint64_t end_ns) {
    return held_.MostBetween(begin_ns, end_ns);
  }
  // Bytes that the process took at a moment, or gave back.
  void AddMemory(uint64_t ns, int64_t bytes) { memory_.Add(ns, bytes); }
  // When all was added.
  void Finish();

  // That it takes, after Finish.
  uint64_t bytes() const;
  // Whether there is anything to say.
  bool empty() const { return busy_.empty() && threads_.empty(); }
  // Null: the thread had nothing to do with devices.
  Thread* ThreadOf(uint32_t tid);
  // What was done between two moments, by the thread and on all devices.
  StageWork Between(Thread* thread, uint64_t begin_ns, uint64_t end_ns);
  // The thread's part of that alone: what it gave to devices, and waited for.
  static StageWork GivenBetween(Thread* thread, uint64_t begin_ns, uint64_t end_ns);
  // Which kernels the thread launched between two moments, as they are numbered here.
  static void TallyBetween(Thread* thread, uint64_t begin_ns, uint64_t end_ns, KernelTally* tally) {
    if (thread != nullptr) thread->launches_.TallyBetween(begin_ns, end_ns, tally);
  }
  // The same without launches that were taken before. True: there are none.
  static bool TakeBetween(Thread* thread, uint64_t begin_ns, uint64_t end_ns, KernelTally* tally) {
    return thread == nullptr || thread->launches_.TakeBetween(begin_ns, end_ns, tally);
  }
  // The latest end, up to `most_ns`, of what threads but `without` (sorted) submitted between two
  // moments; 0: there is none.
  uint64_t LatestEnd(uint64_t begin_ns, uint64_t end_ns, uint64_t most_ns,
                     const std::vector<uint32_t>& without) const;
  // Which kernels all threads but `without` (sorted) launched between two moments.
  void TallyAll(uint64_t begin_ns, uint64_t end_ns, const std::vector<uint32_t>& without,
                KernelTally* tally);
  // Adds what all threads but `without` (sorted) submitted between two moments.
  void CountOps(uint64_t begin_ns, uint64_t end_ns, const std::vector<uint32_t>& without,
                StepOps* ops);
  // The same of copies and sets by what they are called by.
  void TallyCopies(uint64_t begin_ns, uint64_t end_ns, const std::vector<uint32_t>& without,
                   CopyParts* parts) const;
  // Whether none of what was submitted was too much to keep.
  bool knows_all() const { return copies_.size() < kMostCopies && every_ == 1; }
  // Which devices these threads gave work.
  std::set<DeviceKey> DevicesOf(const std::function<bool(uint32_t tid)>& counts) const;
  struct Kernel {
    Source source;
    OpLabel label;
  };
  const std::vector<Kernel>& kernels() const { return kernels_; }  // by number

  // What is not exact; empty: all is.
  std::vector<std::string> Inexact() const;

 private:
  // Also of sets, which are no kernels either.
  struct Copy {
    uint64_t at_ns;  // of its call
    uint64_t bytes;
    uint64_t device_ns;
    uint32_t tid;
    CopyLabel label;
  };
  void AddCopy(Source source, const GpuOp& op, const SourceCall& call);
  template <typename Take>
  void EachCopy(uint64_t begin_ns, uint64_t end_ns, const std::vector<uint32_t>& without,
                const Take& take) const;

  const Most most_;
  std::vector<CoverageGap> closed_;
  TimeCurves times_;
  std::vector<SpellCurve> busy_;  // of each device
  std::unordered_map<uint32_t, Thread> threads_;
  std::vector<Kernel> kernels_;
  std::vector<Copy> copies_;  // by time, after Finish
  LevelCurve memory_, allocated_, held_;
  bool has_allocators_ = false;
  size_t every_ = 1;
};

}  // namespace syncline
