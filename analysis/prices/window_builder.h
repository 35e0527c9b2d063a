// SPDX-License-Identifier: Apache-2.0
// A window of a replay from the records of its part of a process's life, in the order of
// submission.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "analysis/prices/replay_graph.h"

namespace syncline {

// A window's part of what is sorted by correlation.
struct Span {
  uint32_t first_op = 0, end_op = 0;
  uint32_t first = 0;  // correlation
  uint64_t end = 0;    // the one after the last
};

// The records are those of MakeReplayGraph, and outlive the builder.
class WindowBuilder {
 public:
  WindowBuilder(const GpuRecords& records, const std::vector<std::string>& communications,
                const WaitRules& rules, const std::vector<Wait>& waits,
                const std::vector<HostFunction>& functions, ReplayGraph* graph);

  void Build(const Span& span, const std::vector<Gap>& gaps);

 private:
  // As recorded: when the device was ready for an operation, and whether it had to wait for the
  // host.
  struct Start {
    uint64_t host_ns = 0;
    uint64_t ready_ns = 0;
    bool known = false;  // its call is
  };
  struct Stream {
    uint32_t number = 0;
    uint32_t last = kNoIndex;       // op that ends last
    std::vector<uint32_t> awaited;  // by its next operation
  };
  struct Context {
    uint32_t number = 0;
    uint64_t default_end_ns = 0, gathered_end_ns = 0;
  };

  void NumberCommunications(const std::vector<std::string>& words);
  void AddOps(const Span& span);
  void AddOp(uint32_t index, bool before);
  void AddFunction(uint32_t index, bool before);
  void Append(ReplayOp op, uint32_t context, uint32_t stream);
  uint64_t ReadyFor(const ReplayOp& op, const Stream& stream, Context* context);
  void AddRecord(const GpuEventRecord& record);
  void AddStreamWait(const GpuSync& sync);
  Stream& StreamOf(uint32_t context, uint32_t stream);
  Context& ContextOf(uint32_t context);
  void AddCalls(const Span& span);
  void AddSubmission(const SourceCall& call, uint32_t op, uint32_t ops);
  void AddAllocation(const SourceCall& call, uint32_t latest);
  void AwaitIdle(const SourceCall& call, uint32_t latest, ReplayPoint* point);
  void AddWaits(const Span& span);
  void AddWait(uint32_t index);
  void CountCalls(const Span& span);
  void FindCopiesOfWaits();
  void FindGaps(const std::vector<Gap>& gaps);
  void SetLatencies();
  uint32_t InWindow(uint32_t op) const {
    return op != kNoOp && op >= first_ && op < end_ ? places_[op - first_] : kNoIndex;
  }
  uint32_t AwaitedBy(const Wait& wait) const;

  const GpuRecords& records_;
  const WaitRules& rules_;
  const std::vector<Wait>& waits_;
  const std::vector<HostFunction>& functions_;
  ReplayGraph* const graph_;
  std::unordered_map<uint64_t, StreamKind> kinds_;
  std::vector<uint32_t> communications_;  // by GpuOp::kernel; in the graph's

  // Of the window at hand.
  ReplayWindow window_;
  uint32_t first_ = 0, end_ = 0;   // in GpuRecords::ops
  std::vector<uint32_t> places_;   // of those, in the window
  std::vector<uint32_t> devices_;  // by the window's ops; kNoId: a function of the host
  std::unordered_map<uint32_t, uint32_t> functions_in_window_;  // by correlation
  std::unordered_map<uint64_t, Stream> streams_;
  std::unordered_map<uint32_t, Context> contexts_;
  std::unordered_map<uint64_t, uint32_t> events_;
  std::unordered_map<uint32_t, uint32_t> waits_of_;  // by correlation, before its own submission
  std::vector<Start> starts_;                        // by op
};

}  // namespace syncline
