// SPDX-License-Identifier: Apache-2.0
// One addition a record; names are looked up once for each stream.
#include "analysis/sums/record_sums.h"

#include <algorithm>
#include <utility>

#include "analysis/sums/counters.h"
#include "analysis/sums/long_steps.h"
#include "analysis/sums/step_shares.h"
#include "analysis/sums/step_work.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "model/devices/operation_name.h"
#include "model/devices/source_facts.h"
#include "model/findings/step_label.h"
#include "symbols/demangle.h"

namespace syncline {
namespace {

constexpr uint64_t kLongestNs = uint64_t{7} * 24 * 3600 * 1'000'000'000;
constexpr char kUnnamedKernel[] = "kernel";  // as in the trace
constexpr char kNoName[] = "(no name)", kLostName[] = "(name lost)";

// The number of `key`; names beyond the cap share one.
template <typename Key>
uint32_t NumberOf(std::map<Key, uint32_t>* numbers, std::vector<DurationSums>* sums, Key key) {
  if (numbers->size() >= RecordSums::kMostNames && !numbers->contains(key)) {
    Key others;
    others.source = key.source;
    others.name = kOtherNames;
    key = std::move(others);
  }
  const auto [at, added] =
      numbers->try_emplace(std::move(key), static_cast<uint32_t>(sums->size()));
  if (added) sums->emplace_back();
  return at->second;
}

// Of frameworks' allocators, while the host was in each step.
void PeaksOfSteps(WorkCurves* curves, const TimedSeries& timed, StepSeries* series) {
  if (!curves->has_allocators()) return;
  for (const TimedStep& step : timed.steps) {
    series->allocated_peaks.push_back(curves->AllocatedPeak(step.host.begin_ns, step.host.end_ns));
    series->held_peaks.push_back(curves->HeldPeak(step.host.begin_ns, step.host.end_ns));
  }
}

// Threads that a framework has for other threads' calls.
std::set<uint32_t> HelpersOf(const ProgramRun& run) {
  std::set<uint32_t> helpers;
  for (const auto& [tid, thread] : run.survey.threads) {
    if (IsHelperThread(thread.given_name)) helpers.insert(tid);
  }
  return helpers;
}

}  // namespace

RecordSums::RecordSums(ProgramRun* run, uint64_t base_ns, WorkCurves* curves,
                       const std::string& step_range)
    : run_(run),
      program_(ProgramName(run->facts)),
      limits_(LimitsOf(*run, base_ns)),
      curves_(curves),
      calls_(curves),
      fills_(*run),
      step_names_(step_range),
      steps_(curves, run->closed),
      helpers_(HelpersOf(*run)) {
  if (curves != nullptr) stages_.emplace(curves).SetHelpers({helpers_.begin(), helpers_.end()});
  if (curves == nullptr || curves->times().empty()) host_steps_.emplace();
  if ((run->survey.counters.degraded & kHasEventLoop) != 0) swapped_.emplace();
}

inline bool RecordSums::Place(uint64_t begin_ticks, uint64_t end_ticks, uint64_t* begin_ns,
                              uint64_t* end_ns) {
  *begin_ns = run_->timeline.Convert(begin_ticks);
  *end_ns = run_->timeline.Convert(end_ticks);
  return limits_.Hold(*begin_ns, *end_ns);
}

RecordSums::Named RecordSums::Number(const RangeEvent& event) {
  const RangeRecord& record = event.record;
  const std::string_view* name = event.stream.Name(record.head.id);
  const DomainEntry* domain = event.stream.Domain(record.domain);
  std::string text = name != nullptr       ? std::string(*name)
                     : record.head.id == 0 ? kNoName
                                           : kLostName;
  const SourceFacts& facts = FactsOfSource(record.source);
  const auto begins = [&text](std::string_view start) {
    return !start.empty() && text.starts_with(start);
  };
  const bool is_call =
      domain != nullptr && !domain->name.empty() && domain->name == facts.calls_domain;
  Named named{0, record.domain, record.source, step_names_.Of(text).has_value(), is_call};
  if (begins(facts.optimizer_range)) named.phase = Phase::kOptimizer;
  if (begins(facts.fetch_range)) named.phase = Phase::kFetch;
  if (begins(facts.backward_range)) named.phase = Phase::kBackward;
  folder_.See(text);
  if (folder_.IsFolded(text)) text = folder_.Folded(text);
  named.sums = NumberOf(
      &range_numbers_, &range_sums_,
      RangeKey{facts.name, domain == nullptr ? "(lost)" : domain->name, std::move(text), program_});
  return named;
}

inline RecordSums::Named RecordSums::NameOf(const RangeEvent& event) {
  const Named named =
      ranges_.Get(event.stream, event.record.head.id, [&] { return Number(event); });
  const bool same = named.domain == event.record.domain && named.source == event.record.source;
  return __builtin_expect(same, 1) ? named : Number(event);  // a name of two domains
}

inline void RecordSums::AddRange(const RangeEvent& event, uint64_t begin_ns, uint64_t end_ns) {
  const Named named = NameOf(event);
  AddRange(named.sums, begin_ns, end_ns);
  if (__builtin_expect(named.phase != Phase::kNone, 0)) AddPhase(event, named, begin_ns, end_ns);
  if (stages_) stages_->AddNested(event.stream, named.sums, event.record.depth, begin_ns, end_ns);
  if (__builtin_expect(CallSums::HasDetails(event), 0))
    calls_.AddNested(event, named.sums, begin_ns, end_ns);
  own_times_.Add(event.stream.id(), event.stream.tid(), named.sums, event.record.depth, begin_ns,
                 end_ns);
  if (__builtin_expect(named.is_step, 0)) {
    const std::string_view* name = event.stream.Name(event.record.head.id);
    if (name != nullptr) AddStep(*name, event.stream.tid(), event.record.depth, begin_ns, end_ns);
  }
  steps_.EndRange(event.stream.tid(), event.record.depth);
  if (host_steps_) AddHostSteps(event, named, begin_ns, end_ns);
  if (swapped_ && *FactsOfSource(named.source).ranges_of_tasks != '\0')
    swapped_->Add(event.stream.id(), named.sums, event.record.depth);
}

void RecordSums::AddPhase(const RangeEvent& event, const Named& named, uint64_t begin_ns,
                          uint64_t end_ns) {
  const uint32_t tid = event.stream.tid();
  if (named.phase == Phase::kOptimizer) training_.OptimizerEnds(tid, end_ns);
  if (named.phase == Phase::kFetch) training_.Fetches(tid);
  if (helpers_.contains(tid)) return;  // what it does is a part of another thread's
  const bool is_backward = named.phase == Phase::kBackward;
  if (is_backward) NumberForward(event);
  std::vector<ForwardTimes::Span> known;
  forward_.Ends(tid, is_backward, begin_ns, named.phase == Phase::kOptimizer ? 0 : end_ns, &known);
  for (const ForwardTimes::Span& span : known) AddForward(span);
  if (is_backward && stages_) stages_->AddHelped(event.stream.id(), tid, begin_ns, end_ns);
}

void RecordSums::NumberForward(const RangeEvent& event) {
  if (forward_number_) return;
  const DomainEntry* domain = event.stream.Domain(event.record.domain);
  forward_number_ =
      NumberOf(&range_numbers_, &range_sums_,
               RangeKey{FactsOfSource(event.record.source).name,
                        domain == nullptr ? "(lost)" : domain->name, kTrainingForward, program_});
}

void RecordSums::AddForward(const ForwardTimes::Span& span) {
  if (MeetsCoverageGap(run_->closed, span.begin_ns, span.end_ns)) return;
  AddRange(*forward_number_, span.begin_ns, span.end_ns);
  if (stages_) stages_->AddStarted(span.tid, *forward_number_, span.begin_ns, span.end_ns);
}

void RecordSums::AddHostSteps(const RangeEvent& event, const Named& named, uint64_t begin_ns,
                              uint64_t end_ns) {
  const std::string_view* const name =
      named.is_step ? event.stream.Name(event.record.head.id) : nullptr;
  const std::optional<StepName> step = name == nullptr ? std::nullopt : step_names_.Of(*name);
  host_steps_->Add(event.stream.id(), named.sums, event.record.depth, begin_ns, end_ns,
                   step ? std::string_view(step->name) : std::string_view());
}

void RecordSums::AddStep(std::string_view name, uint32_t tid, uint32_t depth, uint64_t begin_ns,
                         uint64_t end_ns) {
  std::optional<StepName> step = step_names_.Of(name);
  if (!step) return;
  step->counted = step_names_.CountedAt(tid, begin_ns);
  steps_.Add(*step, name, tid, depth, begin_ns, end_ns, are_open_);
}

void RecordSums::OnGate(const GateRecord& change) { step_names_.OnGate(change, &run_->timeline); }

void RecordSums::OnRange(const RangeEvent& event) {
  uint64_t begin, end;
  if (Place(event.record.begin, event.record.end, &begin, &end)) AddRange(event, begin, end);
}

void RecordSums::OnOpenRange(const RangeEvent& event) {
  uint64_t begin, end;
  are_open_ = true;
  if (Place(event.record.begin, event.record.begin, &begin, &end))
    AddRange(event, begin, std::max(begin, run_->end_ns));
  are_open_ = false;
}

void RecordSums::OnRangeStart(const RangeEvent& event) {
  StartedRange<Started> range;
  uint64_t end;
  if (!Place(event.record.begin, event.record.begin, &range.begin, &end)) return;
  range.lane = event.record.lane;
  const Named named = NameOf(event);
  range.what.sums = named.sums;
  range.what.tid = event.stream.tid();
  range.what.is_call = named.is_call;
  if (CallSums::HasDetails(event))
    range.what.labels = calls_.LabelsOfStarted(event, named.sums, range.begin);
  const std::string_view* name = event.stream.Name(event.record.head.id);
  if (named.is_step && name != nullptr) range.what.step = *name;
  if (!named.is_call) {
    own_times_.Start(event.stream.id(), event.stream.tid(), event.record.end, named.sums,
                     range.begin);
  }
  RangeJoiner<Started>::Joined joined;
  if (joiner_.Start(event.record.end, std::move(range), &joined))
    AddJoined(joined.range, joined.end);
}

void RecordSums::OnRangeEnd(const RangeEvent& event) {
  uint64_t at, end;
  if (!Place(event.record.begin, event.record.begin, &at, &end)) return;
  RangeJoiner<Started>::Joined joined;
  if (!joiner_.End(event.record.end, at, &joined)) return;
  if (CallSums::HasDetails(event))
    calls_.AddEnd(event, joined.range.what.sums, joined.range.begin, joined.end);
  AddJoined(joined.range, joined.end);
  own_times_.End(event.stream.id(), event.stream.tid(), event.record.end, joined.end);
}

uint32_t RecordSums::KernelOf(Stream& stream, const DeviceOpRecord& op) {
  return kernels_.Get(stream, op.head.id, [&] {
    const std::string_view* name = stream.Name(op.head.id);
    return NumberOf(&kernel_numbers_, &kernel_sums_,
                    OpKey{FactsOfSource(op.source).name,
                          name == nullptr ? kUnnamedKernel : std::string(*name)});
  });
}

// A graph that ran as a whole has a number, and no name.
uint32_t RecordSums::GraphOf(const DeviceOpRecord& op) {
  OpLabel label;
  label.type = op.type;
  label.graph = op.graph;
  std::string name = OperationName(label);
  folder_.See(name);
  if (folder_.IsFolded(name)) name = folder_.Folded(name);
  return NumberOf(&graph_numbers_, &graph_sums_,
                  OpKey{FactsOfSource(op.source).name, std::move(name)});
}

void RecordSums::OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) {
  if (op.end < op.begin || op.end - op.begin > kLongestNs) return;  // damaged
  if ((op.head.flags & kOpOutside) != 0) return;
  if (op.type == DeviceOpType::kKernel) {
    const uint32_t number = KernelOf(stream, op);
    kernel_sums_[number].Add(op.end - op.begin);
    if (kernel != nullptr) fills_.Add(number, op, *kernel);
    return;
  }
  if (op.type == DeviceOpType::kGraph) {
    graph_sums_[GraphOf(op)].Add(op.end - op.begin);
    return;
  }
  CopySums& sums = copies_[{op.source, op.type, op.from, op.to}];
  sums.durations.Add(op.end - op.begin);
  sums.bytes += op.bytes;
}

OpKey RecordSums::KeyOf(const RunFindings& findings, const std::string& source,
                        const OpLabel& label) {
  OpKey key{source, label.type == DeviceOpType::kKernel
                        ? DemangledName(label.kernel.empty() ? kUnnamedKernel : label.kernel)
                        : folder_.Folded(OperationName(label))};
  if (!findings.kernels.contains(key)) key.name = kOtherNames;
  return key;
}

void RecordSums::AddCalls(RunFindings* findings) {
  std::vector<RangeKey> keys(range_sums_.size());
  std::vector<uint32_t> stretches(range_sums_.size());
  for (const auto& [key, number] : range_numbers_) {
    keys[number] = {key.source, key.domain, folder_.Folded(key.name), program_};
    stretches[number] = NumberOfWork(key, number);
  }
  calls_.Finish([&](uint32_t name) { return keys[name]; },
                [&](uint32_t name) { return stretches[name]; }, findings);
}

uint32_t RecordSums::NumberOfWork(const RangeKey& key, uint32_t number) const {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const SourceFacts& facts = *kSourceFacts[i];
    if (facts.calls_domain.empty() || key.source != facts.name || key.domain != facts.calls_domain)
      continue;
    const auto stretches = range_numbers_.find(
        {key.source, std::string(facts.stretches_domain), key.name, key.program});
    return stretches == range_numbers_.end() ? number : stretches->second;
  }
  return number;
}

StageWork RecordSums::WorkOf(const RangeKey& key, uint32_t number) const {
  const std::vector<StageWork>& sums = stages_->sums();
  StageWork work = number < sums.size() ? sums[number] : StageWork();
  const uint32_t stretches = NumberOfWork(key, number);
  if (stretches != number && stretches < sums.size()) work.AddGiven(sums[stretches]);
  return work;
}

void RecordSums::AddKernelsOfStages(RunFindings* findings) {
  KernelsOfStages& stages = findings->stage_kernels;
  const std::vector<WorkCurves::Kernel>& kernels = curves_->kernels();
  std::vector<std::optional<uint32_t>> numbers(kernels.size());
  const auto number_of = [&](uint32_t kernel) {
    if (kernel >= kernels.size()) return stages.NumberOf({"", kOtherNames});
    if (!numbers[kernel]) {
      const WorkCurves::Kernel& of = kernels[kernel];
      numbers[kernel] = stages.NumberOf(KeyOf(*findings, FactsOfSource(of.source).name, of.label));
    }
    return *numbers[kernel];
  };
  for (const auto& [key, number] : range_numbers_) {
    const uint32_t work = NumberOfWork(key, number);
    if (work >= stages_->kernels().size()) continue;
    std::map<uint32_t, StageKernel> sums;  // several may have one name
    for (const auto& [kernel, of] : stages_->kernels()[work].entries())
      sums[number_of(kernel)].Add(of);
    if (!sums.empty())
      stages.Add({key.source, key.domain, folder_.Folded(key.name), program_},
                 {{sums.begin(), sums.end()}});
  }
}

// Those that the program names say more.
void RecordSums::AddTrainingSteps() {
  StepName step{kTrainingStep, std::nullopt};
  const std::vector<TrainingSteps::Row> rows = training_.Take();
  if (steps_.any()) return;
  for (const TrainingSteps::Row& row : rows) {
    if (MeetsCoverageGap(run_->closed, row.begin_ns, row.end_ns)) continue;
    step.counted = step_names_.CountedAt(row.tid, row.end_ns);
    steps_.Add(step, step.name, row.tid, StepRows::kNoDepth, row.begin_ns, row.end_ns, are_open_);
  }
}

void RecordSums::SettleNames() {
  std::vector<ForwardTimes::Span> rest;
  forward_.TakeAll(&rest);
  for (const ForwardTimes::Span& span : rest) AddForward(span);
  AddTrainingSteps();
  std::vector<NumberedName> names;
  for (const auto& [key, number] : range_numbers_) {
    if (key.name != kOtherNames) names.push_back({key.name, range_sums_[number].count, number});
  }
  for (std::string& family : CountingFamilies(std::move(names)))
    folder_.FoldFamily(std::move(family));
}

std::vector<std::string> RecordSums::FoldedNames() {
  std::vector<std::string> names(range_sums_.size());
  for (const auto& [key, number] : range_numbers_) names[number] = folder_.Folded(key.name);
  return names;
}

void RecordSums::KeepMainSteps(const TimedSeries& timed) {
  if (timed.steps.size() <= main_steps_.size()) return;
  main_steps_.clear();
  for (const TimedStep& step : timed.steps) main_steps_.push_back(step.host);
}

// `first`: of the part's series, the first one of this process.
void RecordSums::CountOpsOfSteps(RankPart* part, size_t first) {
  StableSort(&steady_steps_,
             [](const SteadySteps& a, const SteadySteps& b) { return a.count() > b.count(); });
  if (steady_steps_.size() > kMostCountedKinds)
    steady_steps_.erase(steady_steps_.begin() + kMostCountedKinds, steady_steps_.end());
  for (const SteadySteps& steps : steady_steps_) {
    for (size_t i = first; i < part->steps.size(); ++i) {
      if (part->steps[i].name != steps.name()) continue;
      part->steps[i].counted = steps.count();
      if (curves_ != nullptr) part->steps[i].ops = steps.OpsIn(curves_);
    }
  }
}

OpKey RecordSums::KeyOfCopy(const CopyLabel& label) {
  const auto& [source, type, from, to] = label;
  OpLabel op;
  op.type = type;
  op.from = from;
  op.to = to;
  return {FactsOfSource(source).name, OperationName(op)};
}

void RecordSums::AddPartsOf(const SteadySteps& steps, RunFindings* findings) {
  for (const auto& [key, number] : range_numbers_) {
    const DurationSums& sums = range_sums_[number];
    const StepPart part =
        first_ranges_.Without(number, steps.first_ns(), {sums.count, sums.total_ns});
    if (part.count == 0) continue;
    const RangeKey folded{key.source, key.domain, folder_.Folded(key.name), program_};
    findings->ranges[folded].in_steps[steps.name()].Add(part);
  }
  if (curves_ == nullptr || !curves_->knows_all()) return;
  const std::vector<WorkCurves::Kernel>& kernels = curves_->kernels();
  const KernelTally tally = steps.KernelsIn(curves_);
  for (const uint32_t kernel : tally.kernels()) {
    const auto& [source, label] = kernels[kernel];
    const auto known = findings->kernels.find(KeyOf(*findings, FactsOfSource(source).name, label));
    const LaunchSums& of = tally.Of(kernel);
    if (known != findings->kernels.end())
      known->second.in_steps[steps.name()].Add({of.launches, of.device_ns});
  }
  for (const auto& [label, part] : steps.CopiesIn(*curves_)) {
    const auto known = findings->copies.find(KeyOfCopy(label));
    if (known != findings->copies.end()) known->second.durations.in_steps[steps.name()].Add(part);
  }
}

void RecordSums::AddSteps(RankPart* part, const FlopCurve* flops) {
  std::vector<std::string> names;
  if (host_steps_) {
    host_steps_->Finish();
    names = FoldedNames();
  }
  const size_t first = part->steps.size();
  for (const auto& [name, timed] : steps_.Take()) {
    StepSeries& series = part->steps.emplace_back();
    series.pid = run_->outer_pid;
    series.name = name;
    series.program = program_;
    for (const TimedStep& one : timed.steps) series.steps.push_back(one.step);
    if (flops != nullptr) WorkOfSteps(*flops, timed, &series);
    if (curves_ != nullptr) PeaksOfSteps(curves_, timed, &series);
    KeepMainSteps(timed);
    steady_steps_.emplace_back(name, timed);
    if (host_steps_) {
      const HostSteps::Series* const ranges = host_steps_->Of(name);
      if (ranges != nullptr) TellHostSteps(*run_, timed.steps, *ranges, names, &series);
      continue;
    }
    ShareSteps(&curves_->times(), timed, &series);
    TellLongSteps(*run_, timed, curves_, &series);
  }
  CountOpsOfSteps(part, first);
}

void RecordSums::TellSwapped(RankPart* part) {
  const std::optional<SwappedRanges::Swap> swap = swapped_ ? swapped_->Most() : std::nullopt;
  if (!swap) return;
  std::string outer, inner, source;
  for (const auto& [key, number] : range_numbers_) {
    if (number == swap->outer) outer = key.name;
    if (number == swap->inner) inner = key.name;
    if (number == swap->inner) source = key.source;
  }
  std::string remedy;
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    if (source == kSourceFacts[i]->name) remedy = kSourceFacts[i]->ranges_of_tasks;
  }
  part->problems.push_back(
      Text(run_->name, " (", run_->outer_pid, "): `", inner, "` lies in `", outer, "` (",
           CountText(swap->times), " times) and `", outer, "` in `", inner, "` (",
           CountText(swap->other_way),
           " times) on one thread, and the program uses asyncio. A range that is pushed before an "
           "await ends another task's, so names and times may be swapped: use ",
           remedy));
}

void RecordSums::Finish(RunFindings* findings, RankPart* part, const FlopCurve* flops) {
  are_open_ = true;
  for (const StartedRange<Started>& range : joiner_.TakeOpen())
    AddJoined(range, std::max(range.begin, std::min(range.limit, run_->end_ns)));
  if (stages_) stages_->Finish(kMostStageKernels);
  own_times_.Finish();
  for (const auto& [key, number] : range_numbers_) {
    if (range_sums_[number].count == 0) continue;
    const RangeKey folded{key.source, key.domain, folder_.Folded(key.name), program_};
    findings->ranges[folded].Add(range_sums_[number]);
    if (stages_ && number < stages_->sums().size())
      findings->stages[folded].Add(WorkOf(key, number));
    if (number < own_times_.sums().size())
      findings->own_times[folded].Add(own_times_.sums()[number]);
  }
  for (const auto& [key, number] : kernel_numbers_) {
    if (kernel_sums_[number].count == 0) continue;
    const OpKey name{key.source, DemangledName(key.name)};
    findings->kernels[name].Add(kernel_sums_[number]);
    if (number < fills_.fills().size() && !fills_.fills()[number].empty())
      findings->fills[name].Add(fills_.fills()[number]);
  }
  for (const auto& [key, number] : graph_numbers_)
    findings->kernels[{key.source, folder_.Folded(key.name)}].Add(graph_sums_[number]);
  if (stages_) AddKernelsOfStages(findings);
  AddCalls(findings);
  for (const auto& [label, sums] : copies_) findings->copies[KeyOfCopy(label)].Add(sums);
  part->between_ranges_ns = std::max(part->between_ranges_ns, own_times_.BetweenNs());
  AddSteps(part, flops);
  for (const SteadySteps& steps : steady_steps_) AddPartsOf(steps, findings);
  TellSwapped(part);
  part->steps_left_out += steps_.left_out() + training_.left_out();
}

}  // namespace syncline
