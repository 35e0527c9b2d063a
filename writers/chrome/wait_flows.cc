// SPDX-License-Identifier: Apache-2.0
// Finds the slices, and the moments in them at which readers see an arrow begin and end.
#include "writers/chrome/wait_flows.h"

#include <algorithm>

#include "writers/chrome/text/finding_text.h"
#include "writers/chrome/text/json.h"

namespace syncline {
namespace {

// By how much an arrow's end lies within its slice: readers that cut see slices 1 ns shorter, and
// far from the base times move by up to 21 ns.
uint64_t Inset(const TimeText& time, uint64_t end) {
  if (time.unit == TimeUnit::kUs) return 1000;
  return end - time.base_ns < kExactNs ? 3 : 64;
}

}  // namespace

WaitFlows::WaitFlows(const Findings& findings) : findings_(findings) {
  for (size_t i = 0; i < findings.waits.size(); ++i) {
    const Wait& wait = findings.waits[i];
    if (EndsWithOp(wait)) of_[findings.ops[wait.op].correlation].push_back(i);
  }
}

void WaitFlows::OnOp(uint32_t correlation, const GpuStream& stream, uint64_t begin_ns,
                     const FlowEnd& at) {
  const auto found = of_.find(correlation);
  if (found == of_.end()) return;
  for (const size_t index : found->second) {
    const AwaitedOp& awaited = findings_.ops[findings_.waits[index].op];
    if (awaited.stream == stream && awaited.begin_ns == begin_ns) ops_.try_emplace(index, at);
  }
}

void WaitFlows::OnWait(size_t wait, const FlowEnd& at, uint64_t id, const TimeText& time,
                       EventBuffer* out) {
  const auto op = ops_.find(wait);
  if (op == ops_.end()) return;
  const FlowEnd& from = op->second;
  const uint64_t inset = Inset(time, at.end);
  if (from.end - from.begin < inset || at.end - at.begin < inset) return;
  const uint64_t end = at.end - inset;
  // By the clocks' error the operation may seem to end after the wait; an arrow has to lead
  // forward.
  const uint64_t begin = std::min(from.end - inset, end - inset);
  if (begin < from.begin) return;
  Half('s', id, from, begin, time, out);
  Half('f', id, at, end, time, out);
}

void WaitFlows::Half(char phase, uint64_t id, const FlowEnd& slice, uint64_t at,
                     const TimeText& time, EventBuffer* out) {
  line_.assign(",\n{\"ph\": \"").append(1, phase).append("\", \"id\": ");
  AppendUint(&line_, id);
  line_.append(", \"pid\": ");
  AppendUint(&line_, slice.pid);
  line_.append(", \"tid\": ");
  AppendUint(&line_, slice.tid);
  line_.append(", \"ts\": ");
  time.AppendTime(&line_, at);
  line_.append(", \"cat\": \"wait\", \"name\": \"sync\"");
  line_.append(phase == 's' ? "}" : ", \"bp\": \"e\"}");
  out->Append(line_);
}

}  // namespace syncline
