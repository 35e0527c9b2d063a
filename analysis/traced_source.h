// SPDX-License-Identifier: Apache-2.0
// What a trace tells of one source in one process, as the records that it was made of: calls and
// operations whole, waits and gaps as they were found then.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/collective.h"
#include "model/findings.h"
#include "model/gpu_records.h"
#include "model/source_facts.h"
#include "model/trace_sink.h"

namespace syncline {

// One thread.
class TracedSource {
 public:
  explicit TracedSource(const SourceFacts& of) : facts(of), labels(1) {}

  void AddCall(const TracedEvent& event);
  void AddOp(const TracedEvent& event);
  void AddStreamWait(const TracedEvent& event);
  // Whether a call on the thread is the one that waited.
  bool Called(const TracedEvent& wait);
  void AddWait(const TracedEvent& event);
  void AddGap(const TracedEvent& event);
  // More than can be kept: nothing is said of calls and operations.
  void GiveUp();
  // After all events: puts records and findings in order, and finds out how they belong together.
  void Settle();

  // At which line the thread was, in a call or, with `before`, in the last one; empty: not known.
  std::string WhereAt(uint32_t tid, uint64_t at_ns, bool before) const;

  const SourceFacts& facts;
  uint32_t pid = 0;  // of the row; 0: no call told
  GpuRecords records;
  std::vector<OpLabel> labels;  // by GpuOp::kernel; a kernel's name is as people write it
  Findings found;
  std::vector<Collective> collectives;

 private:
  struct ToldGap {
    Gap gap;
    uint32_t place;  // in found.gap_ranges and its kin, before they are put in order
    std::string call;
  };
  struct Place {
    uint64_t begin_ns;
    uint64_t end_ns;
    uint32_t where;
  };

  const GpuCall* CallAt(uint32_t tid, uint64_t at_ns, std::string_view name);
  void OrderCalls();
  void SettleWait(Wait* wait);
  void SettleWaits();
  void SettleGaps();
  void Explain(ToldGap* told, const std::map<uint32_t, std::vector<uint32_t>>& by_thread);
  void FindStreamKinds();

  std::map<OpLabel, uint32_t> numbers_;
  std::vector<uint32_t> calls_in_time_;  // by thread and begin
  std::unordered_map<std::string, uint32_t> where_numbers_;
  std::vector<std::string> where_;
  std::unordered_map<uint32_t, std::vector<Place>> places_;  // of threads
  std::vector<ToldGap> gaps_;
};

}  // namespace syncline
