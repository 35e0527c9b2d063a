// SPDX-License-Identifier: Apache-2.0
// Events become records, and records go the way of those of a spool (rank_analysis.cc).
#include "analysis/trace_findings.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "analysis/device_use.h"
#include "analysis/feeding.h"
#include "analysis/prices.h"
#include "analysis/record_sums.h"
#include "analysis/replay_graph.h"
#include "analysis/wait_sums.h"
#include "model/operation_name.h"
#include "model/rank_model.h"
#include "model/text.h"

namespace syncline {
namespace {

const SourceFacts& FactsByName(const std::string& name) {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    if (name == kSourceFacts[i]->name) return *kSourceFacts[i];
  }
  return FactsOfSource(kMaxSources);
}

// Of an operation whose call is not in the trace.
const char* AnySourceOfWork() {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    if (kSourceFacts[i]->waits != nullptr) return kSourceFacts[i]->name;
  }
  return "";
}

template <typename Sums>
Sums& SumsOf(std::map<OpKey, Sums>* sums, OpKey key) {
  if (sums->size() >= RecordSums::kMostNames && !sums->contains(key)) key.name = kOtherNames;
  return (*sums)[std::move(key)];
}

// Where the thread was in the middle of what it did before it submitted.
uint64_t WorkedAt(const Gap& gap, const std::vector<Wait>& waits) {
  uint64_t from = gap.begin_ns;
  if (gap.wait != kNoWait) from = std::max(from, waits[gap.wait].end_ns);
  return gap.submitted_ns > from ? from + (gap.submitted_ns - from) / 2 : gap.submitted_ns;
}

}  // namespace

bool TraceFindings::OnFacts(const TracedFacts& facts) {
  part.rank = facts.rank;
  part.world_size = facts.world_size;
  part.complete = true;
  part.host = facts.host;
  part.clock_error_ns = facts.clock_error_ns;
  part.losses = facts.losses;
  part.missing = facts.missing;
  part.collectives.error_ns = facts.clock_error_ns;
  part.begin_ns = UINT64_MAX;
  device_names_ = facts.devices;
  TellWhatLacks(facts);
  return true;
}

void TraceFindings::TellWhatLacks(const TracedFacts& facts) {
  if (facts.limited) lacking.push_back("what --min-duration or --kernels left out of the trace");
}

TraceFindings::Process& TraceFindings::ProcessOf(uint32_t pid) {
  Process& process = processes_.try_emplace(pid, &names_).first->second;
  if (process.pid == 0) process.pid = static_cast<int32_t>(pid);
  return process;
}

TracedSource* TraceFindings::SourceOf(const TracedEvent& event, const std::string& name) {
  std::unique_ptr<TracedSource>& source = sources_[SourceRunOf(*event.correlation)];
  if (source == nullptr) {
    source = std::make_unique<TracedSource>(FactsByName(name));
    source->records.clock_error_ns = part.clock_error_ns;
  }
  return source.get();
}

bool TraceFindings::TakeRoom() {
  too_many_ = too_many_ || ++records_ > most_records_;
  return !too_many_;
}

void TraceFindings::Begin(const TracedEvent& event) {
  Process& process = ProcessOf(event.pid);
  if (event.process != 0) process.pid = static_cast<int32_t>(event.process);
  process.begin_ns = std::min(process.begin_ns, event.begin_ns);
  process.end_ns = std::max(process.end_ns, event.end_ns);
  part.begin_ns = std::min(part.begin_ns, event.begin_ns);
  part.end_ns = std::max(part.end_ns, event.end_ns);
}

// Its call mostly came before, and told the source.
void TraceFindings::AddOp(const TracedEvent& event) {
  ++part.device_ops;
  TracedSource* source = SourceOf(event, AnySourceOfWork());
  devices_[event.pid] = {event.device, SourceRunOf(*event.correlation)};
  const uint64_t ns = event.end_ns - event.begin_ns;
  if (event.op == DeviceOpType::kKernel) {
    SumsOf(&kernels_, {source->facts.name, event.name}).Add(ns);
  } else if (event.op == DeviceOpType::kGraph) {
    names_.See(event.name);
    SumsOf(&kernels_, {source->facts.name,
                       names_.IsFolded(event.name) ? names_.Folded(event.name) : event.name})
        .Add(ns);
  } else {
    CopySums& sums = SumsOf(&copies_, {source->facts.name, event.name});
    sums.durations.Add(ns);
    sums.bytes += event.bytes;
  }
  if (TakeRoom()) source->AddOp(event);
}

// A process's gaps stand behind all that its devices did.
void TraceFindings::AddFinding(const TracedEvent& event) {
  too_many_findings_ = too_many_findings_ || waits_.size() + gaps_.size() >= kMostFindings;
  if (too_many_findings_) return;
  if (event.kind == TracedKind::kWait) return waits_.push_back(event);
  const auto device = devices_.find(event.pid);
  if (device == devices_.end()) return;
  gaps_.push_back({event, device->second.source_run});
  gaps_.back().event.device = device->second.number;
}

void TraceFindings::OnEvent(const TracedEvent& event) {
  switch (event.kind) {
    case TracedKind::kLife:
      return Begin(event);
    case TracedKind::kUnseen:
      return ProcessOf(event.pid).unseen.push_back({event.begin_ns, event.end_ns});
    case TracedKind::kRange:
    case TracedKind::kStartedRange:
      ++part.ranges;
      return ProcessOf(event.pid).ranges.Add(event);
    case TracedKind::kMark:
      ++part.marks;
      return;
    case TracedKind::kCall:
      ++part.calls;
      if (!event.correlation.has_value() || !TakeRoom()) return;
      return SourceOf(event, event.source)->AddCall(event);
    case TracedKind::kOp:
      return AddOp(event);
    case TracedKind::kStreamWait:
      if (event.correlation.has_value() && TakeRoom())
        SourceOf(event, event.source)->AddStreamWait(event);
      return;
    case TracedKind::kWait:
    case TracedKind::kGap:
      return AddFinding(event);
    case TracedKind::kMemory: {
      const size_t word = event.name.rfind(' ');
      uint32_t pid = 0;
      std::from_chars(event.name.data() + word + 1, event.name.data() + event.name.size(), pid);
      if (TakeRoom())
        memory_[{event.pid, pid}].push_back({event.begin_ns, static_cast<int64_t>(event.bytes)});
      return;
    }
    case TracedKind::kOther:
      return;
  }
}

// Of a pid's sources, those of one collector are programs that followed each other.
void TraceFindings::AssignWaits() {
  for (const TracedEvent& wait : waits_) {
    const auto process = processes_.find(wait.pid);
    if (process == processes_.end()) continue;
    TracedSource* of = nullptr;
    for (TracedSource* source : process->second.sources) {
      if (of == nullptr || (!too_many_ && !of->Called(wait) && source->Called(wait))) of = source;
    }
    if (of != nullptr) of->AddWait(wait);
  }
  waits_ = {};
}

void TraceFindings::AssignGaps() {
  for (const ToldGap& gap : gaps_) {
    const auto source = sources_.find(gap.source_run);
    if (source != sources_.end()) source->second->AddGap(gap.event);
  }
  gaps_ = {};
}

void TraceFindings::Finish() {
  if (part.begin_ns > part.end_ns) part.begin_ns = part.end_ns;
  part.processes = processes_.size();
  if (too_many_) {
    part.missing.push_back(Text("devices, stages and gains: the trace has more than ",
                                CountText(most_records_), " calls and operations"));
  }
  if (too_many_findings_) {
    part.missing.push_back(
        Text("waits and gaps beyond the first ", CountText(kMostFindings), " of the trace"));
  }
  for (auto& [number, source] : sources_) {
    if (source->pid == 0 && processes_.size() == 1) source->pid = processes_.begin()->first;
    if (too_many_) source->GiveUp();
    ProcessOf(source->pid).sources.push_back(source.get());
  }
  AssignWaits();
  AssignGaps();
  bool started = false, ranges_left_out = false;
  for (auto& [pid, process] : processes_) {
    FinishProcess(pid, &process);
    started = started || process.ranges.has_started();
    ranges_left_out = ranges_left_out || process.ranges.left_out();
  }
  for (const auto& [key, sums] : kernels_)
    findings.kernels[{key.source, names_.Folded(key.name)}].Add(sums);
  findings.copies = std::move(copies_);
  if (!sources_.empty()) {
    lacking.push_back(
        "which streams do not wait for the default one (gains take those for such whose work ran "
        "beside it)");
    lacking.push_back("collectives in which not all ranks met");
    if (started) lacking.push_back("what threads did for start/end ranges");
  }
  if (ranges_left_out) {
    part.missing.push_back(Text("what was done for ranges: the trace has more than ",
                                CountText(TracedRanges::kMostRanges)));
  }
}

void TraceFindings::FinishProcess(uint32_t pid, Process* process) {
  JoinCoverageGaps(&process->unseen);
  std::unique_ptr<WorkCurves> curves;
  if (!process->sources.empty() && !too_many_)
    curves = std::make_unique<WorkCurves>(std::vector<CoverageGap>());
  for (TracedSource* source : process->sources) FinishSource(process, source, curves.get());
  if (curves != nullptr) {
    for (const auto& [of, held] : memory_) {
      int64_t before = 0;
      for (const Held& change : held) {
        if (of.second == pid) curves->AddMemory(change.ns, change.bytes - before);
        before = change.bytes;
      }
    }
    curves->Finish();
    if (curves->empty()) curves.reset();
  }
  process->ranges.Finish(process->pid, curves.get(), &findings, &part);
}

void TraceFindings::FinishSource(Process* process, TracedSource* source, WorkCurves* curves) {
  source->records.unseen = process->unseen;
  source->records.end_ns = process->end_ns;
  source->Settle();
  if (curves != nullptr) {
    curves->AddDevices(source->records, {});
    curves->AddLaunches(source->records, {});
    curves->AddWaits(source->found.waits, {});
    SumStarved(*source);
    MeasureDevices(*process, *source);
  }
  std::move(source->collectives.begin(), source->collectives.end(),
            std::back_inserter(part.collectives.done));
  ProgramRun run;
  run.outer_pid = process->pid;
  const GpuSurvey none(source->facts.source);
  SourceRun found(source->facts.source, none);
  found.findings = std::move(source->found);
  SumWaits(run, found, {}, &names_, &findings);
  if (curves != nullptr && source->facts.waits != nullptr) Price(process, source, found);
}

void TraceFindings::SumStarved(const TracedSource& source) {
  const std::vector<StarvedSums> starved = FindStarved(source.records, {});
  for (size_t i = 0; i < starved.size(); ++i) {
    if (starved[i].count == 0) continue;
    const OpLabel& label = source.labels[i];
    const std::string name =
        label.type == DeviceOpType::kKernel ? label.kernel : names_.Folded(OperationName(label));
    OpKey key{source.facts.name, name};
    if (!kernels_.contains(key)) key.name = kOtherNames;
    findings.starved[key].Add(starved[i]);
  }
}

void TraceFindings::AddPeaks(uint32_t pid, const TracedSource& source, DeviceUse* use) const {
  for (const auto& [of, held] : memory_) {
    const auto device = devices_.find(of.first);
    if (of.second != pid || device == devices_.end() || device->second.number != use->device)
      continue;
    const auto run = sources_.find(device->second.source_run);
    if (run == sources_.end() || run->second->facts.source != source.facts.source) continue;
    for (const Held& change : held) {
      if (change.bytes <= static_cast<int64_t>(use->memory_peak_bytes)) continue;
      use->memory_peak_bytes = static_cast<uint64_t>(change.bytes);
      use->memory_peak_at_ns = change.ns;
    }
  }
}

void TraceFindings::MeasureDevices(const Process& process, const TracedSource& source) {
  std::vector<DeviceUse> uses = MeasureDeviceUse(source.records, source.labels);
  MeasureLaunches(source.records, {}, &uses);
  for (DeviceUse& use : uses) {
    use.pid = process.pid;
    use.source = source.facts.name;
    for (const auto& [pid, device] : devices_) {
      const auto name = device_names_.find(pid);
      if (device.number == use.device && name != device_names_.end()) use.name = name->second;
    }
    AddPeaks(source.pid, source, &use);
    for (const Gap& gap : source.found.gaps) {
      if (gap.device == use.device)
        use.gaps_ns[static_cast<size_t>(gap.cause)] += gap.end_ns - gap.begin_ns;
    }
    part.devices.push_back(std::move(use));
  }
}

void TraceFindings::Price(Process* process, TracedSource* source, const SourceRun& run) {
  const Findings& found = run.findings;
  ReplayGraph graph =
      MakeReplayGraph(source->records, *source->facts.waits, found.waits, found.gaps);
  if (graph.empty()) return;
  std::vector<std::pair<uint32_t, uint64_t>> moments;
  for (const Allocation& allocation : graph.allocations)
    moments.emplace_back(allocation.tid, allocation.begin_ns);
  for (const Gap& gap : found.gaps) {
    if (HostWorked(gap)) moments.emplace_back(gap.tid, WorkedAt(gap, found.waits));
  }
  for (const auto& samples : graph.samples) {
    for (const Submission& sample : samples) moments.emplace_back(sample.tid, sample.at_ns);
  }
  std::vector<std::string> stacks = process->ranges.StacksAt(moments);
  ReplayPlaces places;
  size_t next = 0;
  for (const Allocation& allocation : graph.allocations) {
    places.allocation_where.push_back(source->WhereAt(allocation.tid, allocation.begin_ns, false));
    places.allocation_ranges.push_back(std::move(stacks[next++]));
  }
  for (const Gap& gap : found.gaps) {
    const bool worked = HostWorked(gap);
    places.gap_ranges.push_back(worked ? std::move(stacks[next++]) : std::string());
    places.gap_before.push_back(worked ? source->WhereAt(gap.tid, gap.submitted_ns, true)
                                       : std::string());
    places.gap_next.push_back(worked ? source->WhereAt(gap.tid, gap.submitted_ns, false)
                                     : std::string());
  }
  for (size_t kind = 0; kind < kSubmittedKinds; ++kind) {
    for (const Submission& sample : graph.samples[kind]) {
      places.sample_where[kind].push_back(source->WhereAt(sample.tid, sample.at_ns, false));
      places.sample_ranges[kind].push_back(std::move(stacks[next++]));
    }
  }
  PriceChanges(&graph, run, places, process->ranges.FirstStepNs(), &names_, &findings.prices,
               &part.replay);
}

}  // namespace syncline
