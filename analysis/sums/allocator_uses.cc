// SPDX-License-Identifier: Apache-2.0
// The peak is the first moment at which most was given out.
#include "analysis/sums/allocator_uses.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/sums/memory_blocks.h"
#include "analysis/sums/memory_growth.h"
#include "base/text.h"
#include "inject/core/options.h"
#include "model/devices/source_facts.h"
#include "model/run/program_name.h"
#include "symbols/demangle.h"

namespace syncline {
namespace {

std::vector<uint32_t> HelpersIn(const ProgramRun& run) {
  std::vector<uint32_t> helpers;
  for (const auto& [tid, thread] : run.survey.threads) {
    if (IsHelperThread(thread.given_name)) helpers.push_back(tid);
  }
  std::sort(helpers.begin(), helpers.end());
  return helpers;
}

// "step 2 > forward", else how many steps of a training were done.
std::string StepAt(const MemoryEvent& event, const MemoryEvents& events) {
  std::string ranges = events.RangesAt(event.at_ns);
  if (!ranges.empty() || events.optimizer_ends().empty()) return ranges;
  const std::vector<uint64_t>& ends = events.optimizer_ends();
  const auto done = std::lower_bound(ends.begin(), ends.end(), event.at_ns) - ends.begin();
  return Text("training step ", done + 1);
}

void TellOutOfMemory(const MemoryEvent& event, const std::vector<BlockLife>& lives,
                     const MemoryEvents& events, AllocatorUse* use) {
  ++use->out_of_memory_count;
  if (use->out_of_memory.size() >= kMostOutOfMemory) return;
  MemoryMoment moment = StandingAt(event, lives, events);
  moment.requested = static_cast<uint64_t>(std::max<int64_t>(event.bytes, 0));
  moment.where = events.TextOf(event.where);
  moment.operation = events.TextOf(event.operation);
  moment.step = StepAt(event, events);
  use->out_of_memory.push_back(std::move(moment));
}

// What the program's calls had taken of the driver at a moment, beside what the allocator held.
// Memory of a driver that is taken piece by piece is not among these calls: then nobody knows.
void TellOutside(const ProgramRun& run, const MemoryLog::Device& device, AllocatorUse* use) {
  const SourceFacts& framework = FactsOfSource(std::get<0>(device));
  if (framework.memory_device == nullptr) return;
  const std::string_view word = framework.memory_device(std::get<1>(device));
  run.sources.Each([&](Source, const SourceRun& source) {
    if (source.facts.name != word || !source.clocks.valid()) return;
    int64_t bytes = 0;
    bool any = false;
    for (const MemoryChange& change : source.devices.memory) {
      if (change.device != std::get<2>(device) ||
          source.clocks.Of(change.device).Convert(change.device_ns) > use->held_peak_at_ns)
        continue;
      bytes += change.bytes;
      any = true;
    }
    const auto taken = static_cast<uint64_t>(std::max<int64_t>(bytes, 0));
    use->outside_known = any && taken >= use->held_peak;
    if (use->outside_known) use->outside = taken - use->held_peak;
  });
}

bool IsMemoryAskedFor(const SourceFacts& facts) {
  return facts.memory_option != SIZE_MAX && OptionNumber(facts.memory_option) != 0 &&
         (facts.off_option == SIZE_MAX || (OptionNumber(facts.off_option) & facts.off_word) == 0);
}

AllocatorUse UseOf(const std::vector<MemoryEvent>& device_events, const ProgramRun& run,
                   const MemoryEvents& events, const std::vector<CoverageGap>& steps) {
  AllocatorUse use;
  use.pid = run.outer_pid;
  use.program = ProgramName(run.facts);
  const std::vector<BlockLife> lives = LivesOf(device_events, run.closed);
  use.taken = lives.size();
  const MemoryEvent* peak = nullptr;
  for (const MemoryEvent& event : device_events) {
    if (event.is_out_of_memory) {
      TellOutOfMemory(event, lives, events, &use);
      continue;
    }
    if (peak == nullptr || event.allocated > peak->allocated) peak = &event;
    if (event.held > use.held_peak) {
      use.held_peak = event.held;
      use.held_peak_at_ns = event.at_ns;
    }
    // What is given back when the program ends was in use until then.
    if (event.bytes > 0)
      use.unused_peak =
          std::max(use.unused_peak, event.held - std::min(event.held, event.allocated));
  }
  if (peak != nullptr) {
    use.peak = StandingAt(*peak, lives, events);
    use.peak.where = events.TextOf(peak->where);
    use.peak.operation = events.TextOf(peak->operation);
  }
  use.growth = GrowthOf(lives, steps, events);
  return use;
}

}  // namespace

void TellAllocators(const ProgramRun& run, const std::vector<CoverageGap>& steps,
                    MemoryEvents* events, RankPart* part) {
  const MemoryEvents::Devices devices = events->TakeFinished(HelpersIn(run));
  for (const auto& [device, device_events] : devices) {
    if (part->allocators.size() >= kMostAllocatorUses) break;
    AllocatorUse use = UseOf(device_events, run, *events, steps);
    const SourceFacts& framework = FactsOfSource(std::get<0>(device));
    use.pieces = PiecesOf(device_events, framework.small_memory_block, *events);
    use.source = framework.name;
    use.device = MemoryDeviceName(device);
    TellOutside(run, device, &use);
    part->allocators.push_back(std::move(use));
  }
  if (events->left_out() != 0)
    part->missing.push_back(Text(
        "blocks of allocators beyond the first ",
        "that --memory-node and the memory that is free allow: ", CountText(events->left_out())));
}

void TellSilentAllocators(const ProgramRun& run, const WorkCurves& curves, RankPart* part) {
  if (run.survey.memory != 0 || run.gate != nullptr) return;
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const SourceFacts& facts = *kSourceFacts[i];
    if (facts.framework_kernels.empty() || !IsMemoryAskedFor(facts)) continue;
    const bool ran = std::any_of(
        curves.kernels().begin(), curves.kernels().end(), [&](const WorkCurves::Kernel& kernel) {
          return DemangledName(kernel.label.kernel).find(facts.framework_kernels) !=
                 std::string::npos;
        });
    if (ran)
      part->missing.push_back(Text("what stood in memory: the allocator that ", facts.name,
                                   " uses in this program tells nobody of its blocks"));
  }
}

}  // namespace syncline
