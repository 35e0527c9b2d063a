// SPDX-License-Identifier: Apache-2.0
// Arrows from operations of GPUs to the waits that ended with them.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "model/findings/findings.h"
#include "writers/chrome/layout/trace_span.h"
#include "writers/chrome/text/event_buffer.h"
#include "writers/chrome/text/time_text.h"

namespace syncline {

// A slice of the trace: its row and times.
struct FlowEnd {
  uint32_t pid;
  uint32_t tid;
  uint64_t begin;
  uint64_t end;
};

// The arrows of one process. Both halves of an arrow are written together, when both slices are
// known to be there. One thread.
class WaitFlows {
 public:
  explicit WaitFlows(const Findings& findings);

  // Whether anybody waited for operations of this correlation.
  bool Awaited(uint32_t correlation) const { return of_.contains(correlation); }
  // An operation was shown; `begin_ns` is its begin on the job's line, as the analysis knows it.
  void OnOp(uint32_t correlation, const GpuStream& stream, uint64_t begin_ns, const FlowEnd& at);
  // The wait was shown; `wait` is its place in Findings.
  void OnWait(size_t wait, const FlowEnd& at, uint64_t id, const TimeText& time, EventBuffer* out);

 private:
  void Half(char phase, uint64_t id, const FlowEnd& slice, uint64_t at, const TimeText& time,
            EventBuffer* out);

  const Findings& findings_;
  std::unordered_map<uint32_t, std::vector<size_t>> of_;  // waits, by correlation
  std::unordered_map<size_t, FlowEnd> ops_;               // by wait
  std::string line_;
};

}  // namespace syncline
