// SPDX-License-Identifier: Apache-2.0
// One pass over a process's calls in the order of submission, with what was submitted before each.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/waits/copy_rules.h"
#include "analysis/waits/spins.h"
#include "analysis/waits/stalled_calls.h"
#include "analysis/waits/submitted_work.h"
#include "analysis/waits/waits.h"

namespace syncline {

// The records must be sorted by correlation; `rules` are their source's.
class WaitFinder {
 public:
  WaitFinder(const GpuRecords& records, const WaitRules& rules);
  std::vector<Wait> Find();

 private:
  // Whether an exception stands is known when the whole process was seen: stalled_calls.h.
  enum class Proof : uint8_t { kPending, kException };
  struct Measured {
    Wait wait;
    SourceCall call;
    uint64_t released_ns;
    Proof proof;
  };
  // The records of one correlation.
  struct Run {
    std::span<const GpuOp> ops;
    uint32_t first_op = 0;   // index of ops[0]
    uint32_t latest_op = 0;  // of the one that ended last
    const GpuSync* sync = nullptr;
    const GpuEventRecord* event = nullptr;
    const GpuMemoryEvent* memory = nullptr;
    const GpuOverhead* queue_full = nullptr;
    const GpuOverhead* loading = nullptr;
  };
  // The call at hand, with those of its correlation.
  struct Call : Run {
    const SourceCall& call;
    uint64_t entry_ns;  // when the innermost call was entered, as far as that is known
    uint64_t from_ns;   // where a second wait of the call begins
  };

  void AddOp();
  void AddSubmittedBefore(uint32_t correlation);
  void EnterRun(std::span<const SourceCall> run);
  Call Gather(const SourceCall& call);
  void Look(const SourceCall& call);
  bool IsLoading(const Call& at) const;
  void Judge(Call* at, const RoleRule& rule);
  void JudgeHeld(const Call& at, const RoleRule& rule);
  void JudgeOpen(const Call& at, const RoleRule& rule);
  bool IsAfterTheLastRecord() const;
  bool MayBeUnseen(const GpuOp* op, uint64_t until_ns) const;

  void DeviceSync(const Call& at);
  void StreamSync(const Call& at);
  void EventSync(const Call& at);
  void Query(const Call& at);
  void Launch(Call* at);
  void Copy(const Call& at, WaitClass wait_class);
  CopyRule CopyRuleOf(const Call& at);
  void Set(const Call& at);
  void QueueFull(Call* at, const RoleRule& rule);

  Wait Begin(const Call& at, WaitClass wait_class, uint32_t work) const;
  Wait Lost(const Call& at, WaitClass wait_class) const;
  void Explicit(const Call& at, WaitClass wait_class, uint32_t work, uint32_t function);
  uint32_t AnyFunction(uint32_t work) const;
  void Certain(const Call& at, WaitClass wait_class, uint32_t work);
  std::span<const SourceCall> CallsThatSubmitted(uint32_t work) const;
  bool BeganAfter(uint32_t work, const SourceCall& call) const;
  bool WasUnderWay(uint32_t work, const SourceCall& call) const;
  uint32_t PendingBefore(const GpuOp& launched, const SourceCall& call) const;
  bool Measure(const Call& at, WaitClass wait_class, uint32_t work, Proof proof);
  std::vector<uint32_t> PendingAtEntry(const Call& at) const;
  uint32_t WorkThatHolds(const Call& at, WaitsFor whose) const;
  uint32_t ContextOf(const Call& at) const;
  void Add(const Spin& spin);
  void AddBlockingLaunches(std::vector<Wait>* waits) const;

  const GpuOp* Op(uint32_t index) const { return index == kNoOp ? nullptr : &records_.ops[index]; }

  const GpuRecords& records_;
  const WaitRules& rules_;
  SubmittedWork submitted_;
  StalledCalls held_;
  Spins spins_;
  bool overheads_tell_full_queues_ = false, overheads_tell_loading_ = false;

  size_t next_op_ = 0, next_sync_ = 0, next_event_ = 0, next_function_ = 0, next_overhead_ = 0,
         next_memory_ = 0;
  Run run_;
  std::vector<uint64_t> inner_begins_;     // of the run's calls, sorted
  std::optional<CopyRule> copy_rules_[2];  // of the run: synchronous, Async; empty: not asked
  std::unordered_map<uint32_t, uint32_t> contexts_;  // that a thread used last
  std::unordered_set<uint64_t> kernels_;             // seen, by context and function
  uint32_t host_function_ = 0;  // correlation of the last one submitted, into whichever stream
  bool frees_pend_ = false;     // perhaps: one was made in stream order
  uint32_t launch_ = 0;         // of the last launch submitted
  uint64_t launch_ns_ = 0;      // when
  uint32_t missing_ = 0;        // of the last one that no record follows

  std::vector<Wait> waits_;
  std::vector<Measured> measured_;
  std::vector<Measured> blocking_launches_;
  uint64_t launches_ = 0, launches_outlived_ = 0;
};

}  // namespace syncline
