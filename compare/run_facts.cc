// SPDX-License-Identifier: Apache-2.0
// From sums over a run to what one step of one rank has of them.
#include "compare/run_facts.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "base/text.h"
#include "model/run/losses.h"
#include "report/host_loads.h"
#include "report/kernel_classes.h"
#include "report/report_endings.h"
#include "report/words.h"

namespace syncline {
namespace {

// Of a rank: the process and the range that have most steps.
std::map<std::string, const ReportSteps*> MainSteps(const Report& report) {
  std::map<std::string, const ReportSteps*> of_ranks;
  for (const ReportSteps& series : report.steps) {
    const ReportSteps*& most = of_ranks[series.rank];
    if (most == nullptr || series.steps.size() > most->steps.size()) most = &series;
  }
  return of_ranks;
}

std::vector<double> SteadyNs(const std::vector<Step>& steps) {
  const Step* const first = FirstSteadyStep(steps);
  std::vector<double> ns;
  for (const Step& step : steps) {
    if (first == nullptr || &step >= first) ns.push_back(static_cast<double>(step.duration_ns));
  }
  return ns;
}

// By how much more successive steps vary together than if each was on its own; 1: no more.
double TogetherOf(const std::vector<double>& series) {
  const Estimate alone = EstimateOf(series), parts = EstimateOfSeries(series);
  if (parts.freedom <= 0 || alone.error <= 0) return 1;
  return std::max(1.0, parts.error / alone.error);
}

// Of one thing: within the steps' ranges, and elsewhere.
struct InAndOut {
  DurationSums in, out;
};

class Facts {
 public:
  Facts(const RunFindings& findings, const Report& report, bool by_steps)
      : findings_(findings), report_(report), by_steps_(by_steps) {}

  RunFacts Take() {
    Steps();
    Waits();
    HostWork();
    Kernels();
    Copies();
    Operators();
    Stages();
    Times();
    Memory();
    LateRanks();
    Statements();
    Marks();
    facts_.findings = report_.findings;
    return std::move(facts_);
  }

 private:
  void Steps();
  void Waits();
  void HostWork();
  void Kernels();
  void Copies();
  void Operators();
  void Stages();
  void Times();
  void Memory();
  void LateRanks();
  void Statements();
  void Marks();

  double OfStep(uint64_t sum) const { return static_cast<double>(sum) / all_steps_; }
  bool IsInStep(const std::string& ranges) const;
  void Add(const FactKey& key, const DurationSums& sums, uint64_t bytes = 0);
  void AddBoth(const std::map<FactKey, InAndOut>& both);

  const RunFindings& findings_;
  const Report& report_;
  const bool by_steps_;
  RunFacts facts_;
  std::map<std::string, const ReportSteps*> main_;
  bool steps_are_ranges_ = false;
  double all_steps_ = 1;  // of all ranks; of a run without steps: its ranks
  double together_ = 1;
};

void Facts::Steps() {
  facts_.directory = report_.directory;
  facts_.name = RunName(report_);
  facts_.simulated = report_.simulated;
  facts_.length_ns = report_.length_ns;
  facts_.ranks = std::max<uint64_t>(WholeRanks(report_), 1);
  if (report_.working) facts_.busy = *report_.working;
  if (by_steps_) main_ = MainSteps(report_);
  all_steps_ = static_cast<double>(facts_.ranks);
  if (main_.empty()) return;
  double steps = 0, means = 0, medians = 0;
  for (const auto& [rank, series] : main_) {
    std::vector<double> ns = SteadyNs(series->steps);
    steps += static_cast<double>(series->steps.size());
    if (const auto part = findings_.ranks.find(rank); part != findings_.ranks.end())
      steps += static_cast<double>(part->second.steps_left_out);
    means += EstimateOf(ns).mean;
    medians += static_cast<double>(series->median_ns);
    if (!facts_.series_ns.empty()) continue;
    facts_.step_name = series->name;
    facts_.step = EstimateOfSeries(ns);
    facts_.first_steps = series->steps.size() - ns.size();
    for (size_t i = 0; i < facts_.first_steps; ++i)
      facts_.first_steps_ns += static_cast<double>(series->steps[i].duration_ns);
    facts_.series_ns = std::move(ns);
  }
  const auto ranks = static_cast<double>(main_.size());
  facts_.steps = steps / ranks;
  facts_.step_ns = means / ranks;
  facts_.step.mean = facts_.step_ns;
  facts_.median_step_ns = medians / ranks;
  all_steps_ = steps;
  together_ = TogetherOf(facts_.series_ns);
  steps_are_ranges_ =
      std::any_of(findings_.ranges.begin(), findings_.ranges.end(),
                  [&](const auto& range) { return range.first.name == facts_.step_name; });
}

bool Facts::IsInStep(const std::string& ranges) const {
  constexpr std::string_view kWithin = " > ";
  for (size_t at = 0; at < ranges.size();) {
    const size_t end = std::min(ranges.find(kWithin, at), ranges.size());
    if (ranges.compare(at, end - at, facts_.step_name) == 0) return true;
    at = end + kWithin.size();
  }
  return false;
}

// `key` was not there yet.
void Facts::Add(const FactKey& key, const DurationSums& sums, uint64_t bytes) {
  const double each = key.outside ? static_cast<double>(facts_.ranks) : all_steps_;
  Fact& fact = facts_.facts[key];
  fact.amount += static_cast<double>(sums.total_ns) / each;
  fact.count += static_cast<double>(sums.count) / each;
  fact.bytes += static_cast<double>(bytes) / each;
  if (sums.count < 2) return;
  const auto count = static_cast<double>(sums.count);
  const double mean = static_cast<double>(sums.total_ns) / count;
  double squares = 0;
  for (const Sketch::Bucket& bucket : sums.sketch.buckets()) {
    const double off = static_cast<double>(Sketch::MiddleOf(bucket.index)) - mean;
    squares += off * off * static_cast<double>(bucket.count);
  }
  fact.error = together_ * std::sqrt(squares / (count - 1) * count) / each;
  fact.freedom = facts_.step.freedom > 0 ? facts_.step.freedom : count - 1;
  constexpr double kLow = 0.25, kMiddle = 0.5, kHigh = 0.75;
  fact.low_ns = static_cast<double>(sums.Quantile(kLow));
  fact.middle_ns = static_cast<double>(sums.Quantile(kMiddle));
  fact.high_ns = static_cast<double>(sums.Quantile(kHigh));
}

// What is in no step's range, and yet as often as there are steps, is of the steps: another thread
// does it.
void Facts::AddBoth(const std::map<FactKey, InAndOut>& both) {
  for (const auto& [key, sums] : both) {
    if (!steps_are_ranges_ || (sums.in.count == 0 && OfStep(sums.out.count) >= 1)) {
      DurationSums all = sums.in;
      all.Add(sums.out);
      Add(key, all);
      continue;
    }
    FactKey outside = key;
    outside.outside = true;
    if (sums.in.count != 0) Add(key, sums.in);
    if (sums.out.count != 0) Add(outside, sums.out);
  }
}

void Facts::Waits() {
  std::map<FactKey, InAndOut> waits;
  for (const auto& [key, sums] : findings_.waits) {
    const std::string in = key.where.empty() ? InnermostRange(key.ranges) : "";
    InAndOut& both = waits[{
        FactKind::kWait,
        Text(WaitClassName(key.wait_class), ": ", key.call, in.empty() ? "" : Text(" in ", in)),
        key.where}];
    (IsInStep(key.ranges) ? both.in : both.out).Add(sums.blocked);
  }
  AddBoth(waits);
}

void Facts::HostWork() {
  std::map<FactKey, InAndOut> work;
  std::map<std::string, std::string> statements;
  for (const auto& [key, sums] : findings_.gaps) {
    if (key.cause != GapCause::kHostBusy && key.cause != GapCause::kHostFunction) continue;
    InAndOut& both = work[{FactKind::kHostWork, GapCauseName(key.cause), key.lines.next}];
    (IsInStep(key.ranges) ? both.in : both.out).Add(sums);
    if (!key.lines.statement.empty()) statements[key.lines.next] = key.lines.statement;
  }
  AddBoth(work);
  for (auto& [key, fact] : facts_.facts) {
    if (key.kind != FactKind::kHostWork) continue;
    if (const auto text = statements.find(key.where); text != statements.end())
      fact.statement = text->second;
  }
}

void Facts::Kernels() {
  std::map<std::string, LaunchSums> in_steps;
  for (const auto& [stage, kernels] : findings_.stage_kernels.ByName()) {
    if (!steps_are_ranges_ || stage.name != facts_.step_name) continue;
    for (const auto& [key, kernel] : kernels) in_steps[key.name].Add(kernel.all);
  }
  std::map<std::string, DurationSums> all;
  for (const auto& [key, sums] : findings_.kernels) all[key.name].Add(sums);
  const KernelPatterns patterns;
  for (const auto& [name, sums] : all) {
    const FactKey key = {FactKind::kKernel, name, ""},
                  outside = {FactKind::kKernel, name, "", true};
    const LaunchSums& in = in_steps[name];
    if (in.launches == 0 || in.launches >= sums.count) {
      Add(!steps_are_ranges_ || in.launches != 0 || OfStep(sums.count) >= 1 ? key : outside, sums);
      continue;
    }
    Add(key, sums);  // how they spread is the same
    Fact& fact = facts_.facts[key];
    fact.error *= static_cast<double>(in.launches) / static_cast<double>(sums.count);
    fact.amount = OfStep(in.device_ns);
    fact.count = OfStep(in.launches);
    Fact& rest = facts_.facts[outside];
    const auto ranks = static_cast<double>(facts_.ranks);
    rest.amount =
        static_cast<double>(sums.total_ns - std::min(sums.total_ns, in.device_ns)) / ranks;
    rest.count = static_cast<double>(sums.count - in.launches) / ranks;
  }
  for (auto& [key, fact] : facts_.facts) {
    fact.communicates =
        key.kind == FactKind::kKernel && patterns.ClassOf(key.name) == KernelClass::kCommunication;
  }
}

void Facts::Copies() {
  std::map<std::string, CopySums> all;
  for (const auto& [key, sums] : findings_.copies) all[key.name].Add(sums);
  for (const auto& [name, sums] : all) Add({FactKind::kCopy, name, ""}, sums.durations, sums.bytes);
}

void Facts::Operators() {
  for (const auto& [key, sums] : findings_.operators) {
    Fact& fact = facts_.facts[{FactKind::kOperator, key.name, ""}];
    fact.amount += OfStep(sums.own.device_ns == 0 ? sums.own.host_ns : sums.own.device_ns);
    fact.count += OfStep(sums.count);
  }
}

void Facts::Stages() {
  std::map<std::string, DurationSums> all;
  for (const auto& [key, sums] : findings_.ranges) {
    if (key.name != facts_.step_name) all[StageName(key)].Add(sums);
  }
  for (const auto& [name, sums] : all) Add({FactKind::kStage, name, ""}, sums);
}

// Shares of a device's time, of a step.
void Facts::Times() {
  TimeShares shares;
  for (const auto& [rank, series] : main_) shares.Add(series->shares);
  const uint64_t whole = shares.Sum();
  if (whole == 0) return;
  for (size_t i = 0; i < kTimeKinds; ++i) {
    const auto kind = static_cast<TimeKind>(i);
    if (shares[kind] == 0) continue;
    Fact& fact = facts_.facts[{FactKind::kIdle, TimeKindName(kind), ""}];
    fact.amount = shares.Share(kind) * facts_.step_ns;
    fact.error = facts_.step.error;  // a part varies no more than the whole
    fact.freedom = facts_.step.freedom;
  }
}

void Facts::Memory() {
  const auto keep = [&](const char* name, uint64_t bytes) {
    if (bytes == 0) return;
    Fact& fact = facts_.facts[{FactKind::kMemory, name, ""}];
    fact.amount = std::max(fact.amount, static_cast<double>(bytes));
  };
  for (const ReportAllocator& allocator : report_.allocators) {
    keep("allocated", allocator.use.peak.allocated);
    keep("reserved", allocator.use.held_peak);
  }
  for (const ReportDevice& device : report_.devices)
    keep("taken of the device", device.use.memory_peak_bytes);
}

void Facts::LateRanks() {
  for (const ReportRank& rank : report_.ranks) {
    if (rank.rank < 0 || rank.met == 0) continue;
    const auto series = main_.find(rank.name);
    const double steps =
        series == main_.end() ? 1 : static_cast<double>(series->second->steps.size());
    Fact& fact = facts_.facts[{FactKind::kLateRank, Text("rank ", rank.rank), ""}];
    fact.amount += static_cast<double>(rank.others_paid_ns) / steps;
    fact.count += static_cast<double>(rank.came_last) / steps;
  }
}

// What stands in the lines, where a price or the report's finding knows it.
void Facts::Statements() {
  std::map<std::string, std::string> texts;
  for (const auto& [key, sums] : findings_.waits) {
    if (!sums.statement.empty()) texts[key.where] = sums.statement;
  }
  for (const auto& [key, sums] : findings_.prices) {
    if (!key.statement.empty()) texts[key.where] = key.statement;
  }
  for (const ReportFinding& finding : report_.findings) {
    if (!finding.statement.empty()) texts[finding.line] = finding.statement;
  }
  for (auto& [key, fact] : facts_.facts) {
    if (!fact.statement.empty() || key.where.empty()) continue;
    if (const auto text = texts.find(key.where); text != texts.end()) fact.statement = text->second;
  }
}

void Facts::Marks() {
  for (const std::string& ending : EndingTexts(report_)) facts_.marks.push_back(ending);
  int world_size = 0;
  for (const auto& [name, part] : findings_.ranks) {
    world_size = std::max(world_size, part.world_size);
    if (part.calls == 0 && part.device_ops != 0)
      facts_.marks.push_back(Text("no calls were recorded of ", name, ": its waits are not known"));
  }
  if (facts_.ranks < static_cast<uint64_t>(std::max(world_size, 0)))
    facts_.marks.push_back(Text("only ", facts_.ranks, " of its ", world_size, " ranks are there"));
  if (const std::string load = LoadText(findings_); !load.empty())
    facts_.marks.push_back(Text(load, ": what its host did may have taken longer for that"));
  uint64_t lost = 0;
  for (const auto& [kind, count] : report_.losses) lost += kind == kNoEnd ? 0 : count;
  if (lost != 0)
    facts_.marks.push_back(Text(Counted(lost, "record"), " of it ", lost == 1 ? "was" : "were",
                                " lost: what is fewer or gone there may be so for that alone"));
  if (report_.lost_matters) facts_.marks.push_back(Text(LostText(report_.lost)));
  if (!report_.limits.empty()) facts_.marks.push_back(LimitsText(report_));
}

}  // namespace

const char* FactKindName(FactKind kind) {
  static constexpr const char* kNames[kFactKinds] = {"wait",         "host work", "kernel",
                                                     "copy",         "operator",  "stage",
                                                     "time of GPUs", "memory",    "late rank"};
  return kNames[static_cast<size_t>(kind)];
}

bool IsCountOfChance(const FactKey& key) {
  switch (key.kind) {
    case FactKind::kHostWork:
    case FactKind::kIdle:
    case FactKind::kMemory:
    case FactKind::kLateRank:
      return true;
    case FactKind::kWait:
      break;
    default:
      return false;
  }
  for (const WaitClass by_chance :
       {WaitClass::kQuerySpin, WaitClass::kQueueFull, WaitClass::kAllocation, WaitClass::kPeer,
        WaitClass::kFile, WaitClass::kModuleLoad}) {
    if (key.name.starts_with(Text(WaitClassName(by_chance), ": "))) return true;
  }
  return false;
}

bool HasSteps(const Report& report) { return !report.steps.empty(); }

RunFacts FactsOf(const RunFindings& findings, const Report& report, bool by_steps) {
  return Facts(findings, report, by_steps).Take();
}

}  // namespace syncline
