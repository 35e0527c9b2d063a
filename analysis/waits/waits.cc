// SPDX-License-Identifier: Apache-2.0
// Puts the records in order, finds the waits, and looks how long the devices stayed idle after
// them.
#include "analysis/waits/waits.h"

#include <algorithm>

#include "analysis/waits/correlation_order.h"
#include "analysis/waits/idle.h"
#include "analysis/waits/wait_finder.h"

namespace syncline {
namespace {

void SortRecords(GpuRecords& records) {
  for (SourceCall& call : records.calls) call.end_ns = std::max(call.end_ns, call.begin_ns);
  for (GpuOp& op : records.ops) op.end_ns = std::max(op.end_ns, op.begin_ns);
  SortByCorrelation(&records.calls);
  SortByCorrelation(&records.ops);
  SortByCorrelation(&records.syncs);
  SortByCorrelation(&records.events);
  SortByCorrelation(&records.host_functions);
  SortByCorrelation(&records.overheads);
  SortByCorrelation(&records.memory);
  JoinCoverageGaps(&records.unseen);
}

}  // namespace

std::vector<Wait> FindWaits(GpuRecords& records, const WaitRules& rules) {
  SortRecords(records);
  std::vector<Wait> waits = WaitFinder(records, rules).Find();
  OrderByDevice(&records);
  MeasureIdleAfter(records, &waits);
  return waits;
}

}  // namespace syncline
