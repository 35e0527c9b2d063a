// SPDX-License-Identifier: Apache-2.0
// Records first; the ranges around what was found come with the second reading.
#include "analysis/rank_analysis.h"

#include "analysis/sums/module_times.h"

#include <algorithm>
#include <string>
#include <utility>

#include "analysis/prices/prices.h"
#include "analysis/sums/allocator_uses.h"
#include "analysis/sums/device_use.h"
#include "analysis/sums/launch_starvation.h"
#include "analysis/sums/unfinished.h"
#include "analysis/sums/wait_sums.h"
#include "analysis/waits/host_functions.h"
#include "analysis/waits/idle.h"
#include "analysis/waits/outside_waits.h"
#include "analysis/waits/waits.h"
#include "base/text.h"
#include "model/devices/coverage_gaps.h"
#include "model/findings/wait_rules.h"

namespace syncline {
namespace {

// A wait in three nested ranges takes 1.8 KiB until its trace is written.
constexpr uint64_t kBytesPerFinding = 2048;

// Whether there are records with times.
bool HasRecords(const SourceRun& source) {
  if (source.records == nullptr) return false;
  if (!source.facts.has_devices) return source.calls.count != 0;
  return source.clocks.valid() && source.calls.count + source.devices.op_count != 0;
}

// Whether there are calls to judge.
bool HasJudgedCalls(const SourceRun& source) {
  return HasRecords(source) && source.facts.waits != nullptr && source.calls.count != 0;
}

bool HasWork(const SourceRun& source) { return source.facts.has_devices && HasJudgedCalls(source); }

// An eighth of the room for what threads launched, and up to three eighths for each of two devices.
WorkCurves::Most MostOfCurves(uint64_t room) {
  constexpr uint64_t kLeast = 1 << 12, kShare = 8;
  const auto within = [&](uint64_t bytes_each, size_t most) {
    return static_cast<size_t>(std::clamp<uint64_t>(room / kShare / bytes_each, kLeast, most));
  };
  return {within(32, WorkCurves::kMostOps), within(24, SpellCurve::kMostSpells)};
}

// In all processes' work on a device together; a 128th of the room for each kind of one.
size_t MostSpans(uint64_t room) {
  constexpr uint64_t kLeast = 1 << 12, kMost = 1 << 18, kShare = 128;
  return static_cast<size_t>(std::clamp(room / kShare / sizeof(CoverageGap), kLeast, kMost));
}

// A quarter of the room.
size_t MostMemoryEvents(uint64_t room) {
  constexpr uint64_t kLeast = 1 << 12, kMost = 1 << 24, kShare = 4;
  return static_cast<size_t>(
      std::clamp<uint64_t>(room / kShare / (2 * sizeof(MemoryEvent)), kLeast, kMost));
}

bool UsesDevices(const ProgramRun& run) {
  bool any = false;
  run.sources.Each(
      [&any](Source, const SourceRun& source) { any = any || source.devices.op_count != 0; });
  return any && run.readable();
}

// The operations that were waited for outlive the records.
void KeepAwaited(const GpuRecords& records, Findings* findings) {
  const auto keep = [&](uint32_t* number) {
    if (*number == kNoOp) return;
    const GpuOp& op = records.ops[*number];
    *number = static_cast<uint32_t>(findings->ops.size());
    findings->ops.push_back(
        {{op.device, op.context, op.stream}, op.correlation, op.kernel, op.begin_ns});
  };
  for (Wait& wait : findings->waits) keep(&wait.op);
  for (Gap& gap : findings->gaps) keep(&gap.awaited);
}

}  // namespace

RankAnalysis::RankAnalysis(uint64_t room, uint64_t shortest_gap_ns, std::string step_range)
    : room_(room), shortest_gap_ns_(shortest_gap_ns), step_range_(std::move(step_range)) {}

std::vector<RecordSink*> RankAnalysis::FirstReading(size_t input) {
  if (readers_.size() <= input) {
    readers_.resize(input + 1);
    operator_readers_.resize(input + 1);
  }
  readers_[input] = std::make_unique<CollectiveReader>();
  operator_readers_[input] = std::make_unique<OperatorCollectives>();
  return {readers_[input].get(), operator_readers_[input].get()};
}

void RankAnalysis::Analyse(RankModel* model, const std::function<bool()>& stopped) {
  base_ns_ = model->base.ns;
  own_ = model->own;
  samples_.line_less_monotonic_ns = static_cast<int64_t>(model->job_anchor.realtime_ns) -
                                    static_cast<int64_t>(model->job_anchor.monotonic_ns);
  keeps_work_ = keeps_work_ || std::count_if(model->runs.begin(), model->runs.end(),
                                             [](const auto& run) { return UsesDevices(*run); }) > 1;
  for (const auto& run : model->runs) {
    if (!EndedEarly(*run, *model)) continue;
    ended_early_.insert(run->index);
    if (!run->readable() && IsToldAnyway(*run)) part.endings.push_back(EndingOf(*run));
  }
  for (const auto& run : model->runs) {
    if (stopped()) {
      part.collectives.complete = false;
      return;
    }
    if (run->readable()) {
      AnalyseRun(run.get(), model->most_records);
    } else if (!run->spool.empty()) {
      part.collectives.complete = false;
    }
    run->FreeRecords();
  }
  readers_.clear();
  operator_readers_.clear();
  for (const DeviceUse& use : part.devices) seen_devices_.erase(use.uuid);
  if (knows_idle_devices_) part.idle_devices.assign(seen_devices_.begin(), seen_devices_.end());
}

void RankAnalysis::AnalyseRun(ProgramRun* run, uint64_t most_records) {
  bool any = false;
  run->sources.Each([&any](Source, const SourceRun& source) { any = any || HasWork(source); });
  const auto& domains = run->survey.payload_domains;
  if (any && std::any_of(domains.begin(), domains.end(), [](const std::string& domain) {
        return WordsOfDomain(domain) != nullptr;
      }))
    readers_[run->input]->Finish(*run, &part.collectives);
  operator_readers_[run->input]->Finish(run, &part.collectives);
  if (run->recording_cost.recorded != 0) {
    part.recording_costs.push_back(run->recording_cost);
    part.recording_costs.back().pid = run->outer_pid;
  }
  PlaceRecords(run, most_records);
  auto curves = std::make_unique<WorkCurves>(run->closed, MostOfCurves(room_));
  run->sources.Each([&](Source, SourceRun& source) {
    if (HasRecords(source)) AnalyseSource(run, &source, curves.get());
  });
  if (run->memory != nullptr) curves->AddAllocators(*run->memory, &run->timeline);
  if (curves->empty()) return;
  curves->Finish();
  room_ -= std::min(room_, curves->bytes());
  for (std::string& text : curves->Inexact()) part.missing.push_back(std::move(text));
  curves_[run->index] = std::move(curves);
}

// Where there was no room for all records, what is known of the first part is told.
void RankAnalysis::PlaceRecords(ProgramRun* run, uint64_t most_records) {
  uint64_t whole_ns = UINT64_MAX;
  run->sources.Each([&](Source, SourceRun& source) {
    if (!HasRecords(source)) return;
    source.records->PlaceCalls(&run->timeline, run->end_ns);
    if (source.facts.has_devices) source.records->PlaceDevices(source.clocks);
    if (!source.records->too_many()) return;
    const uint64_t until_ns = source.records->WholeUntilNs();
    whole_ns = std::min(whole_ns, until_ns <= run->begin_ns ? 0 : until_ns);
    const std::string what =
        source.facts.has_devices ? "ranges of GPUs, and waits and gaps" : "waits";
    const std::string why = Text(": more than ", CountText(most_records),
                                 source.facts.has_devices ? " calls and operations" : " calls",
                                 ", which --memory-node and the memory that is free allow");
    part.missing.push_back(Text(what, whole_ns == 0 ? "" : " of the rest", why));
    source.findings.missing =
        Text(what,
             whole_ns == 0 ? "" : Text(" after the first ", DurationText(whole_ns - run->begin_ns)),
             why);
  });
  if (whole_ns == UINT64_MAX) return;
  run->sources.Each([&](Source, SourceRun& source) {
    if (HasRecords(source)) source.records->KeepUntil(whole_ns);
  });
  run->closed.push_back({whole_ns, run->end_ns});
  JoinCoverageGaps(&run->closed);
  const uint64_t until_ns = part.analysed_until_ns;
  part.analysed_until_ns = until_ns == 0 ? whole_ns : std::min(until_ns, whole_ns);
}

// Each source for itself: what one waits for is no work of another.
void RankAnalysis::AnalyseSource(ProgramRun* run, SourceRun* source, WorkCurves* curves) {
  if (source->records->too_many() && source->records->kept() == 0) return;
  if (source->facts.has_devices) return AnalyseWork(run, source, curves);
  if (HasJudgedCalls(*source))
    Keep(*run, FindOutsideWaits(source->records->records(), *source->facts.waits), {}, source,
         curves);
}

void RankAnalysis::AnalyseWork(ProgramRun* run, SourceRun* source, WorkCurves* curves) {
  const TimeLimits limits = LimitsOf(*run, base_ns_);
  if (HasWork(*source)) {
    FindInSource(*run, source, curves);
    curves->AddLaunches(source->source, source->records->records(), source->records->labels(),
                        limits);
    starved_[source->number] = FindStarved(source->records->records(), limits);
  } else {
    OrderByDevice(&source->records->records());
  }
  MeasureDevices(*run, source);
  curves->AddDevices(source->records->records(), limits);
  curves->times().AddDevices(source->source, source->records->records(), source->records->labels(),
                             limits);
  curves->AddMemory(source->devices, source->clocks);
  if (HasWork(*source)) source->findings.op_labels = std::move(source->records->labels());
}

void RankAnalysis::FindInSource(const ProgramRun& run, SourceRun* source, WorkCurves* curves) {
  GpuRecords& records = source->records->records();
  records.clock_error_ns = source->clocks.ErrorNs() + run.clock_error_ns;
  records.end_ns = run.end_ns;
  records.device_records_lost = MayBeOfDevices(run.losses) || run.damage.Any();
  for (const CoveragePeriod& period : source->coverage) {
    if (period.coverage != GpuCoverage::kAll)
      records.unseen.push_back({period.begin_ns, period.end_ns});
  }
  records.unseen.insert(records.unseen.end(), run.closed.begin(), run.closed.end());
  const WaitRules& rules = *source->facts.waits;
  std::vector<Wait> waits = FindWaits(records, rules);
  source->findings.host_functions = FindHostFunctions(records, rules, waits);
  std::vector<Gap> gaps =
      FindGaps(records, rules, waits, source->findings.host_functions, shortest_gap_ns_);
  const TimeLimits limits = LimitsOf(run, base_ns_);
  for (const Gap& gap : gaps) {
    if (!limits.Hold(gap.begin_ns, gap.end_ns)) continue;
    for (size_t cause = 0; cause < kGapCauses; ++cause)
      gaps_[gap.device][cause] += gap.parts_ns[cause];
  }
  if (!Keep(run, std::move(waits), std::move(gaps), source, curves)) return;
  KeepForReplay(run, source);
  KeepAwaited(records, &source->findings);
}

// False: there is no room for them.
bool RankAnalysis::Keep(const ProgramRun& run, std::vector<Wait> waits, std::vector<Gap> gaps,
                        SourceRun* source, WorkCurves* curves) {
  Findings& found_here = source->findings;
  curves->AddWaits(waits, LimitsOf(run, base_ns_));
  const uint64_t found = waits.size() + gaps.size() + found_here.host_functions.size();
  if (found > room_ / kBytesPerFinding) {
    found_here.missing = "waits and gaps: " + CountText(found) +
                         ", more than --memory-node and the memory that is free allow";
    part.missing.push_back(found_here.missing);
    curves->times().AddGaps(source->source, gaps, {}, LimitsOf(run, base_ns_));
    found_here.host_functions = {};
    return false;
  }
  room_ -= found * kBytesPerFinding;
  found_here.waits = std::move(waits);
  found_here.gaps = std::move(gaps);
  found_here.call_names = source->records->records().call_names();
  return true;
}

// The records are gone when it is known at which lines the waits stand.
void RankAnalysis::KeepForReplay(const ProgramRun& run, SourceRun* source) {
  const Findings& found = source->findings;
  std::vector<std::string> communications;
  for (const OpLabel& label : source->records->labels())
    communications.emplace_back(WordOfKernel(label.kernel));
  ReplayGraph graph =
      MakeReplayGraph(source->records->records(), communications, *source->facts.waits, found.waits,
                      found.gaps, found.host_functions);
  if (graph.empty()) return;
  graph.call_cost_ns = run.recording_cost.CallNs();
  if (graph.size() > room_) {
    part.missing.push_back(
        "what a change would bring: --memory-node and the memory that is free "
        "do not allow it");
    return;
  }
  room_ -= graph.size();
  graphs_.emplace(source->number, std::move(graph));
}

void RankAnalysis::PriceSource(const ProgramRun& run, const SourceRun& source,
                               const SourceMoments& moments) {
  const auto graph = graphs_.find(source.number);
  if (graph == graphs_.end()) return;
  replayed_.push_back({graph->second.begin_ns, graph->second.begin_ns + graph->second.whole_ns});
  std::map<PriceKey, PriceSums> of_process, prices;
  std::vector<uint64_t> joint_ns;
  const ReplayedTime time =
      PriceChanges(&graph->second, source, moments.PlacesOf(stacks_.get()), sums_->FirstStepNs(),
                   &sums_->names(), &of_process, &part.replay, &joint_ns);
  for (auto& [key_of_process, sums] : of_process) {
    PriceKey key = key_of_process;
    key.program = sums_->program();
    findings.prices[key].Add(sums);
    prices.emplace(std::move(key), std::move(sums));
  }
  gains_.Add(run.outer_pid, time, prices, std::move(joint_ns));
  graphs_.erase(graph);
}

void RankAnalysis::MeasureDevices(const ProgramRun& run, SourceRun* of) {
  const SourceRun& source = *of;
  const TimeLimits limits = LimitsOf(run, base_ns_);
  std::map<uint32_t, WorkSpans> spans;
  std::vector<DeviceUse> devices = MeasureDeviceUse(
      source.records->records(), source.records->labels(), limits, run.closed,
      keeps_work_ || source.devices.infos.size() > 1 ? &spans : nullptr, MostSpans(room_));
  if (HasWork(source)) MeasureLaunches(source.records->records(), limits, &devices);
  MeasureMemory(source.devices, source.clocks, &devices);
  for (DeviceUse& device : devices) {
    device.pid = run.outer_pid;
    device.source = source.facts.name;
    const auto known = source.devices.infos.find(device.device);
    if (known != source.devices.infos.end()) {
      device.name = known->second.name;
      device.uuid = IdOfDevice(known->second.facts);
    }
    const auto kept = spans.find(device.device);
    if (kept != spans.end())
      works_.push_back({known == source.devices.infos.end() ? "" : IdOfDevice(known->second.facts),
                        of, device.device, part.devices.size(), limits, run.closed,
                        std::move(kept->second)});
    std::copy(gaps_[device.device].begin(), gaps_[device.device].end(), device.gaps_ns);
    part.devices.push_back(std::move(device));
  }
  gaps_.clear();
  NoteIdleDevices(run, source);
}

void RankAnalysis::JoinDevices(const std::vector<RankAnalysis*>& ranks) {
  std::vector<RankDevices> devices;
  for (RankAnalysis* rank : ranks) devices.push_back({&rank->works_, &rank->part});
  if (!ranks.empty()) ShareDevices(devices, ranks[0]->shortest_gap_ns_);
  for (RankAnalysis* rank : ranks) rank->SettleShared();
}

// Nobody kept when the others worked for each of a process's launches.
void RankAnalysis::SettleShared() {
  uint64_t error_ns = 0;
  bool starved = false;
  for (const DeviceWork& work : works_) {
    if (!work.is_shared) continue;
    error_ns = std::max(error_ns, work.spans.error_ns());
    starved = starved_.erase(work.source->number) != 0 || starved;
  }
  works_ = std::vector<DeviceWork>();
  if (starved)
    part.missing.emplace_back(
        "kernels that came too late for their device: other processes used it too");
  if (error_ns != 0)
    part.missing.push_back(Text("idle times of less than ", DurationText(error_ns),
                                " of a device that several processes used: too many"));
}

// Where all that a process did was recorded: else nobody knows which devices it left alone.
void RankAnalysis::NoteIdleDevices(const ProgramRun& run, const SourceRun& source) {
  const bool all =
      run.closed.empty() && !MayBeOfDevices(run.losses) && !run.damage.Any() &&
      std::all_of(source.coverage.begin(), source.coverage.end(), [](const CoveragePeriod& period) {
        return period.coverage == GpuCoverage::kAll;
      });
  knows_idle_devices_ = knows_idle_devices_ && all;
  for (const auto& [number, info] : source.devices.infos) {
    if (std::string uuid = IdOfDevice(info.facts); !uuid.empty())
      seen_devices_.insert(std::move(uuid));
  }
}

WorkCurves* RankAnalysis::CurvesOf(const ProgramRun& run) const {
  const auto found = curves_.find(run.index);
  return found == curves_.end() ? nullptr : found->second.get();
}

void RankAnalysis::AddStarved(const SourceRun& source) {
  const auto found = starved_.find(source.number);
  if (found == starved_.end()) return;
  for (size_t i = 0; i < found->second.size() && i < source.findings.op_labels.size(); ++i) {
    if (found->second[i].count == 0) continue;
    findings.starved[sums_->KeyOf(findings, source.facts.name, source.findings.op_labels[i])].Add(
        found->second[i]);
  }
  starved_.erase(found);
}

void RankAnalysis::SettlePrices() {
  gains_.Settle(&findings.prices, &part.joint_ns);
  part.replay.together_ns = gains_.TogetherNs();
  uint64_t sum = 0, together = 0;
  for (const CoverageGap& span : replayed_) sum += span.end_ns - span.begin_ns;
  JoinCoverageGaps(&replayed_);
  for (const CoverageGap& span : replayed_) together += span.end_ns - span.begin_ns;
  if (together == 0 || together >= sum) return;
  const double share = static_cast<double>(together) / static_cast<double>(sum);
  const auto scale = [share](uint64_t* ns) {
    *ns = static_cast<uint64_t>(static_cast<double>(*ns) * share);
  };
  scale(&part.replay.whole_ns);
  scale(&part.replay.replayed_ns);
  scale(&part.replay.recording_ns);
}

RecordSink* RankAnalysis::SecondReading(ProgramRun* run) {
  second_ = SinkFan();
  sums_ = std::make_unique<RecordSums>(run, base_ns_, CurvesOf(*run), step_range_);
  second_.Add(sums_.get());
  if (run->survey.operators != 0) {
    operators_ = std::make_unique<OperatorTimes>(run, base_ns_, CurvesOf(*run), own_);
    second_.Add(operators_.get());
  }
  if (run->survey.memory != 0) {
    memory_ = std::make_unique<MemoryEvents>(run, own_, MostMemoryEvents(room_));
    second_.Add(memory_.get());
  }
  if (!run->captured.empty()) {
    replayed_operators_ = std::make_unique<ReplayedOperators>(*run, base_ns_);
    second_.Add(replayed_operators_.get());
  }
  if (ended_early_.contains(run->index)) {
    open_ = std::make_unique<OpenAtEnd>(run, own_);
    second_.Add(open_.get());
  }
  bool any = false;
  run->sources.Each([&any](Source, const SourceRun& source) {
    any = any || !source.findings.waits.empty() || !source.findings.gaps.empty();
  });
  any = any || !graphs_.empty() || !part.collectives.messages.empty();
  if (!any && open_ == nullptr && operators_ == nullptr && replayed_operators_ == nullptr &&
      memory_ == nullptr)
    return sums_.get();
  if (!any) return &second_;
  stacks_ = std::make_unique<RangeStacks>(&run->timeline, run->end_ns, own_);
  run->sources.Each([this](Source, const SourceRun& source) {
    const auto graph = graphs_.find(source.number);
    moments_[source.number].Ask(source.findings, graph == graphs_.end() ? nullptr : &graph->second,
                                stacks_.get());
  });
  messages_.Ask(run, part.collectives, stacks_.get());
  second_.Add(stacks_.get());
  return &second_;
}

void RankAnalysis::Finish(ProgramRun* run) {
  WorkCurves* const curves = CurvesOf(*run);
  sums_->SettleNames();
  run->sources.Each([&](Source, SourceRun& source) {
    const SourceMoments& moments = moments_[source.number];
    moments.FillIn(stacks_.get(), &source.findings);
    if (curves != nullptr)
      curves->times().AddGaps(source.source, source.findings.gaps, source.findings.gap_lines,
                              LimitsOf(*run, base_ns_));
    if (open_ == nullptr) {
      for (std::string& sentence : UnfinishedWaits(*run, source))
        part.problems.push_back(std::move(sentence));
    }
    PriceSource(*run, source, moments);
  });
  if (stacks_ != nullptr) messages_.FillIn(stacks_.get(), &part.collectives);
  messages_ = {};
  if (open_ != nullptr && (open_->any() || IsToldAnyway(*run))) {
    part.endings.push_back(EndingOf(*run));
    open_->FillIn(&part.endings.back());
  }
  sums_->Finish(&findings, &part, operators_ == nullptr ? nullptr : &operators_->FinishedFlops());
  run->sources.Each([&](Source, const SourceRun& source) {
    SumWaits(*run, source, LimitsOf(*run, base_ns_), sums_->steady_steps(), &sums_->names(),
             &findings);
    if (samples_.samples != nullptr)
      SumHostWork(*run, source, LimitsOf(*run, base_ns_), sums_->FirstStepNs(), samples_, own_,
                  &findings);
  });
  if (operators_ != nullptr) operators_->Finish(sums_->steady_steps(), &findings, &part);
  if (replayed_operators_ != nullptr) replayed_operators_->Finish(&findings);
  if (curves != nullptr) TellSilentAllocators(*run, *curves, &part);
  if (memory_ != nullptr) TellAllocators(*run, sums_->main_steps(), memory_.get(), &part);
  if (run->modules != nullptr) SumModules(run, base_ns_, curves, &findings);
  run->sources.Each([this](Source, const SourceRun& source) { AddStarved(source); });
  if (curves != nullptr) part.shares.Add(curves->times().All());
  curves_.erase(run->index);
  second_ = SinkFan();
  moments_.clear();
  stacks_ = nullptr;
  open_ = nullptr;
  operators_ = nullptr;
  replayed_operators_ = nullptr;
  memory_ = nullptr;
  sums_ = nullptr;
}

}  // namespace syncline
