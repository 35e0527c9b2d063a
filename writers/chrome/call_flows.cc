// SPDX-License-Identifier: Apache-2.0
// Half an arrow at a time: the other end comes later.
#include "writers/chrome/call_flows.h"

#include <algorithm>

#include "writers/chrome/text/json.h"

namespace syncline {
namespace {

constexpr uint64_t kFlowsPerRank = uint64_t{1} << 40;
// Numbers of arrows to waits, above those of the calls of 255 SourceRuns; the others have none.
constexpr uint32_t kMostWithFlows = 255;
constexpr uint64_t kFirstWaitFlow = uint64_t{kMostWithFlows} << 32;
constexpr size_t kFlowRoom = 4 * kMaxNumberChars + 128;

}  // namespace

uint64_t SourceJob::FlowsOfRank() const {
  return static_cast<uint64_t>(std::max(rank, 0)) * kFlowsPerRank;
}

uint64_t FirstWaitFlow(const SourceJob& job) {
  return job.FlowsOfRank() + kFirstWaitFlow + job.flows_before;
}

void CallFlows::Write(bool starts, uint32_t correlation, uint32_t pid, uint32_t tid, uint64_t at) {
  const SourceRun& source = *job_.source;
  if (source.number >= kMostWithFlows) return;
  if (!source.calls.outermost.Has(correlation) || !source.devices.ops.Has(correlation)) return;
  if (job_.shown_ops != nullptr && !job_.shown_ops->Has(source.source, correlation)) return;
  char* out = job_.out->Reserve(kFlowRoom);
  out = Put(out, starts ? ",\n{\"ph\": \"s\", \"id\": " : ",\n{\"ph\": \"f\", \"id\": ");
  out = PutUint(out, job_.FlowsOfRank() + job_.Correlation(correlation));
  out = PutUint(Put(out, ", \"pid\": "), pid);
  out = PutUint(Put(out, ", \"tid\": "), tid);
  out = job_.time.PutTime(Put(out, ", \"ts\": "), at);
  out = Put(out, ", \"cat\": \"ac2g\", \"name\": \"ac2g\"");
  job_.out->Commit(Put(out, starts ? "}" : ", \"bp\": \"e\"}"));
}

}  // namespace syncline
