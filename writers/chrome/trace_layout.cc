// SPDX-License-Identifier: Apache-2.0
// Gives out pids, then the GPUs' rows.
#include "writers/chrome/trace_layout.h"

#include <set>

namespace syncline {
namespace {

std::vector<RowIds> RowsOf(const RankModel& model) {
  std::vector<RowIds> rows;
  std::set<uint32_t> taken;
  for (const auto& run : model.runs) {
    if (run->same_process) {
      rows.push_back(rows.back());
      continue;
    }
    auto pid = static_cast<uint32_t>(run->outer_pid);
    if (pid == 0) pid = kMaxRealId;  // unknown: damaged
    if (pid < kSmallestHostPid) pid += kPidStep;
    while (pid < UINT32_MAX - kPidStep && taken.contains(pid)) pid += kPidStep;
    taken.insert(pid);
    rows.push_back({pid, run->facts.pid != run->outer_pid});
  }
  return rows;
}

}  // namespace

TraceLayout LayOut(const RankModel& model, const std::vector<std::unique_ptr<DeviceLanes>>& lanes) {
  TraceLayout layout{RowsOf(model), std::vector<GpuRanges>(model.runs.size()), {}};
  for (const auto& run : model.runs) {
    if (run->readable() && run->input < lanes.size())
      layout.gpu_rows.Add(run->index, run->survey.gpu, *lanes[run->input]);
  }
  return layout;
}

}  // namespace syncline
