// SPDX-License-Identifier: Apache-2.0
// Of many levels those are written that a reader would see: in each short time the highest and the
// last one.
#include "writers/chrome/memory_events.h"

#include <algorithm>
#include <string>

#include "model/run/time_limits.h"
#include "writers/chrome/event_line.h"
#include "writers/chrome/text/json.h"

namespace syncline {
namespace {

class MemoryWriter {
 public:
  MemoryWriter(const ProgramRun& run, const RankModel& model, const RowIds& rows, TimeUnit unit,
               EventBuffer* out)
      : timeline_(run.timeline),
        pid_(rows.pid),
        limits_(LimitsOf(run, model.base.ns)),
        line_(out, {unit, model.base.ns}) {}

  void Write(const std::string& name, const std::vector<MemoryLog::Level>& levels) {
    if (levels.empty()) return;
    const uint64_t span = levels.back().ticks - levels.front().ticks;
    const uint64_t window =
        levels.size() <= kMostMemoryPoints ? 0 : span / (kMostMemoryPoints / 2) + 1;
    for (size_t i = 0; i < levels.size();) {
      size_t highest = i, end = i + 1;
      for (; window != 0 && end < levels.size() &&
             levels[end].ticks - levels.front().ticks < WindowEnd(levels, i, window);
           ++end) {
        if (levels[end].allocated > levels[highest].allocated) highest = end;
      }
      WriteLevel(name, levels[highest]);
      if (highest != end - 1) WriteLevel(name, levels[end - 1]);
      i = end;
    }
  }

 private:
  static uint64_t WindowEnd(const std::vector<MemoryLog::Level>& levels, size_t at,
                            uint64_t window) {
    return ((levels[at].ticks - levels.front().ticks) / window + 1) * window;
  }

  void WriteLevel(const std::string& name, const MemoryLog::Level& level) {
    const uint64_t at = timeline_.Convert(level.ticks);
    if (!limits_.Hold(at, at)) return;
    line_.BeginCounter(name, pid_, at);
    line_.Number("allocated", level.allocated);
    line_.Number("reserved", level.held);
    line_.Finish();
  }

  Timeline timeline_;
  const uint32_t pid_;
  const TimeLimits limits_;
  EventLine line_;
};

}  // namespace

void WriteMemory(const ProgramRun& run, const RankModel& model, const RowIds& rows, TimeUnit unit,
                 EventBuffer* out) {
  if (run.memory == nullptr || !run.readable()) return;
  MemoryWriter writer(run, model, rows, unit, out);
  for (const auto& [device, levels] : run.memory->levels())
    writer.Write("allocator of " + MemoryDeviceName(device), levels);
}

}  // namespace syncline
