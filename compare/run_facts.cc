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

  void CountSteps();
  void Add(const FactKey& key, const DurationSums& sums, uint64_t bytes = 0);
  void AddPart(const FactKey& key, const DurationSums& all, const StepPart& part);
  void AddAll(const std::map<FactKey, DurationSums>& all);
  StepPart InSteps(const StepParts& parts) const;

  const RunFindings& findings_;
  const Report& report_;
  const bool by_steps_;
  RunFacts facts_;
  std::map<std::string, const ReportSteps*> main_;
  std::set<std::string> kinds_;  // of steps: those of `main_`
  double all_steps_ = 1;         // of all ranks; of a run without steps: its ranks
  // Of all ranks and their processes, those that StepParts are of, and those of which it is known
  // what was submitted in them; 0: sums are of the whole run alone.
  double counted_ = 0, counted_ops_ = 0;
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
  CountSteps();
}

// Steps of two names that are of one rank lie within each other or side by side: those of one
// count.
void Facts::CountSteps() {
  const auto meets = [&](const std::string& name) {
    return std::any_of(findings_.ranks.begin(), findings_.ranks.end(), [&](const auto& rank) {
      bool own = false, other = false;
      for (const StepSeries& series : rank.second.steps) {
        own = own || series.name == name;
        other = other || kinds_.contains(series.name);
      }
      return own && other;
    });
  };
  for (const auto& [rank, series] : main_) {
    if (!kinds_.contains(series->name) && !meets(series->name)) kinds_.insert(series->name);
  }
  bool is_known = true, ops_known = true;
  for (const auto& [rank, part] : findings_.ranks) {
    for (const StepSeries& series : part.steps) {
      if (!kinds_.contains(series.name)) continue;
      counted_ += static_cast<double>(series.counted);
      counted_ops_ += static_cast<double>(series.ops.steps);
      is_known = is_known && series.counted != 0;
      const bool has_devices = series.shares.Sum() != 0;
      ops_known = ops_known && (!has_devices || series.ops.steps == series.counted);
    }
  }
  if (!is_known) counted_ = 0;
  if (!is_known || !ops_known) counted_ops_ = 0;
  facts_.parts_known = is_known && ops_known;
}

StepPart Facts::InSteps(const StepParts& parts) const {
  StepPart sum;
  for (const auto& [name, part] : parts) {
    if (kinds_.contains(name)) sum.Add(part);
  }
  return sum;
}

// Of the whole run. `key` was not there yet.
void Facts::Add(const FactKey& key, const DurationSums& sums, uint64_t bytes) {
  const double each = key.outside ? static_cast<double>(facts_.ranks) : all_steps_;
  Fact& fact = facts_.facts[key];
  fact.amount += static_cast<double>(sums.total_ns) / each;
  fact.count += static_cast<double>(sums.count) / each;
  fact.bytes += static_cast<double>(bytes) / each;
  fact.whole_count += static_cast<double>(sums.count) / static_cast<double>(facts_.ranks);
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

// `part` of `all`: in steps, or outside of them. How single ones spread is the same.
void Facts::AddPart(const FactKey& key, const DurationSums& all, const StepPart& part) {
  if (part.count == 0 || all.count == 0) return;  // the second is damage
  Add(key, all);
  Fact& fact = facts_.facts[key];
  const double each = key.outside ? static_cast<double>(facts_.ranks) : counted_;
  const double whole = key.outside ? static_cast<double>(facts_.ranks) : all_steps_;
  const auto count = static_cast<double>(part.count);
  fact.error *= std::sqrt(count / static_cast<double>(all.count)) * whole / each;
  fact.amount = static_cast<double>(part.total_ns) / each;
  fact.count = count / each;
  fact.bytes = static_cast<double>(part.bytes) / each;
}

StepPart RestOf(const DurationSums& all, const StepPart& part) {
  return {all.count - std::min(all.count, part.count),
          all.total_ns - std::min(all.total_ns, part.total_ns)};
}

void Facts::AddAll(const std::map<FactKey, DurationSums>& all) {
  for (const auto& [key, sums] : all) {
    const bool is_known = key.kind == FactKind::kKernel ? counted_ops_ > 0 : counted_ > 0;
    if (!is_known) {
      Add(key, sums);
      continue;
    }
    FactKey outside = key;
    outside.outside = true;
    const StepPart part = InSteps(sums.in_steps);
    AddPart(key, sums, part);
    AddPart(outside, sums, RestOf(sums, part));
  }
}

void Facts::Waits() {
  std::map<FactKey, DurationSums> waits;
  for (const auto& [key, sums] : findings_.waits) {
    const std::string in = key.where.empty() ? InnermostRange(key.ranges) : "";
    waits[{FactKind::kWait,
           Text(WaitClassName(key.wait_class), ": ", key.call, in.empty() ? "" : Text(" in ", in)),
           key.where}]
        .Add(sums.blocked);
  }
  AddAll(waits);
}

void Facts::HostWork() {
  std::map<FactKey, DurationSums> work;
  std::map<std::string, std::string> statements;
  for (const auto& [key, sums] : findings_.gaps) {
    if (key.cause != GapCause::kHostBusy && key.cause != GapCause::kHostFunction) continue;
    work[{FactKind::kHostWork, GapCauseName(key.cause), key.lines.next}].Add(sums);
    if (!key.lines.statement.empty()) statements[key.lines.next] = key.lines.statement;
  }
  AddAll(work);
  for (auto& [key, fact] : facts_.facts) {
    if (key.kind != FactKind::kHostWork) continue;
    if (const auto text = statements.find(key.where); text != statements.end())
      fact.statement = text->second;
  }
}

void Facts::Kernels() {
  std::map<FactKey, DurationSums> all;
  for (const auto& [key, sums] : findings_.kernels)
    all[{FactKind::kKernel, key.name, ""}].Add(sums);
  AddAll(all);
  for (const auto& [compiled, sums] : findings_.compiled) {
    if (compiled.kind != CompiledKind::kKernel) continue;
    for (const bool outside : {false, true}) {
      const auto fact = facts_.facts.find({FactKind::kKernel, compiled.name, "", outside});
      if (fact != facts_.facts.end()) fact->second.operators = compiled.operators;
    }
  }
  const KernelPatterns patterns;
  for (auto& [key, fact] : facts_.facts) {
    fact.communicates =
        key.kind == FactKind::kKernel && patterns.ClassOf(key.name) == KernelClass::kCommunication;
  }
}

void Facts::Copies() {
  std::map<std::string, CopySums> all;
  for (const auto& [key, sums] : findings_.copies) all[key.name].Add(sums);
  for (const auto& [name, sums] : all) {
    const FactKey key{FactKind::kCopy, name, ""}, outside{FactKind::kCopy, name, "", true};
    if (counted_ops_ == 0) {
      Add(key, sums.durations, sums.bytes);
      continue;
    }
    const StepPart part = InSteps(sums.durations.in_steps);
    StepPart rest = RestOf(sums.durations, part);
    rest.bytes = sums.bytes - std::min(sums.bytes, part.bytes);
    AddPart(key, sums.durations, part);
    AddPart(outside, sums.durations, rest);
  }
}

void Facts::Operators() {
  const auto add = [&](const FactKey& key, uint64_t count, uint64_t ns, double each) {
    if (count == 0) return;
    Fact& fact = facts_.facts[key];
    fact.amount += static_cast<double>(ns) / each;
    fact.count += static_cast<double>(count) / each;
  };
  std::map<std::string, OperatorSums> all;
  for (const auto& [key, sums] : findings_.operators) all[key.name].Add(sums);
  for (const auto& [name, sums] : all) {
    const FactKey key{FactKind::kOperator, name, ""}, outside{FactKind::kOperator, name, "", true};
    const bool on_device = sums.own.device_ns != 0;
    const uint64_t ns = on_device ? sums.own.device_ns : sums.own.host_ns;
    const StepPart part = InSteps(sums.in_steps);
    const uint64_t part_ns = on_device ? part.device_ns : part.total_ns;
    const auto ranks = static_cast<double>(facts_.ranks);
    if (counted_ == 0) {
      add(key, sums.count, ns, all_steps_);
    } else {
      add(key, part.count, part_ns, counted_);
      add(outside, sums.count - std::min(sums.count, part.count), ns - std::min(ns, part_ns),
          ranks);
    }
    for (const FactKey& told : {key, outside}) {
      if (const auto fact = facts_.facts.find(told); fact != facts_.facts.end())
        fact->second.whole_count = static_cast<double>(sums.count) / ranks;
    }
  }
}

void Facts::Stages() {
  std::map<FactKey, DurationSums> all;
  for (const auto& [key, sums] : findings_.ranges) {
    if (key.name != facts_.step_name) all[{FactKind::kStage, StageName(key), ""}].Add(sums);
  }
  AddAll(all);
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
