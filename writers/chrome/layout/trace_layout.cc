// SPDX-License-Identifier: Apache-2.0
// Gives out pids, then the GPUs' rows.
#include "writers/chrome/layout/trace_layout.h"

#include <set>
#include <utility>

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

TraceLayout LayOut(const RankModel& model, const std::vector<std::unique_ptr<SourceLanes>>& lanes) {
  TraceLayout layout{RowsOf(model), std::vector<GpuRanges>(model.source_runs), {}, {}};
  std::set<Source> with_devices;
  std::vector<const SourceRun*> source_runs;
  for (const auto& run : model.runs) {
    run->sources.Each([&](Source source, const SourceRun& of) {
      const bool any =
          of.devices.op_count != 0 || of.devices.event_count != 0 || !of.devices.infos.empty();
      if (!any || !run->readable()) return;
      with_devices.insert(source);
      source_runs.push_back(&of);
    });
  }
  for (const Source source : with_devices) layout.gpu_rows.AddSource(source);
  layout.gpu_rows.NumberDevices(std::move(source_runs));
  for (const auto& run : model.runs) {
    if (!run->readable() || run->input >= lanes.size()) continue;
    run->sources.Each([&](Source source, const SourceRun& of) {
      layout.gpu_rows.Add(of, lanes[run->input]->Of(source));
    });
  }
  return layout;
}

}  // namespace syncline
