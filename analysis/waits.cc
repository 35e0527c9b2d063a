// SPDX-License-Identifier: Apache-2.0
// Puts the records in order, finds the waits, and looks how long the devices stayed idle after
// them.
#include "analysis/waits.h"

#include <algorithm>

#include "analysis/idle.h"
#include "analysis/wait_finder.h"

namespace syncline {
namespace {

template <typename Row>
void SortByCorrelation(std::vector<Row>* rows) {
  const auto before = [](const Row& a, const Row& b) { return a.correlation < b.correlation; };
  if (!std::is_sorted(rows->begin(), rows->end(), before)) {
    std::stable_sort(rows->begin(), rows->end(), before);
  }
}

void SortRecords(GpuRecords& records) {
  for (GpuCall& call : records.calls) call.end_ns = std::max(call.end_ns, call.begin_ns);
  for (GpuOp& op : records.ops) op.end_ns = std::max(op.end_ns, op.begin_ns);
  SortByCorrelation(&records.calls);
  SortByCorrelation(&records.ops);
  SortByCorrelation(&records.syncs);
  SortByCorrelation(&records.events);
  SortByCorrelation(&records.overheads);
  SortByCorrelation(&records.memory);
  JoinUnseen(&records.unseen);
}

}  // namespace

const char* WaitClassName(WaitClass wait) {
  static constexpr const char* kNames[] = {
      "device",     "stream",     "event",      "legacy_stream", "sync_copy", "pageable_copy",
      "allocation", "query_spin", "queue_full", "module_load",   "graph"};
  return kNames[static_cast<size_t>(wait)];
}

std::vector<Wait> FindWaits(GpuRecords& records) {
  SortRecords(records);
  std::vector<Wait> waits = WaitFinder(records).Find();
  MeasureIdleAfter(records, &waits);
  return waits;
}

}  // namespace syncline
