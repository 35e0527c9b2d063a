// SPDX-License-Identifier: Apache-2.0
// What is not known has a reason in place of a number, and is never 0.
#include "report/measures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <optional>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "model/run/losses.h"
#include "report/words.h"

namespace syncline {
namespace {

using Number = std::optional<double>;

constexpr char kNoSteps[] =
    "the run has no steps: name a range `step`, or say with --step-range which one is";
constexpr char kNoDevices[] = "no GPU work was recorded";

double AsDouble(uint64_t number) { return static_cast<double>(number); }

// The steps of each rank that count: of the kind with most of them.
struct MainSteps {
  std::vector<const ReportSteps*> of_ranks;
  // By name, of all kinds with enough steps: the sums of all processes.
  std::map<std::string, StepOps> kinds{};
  std::string uncounted{};  // why nothing is known of what happened in steps; empty: it is
  uint64_t count = 0;       // of all ranks
  uint64_t least = 0;       // of the rank with fewest
  TimeShares shares{};      // of all ranks
  uint64_t shared_of = 0;   // steps behind `shares`
  std::string unknown{};    // why nothing can be said of a step
};

bool IsBusy(TimeKind kind) { return kind <= TimeKind::kCopying; }

// Of the same steps as the shares.
uint64_t SteadySteps(const ReportSteps& series) {
  const Step* const first = FirstSteadyStep(series.steps);
  return first == nullptr ? series.steps.size()
                          : series.steps.size() - static_cast<size_t>(first - series.steps.data());
}

void AddKinds(const RunFindings& findings, MainSteps* main) {
  for (const auto& [name, part] : findings.ranks) {
    for (const StepSeries& series : part.steps) main->kinds[series.name].Add(series.ops);
  }
  uint64_t most = 0;
  for (const auto& [name, ops] : main->kinds) most = std::max(most, ops.steps);
  std::erase_if(main->kinds, [](const auto& kind) { return kind.second.steps < kLeastSteps; });
  main->uncounted = main->unknown;
  if (main->unknown.empty() && main->kinds.empty())
    main->uncounted = most == 0 ? "what was done in its steps was not recorded"
                                : Text("only ", Counted(most, "step"),
                                       " came after what the program does once: at least ",
                                       kLeastSteps, " are needed");
}

MainSteps MainStepsOf(const RunFindings& findings, const Report& report) {
  std::map<std::string_view, const ReportSteps*> most;
  for (const ReportSteps& series : report.steps) {
    const ReportSteps*& of_rank = most[series.rank];
    if (of_rank == nullptr || series.steps.size() > of_rank->steps.size()) of_rank = &series;
  }
  MainSteps main;
  for (const auto& [rank, series] : most) {
    main.of_ranks.push_back(series);
    main.count += series->steps.size();
    main.least = main.of_ranks.size() == 1 ? series->steps.size()
                                           : std::min<uint64_t>(main.least, series->steps.size());
    if (series->shares.Sum() == 0) continue;
    main.shares.Add(series->shares);
    main.shared_of += SteadySteps(*series);
  }
  if (most.empty())
    main.unknown = kNoSteps;
  else if (main.least < kLeastSteps)
    main.unknown = Text("the run has only ", Counted(main.least, "step"), ": at least ",
                        kLeastSteps, " are needed");
  AddKinds(findings, &main);
  return main;
}

// Why calls and ranges of the program's threads are not all known; empty: as good as all are.
std::string LostOnThreads(const Report& report) {
  uint64_t lost = 0;
  for (const auto& [name, count] : report.losses) {
    if (name == kNoEnd) return "the recording has no end";
    const LossFacts* const facts = FindLoss(name);
    const bool other =
        facts != nullptr && facts->of != LossOf::kThreads && facts->of != LossOf::kAnything;
    if (!other) lost += count;
  }
  LostRecords records;
  records.lost = lost;
  records.of = report.events + lost;
  return records.Matters() ? Text(CountText(lost), " of ", CountText(records.of),
                                  " records of the program's threads are lost")
                           : "";
}

class Measuring {
 public:
  Measuring(const RunFindings& findings, const Report& report)
      : findings_(findings), report_(report), steps_(MainStepsOf(findings, report)) {
    lost_ = report.lost_matters ? LostText(report.lost) : "";
    const std::string on_threads = LostOnThreads(report);
    if (steps_.unknown.empty()) steps_.unknown = on_threads;
    if (lost_.empty()) lost_ = on_threads;
  }

  std::vector<Measure> All() {
    for (const MeasureFacts& facts : AllMeasures()) {
      const std::string name = facts.name;
      if (name == "step" || name == "step_p95" || name == "step_max" || name == "steps" ||
          name == "outliers")
        OfSteps(facts);
      else if (name == "flops_per_step")
        Flops(facts);
      else if (name == "wall")
        Say(facts, AsDouble(report_.length_ns),
            report_.length_ns == 0 ? "nothing was recorded" : "");
      else if (name == "waits_per_step" || name == "wait_time_per_step")
        OfWaits(facts, name == "wait_time_per_step");
      else if (name == "gpu_busy" || name == "computing" || name == "communicating" ||
               name == "copying")
        GpuBusy(facts);
      else if (name == "idle")
        Idle(facts);
      else if (name == "kernels_per_step" || name == "copies_per_step" ||
               name.starts_with("bytes_"))
        Submitted(facts);
      else if (name == "peak_memory" || name == "reserved_memory")
        Memory(facts, name == "reserved_memory");
      else if (name == "late_rank_cost")
        LateRank(facts);
      else if (name == "lost_records")
        LostRecordsOf(facts);
      else
        OfStages(facts);
    }
    return std::move(measures_);
  }

 private:
  void Say(const MeasureFacts& facts, double value, std::string unknown = "") {
    measures_.push_back(
        {&facts, MeasureOf::kRun, "", unknown.empty() ? value : 0, std::move(unknown), ""});
  }
  void SayRows(const MeasureFacts& facts, MeasureOf of, const std::map<std::string, double>& rows) {
    std::vector<std::pair<std::string, double>> largest(rows.begin(), rows.end());
    StableSort(&largest, [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [where, value] : largest)
      measures_.push_back({&facts, of, where, value, "", ""});
  }

  // Why nothing is known of what devices did in a step; empty: it is.
  std::string NoDeviceSteps() const {
    if (!steps_.unknown.empty()) return steps_.unknown;
    if (report_.devices.empty()) return kNoDevices;
    return lost_;
  }

  // Why nothing is known of what was submitted, or waited for, in a step; empty: it is.
  std::string NoOps() const {
    std::string unknown = NoDeviceSteps();
    return unknown.empty() ? steps_.uncounted : unknown;
  }

  // Of the kind and rank that take longest.
  void OfSteps(const MeasureFacts& facts) {
    const std::string name = facts.name;
    if (name == "steps")
      return Say(facts, AsDouble(steps_.least),
                 steps_.of_ranks.empty() ? steps_.unknown : std::string());
    uint64_t most = 0;
    for (const ReportSteps& series : report_.steps) {
      if (series.steps.size() < kLeastSteps) continue;
      std::vector<uint64_t> lengths;
      for (const Step& step : series.steps) lengths.push_back(step.duration_ns);
      std::sort(lengths.begin(), lengths.end());
      const size_t last = lengths.size() - 1;
      const uint64_t value = name == "outliers"   ? series.outliers.size()
                             : name == "step_max" ? lengths[last]
                             : name == "step_p95" ? lengths[last - last / 20]
                                                  : series.median_ns;
      most = std::max(most, value);
    }
    Say(facts, AsDouble(most), steps_.unknown);
  }

  // Of the mean steady step of the kind that has most of it.
  double MostOfStep(uint64_t StepOps::*sum) const {
    double most = 0;
    for (const auto& [name, ops] : steps_.kinds)
      most = std::max(most, AsDouble(ops.*sum) / AsDouble(ops.steps));
    return most;
  }

  // The same of waits: in all, by line and by stage.
  struct WaitRates {
    double all = 0;
    std::map<std::string, double> lines, stages;
  };
  WaitRates RatesIn(const std::string& kind, const StepOps& ops, bool time) const {
    WaitRates rates;
    for (const auto& [key, sums] : findings_.waits) {
      const StepParts& parts = sums.blocked.in_steps;
      const auto in_steps = parts.find(kind);
      if (!CountsAsWait(key.wait_class) || in_steps == parts.end()) continue;
      const StepPart& waits = in_steps->second;
      const double rate = AsDouble(time ? waits.total_ns : waits.count) / AsDouble(ops.steps);
      rates.all += rate;
      rates.lines[key.where.empty() ? kUnknownLine : key.where] += rate;
      for (const std::string& stage : StagesIn(key.ranges)) rates.stages[stage] += rate;
    }
    return rates;
  }

  static void TakeMost(const std::map<std::string, double>& more,
                       std::map<std::string, double>* most) {
    for (const auto& [where, rate] : more) {
      double& known = (*most)[where];
      known = std::max(known, rate);
    }
  }

  void OfWaits(const MeasureFacts& facts, bool time) {
    WaitRates most;
    for (const auto& [name, ops] : steps_.kinds) {
      const WaitRates rates = RatesIn(name, ops, time);
      most.all = std::max(most.all, rates.all);
      TakeMost(rates.lines, &most.lines);
      TakeMost(rates.stages, &most.stages);
    }
    const std::string unknown = NoOps();
    Say(facts, most.all, unknown);
    if (!unknown.empty()) return;
    const size_t first = measures_.size();
    SayRows(facts, MeasureOf::kLine, most.lines);
    for (size_t i = first; i < measures_.size(); ++i)
      measures_[i].statement = StatementAt(measures_[i].where);
    SayRows(facts, MeasureOf::kStage, most.stages);
  }

  const std::string& StatementAt(const std::string& where) {
    if (statements_.empty()) {
      for (const auto& [key, sums] : findings_.waits)
        if (!sums.statement.empty()) statements_[key.where] = sums.statement;
    }
    return statements_[where];
  }

  // "step # > log": each once.
  static std::vector<std::string> StagesIn(std::string_view ranges) {
    constexpr std::string_view kWithin = " > ";
    std::vector<std::string> stages;
    while (!ranges.empty()) {
      const size_t end = ranges.find(kWithin);
      std::string stage(ranges.substr(0, end));
      if (std::find(stages.begin(), stages.end(), stage) == stages.end())
        stages.push_back(std::move(stage));
      if (end == std::string_view::npos) break;
      ranges.remove_prefix(end + kWithin.size());
    }
    return stages;
  }

  // Why the shares of the steps' time are not known; empty: they are.
  std::string NoShares() const {
    std::string unknown = NoDeviceSteps();
    if (!unknown.empty() || steps_.shares.Sum() != 0) return unknown;
    return "no rank with steps used a GPU";
  }

  void GpuBusy(const MeasureFacts& facts) {
    const std::string_view name = facts.name;
    double busy = 0;
    for (size_t i = 0; i < kTimeKinds; ++i) {
      const auto kind = static_cast<TimeKind>(i);
      const bool counts = name == "gpu_busy" ? IsBusy(kind) : name == TimeNameOf(kind);
      if (counts) busy += AsDouble(steps_.shares.ns[i]);
    }
    Say(facts, busy / std::max(1.0, AsDouble(steps_.shares.Sum())), NoShares());
  }

  // Of the kinds in which devices do anything: the measure.
  static std::string_view TimeNameOf(TimeKind kind) {
    return kind == TimeKind::kComputing       ? "computing"
           : kind == TimeKind::kCommunicating ? "communicating"
           : kind == TimeKind::kCopying       ? "copying"
                                              : "";
  }

  void Flops(const MeasureFacts& facts) {
    double most = 0;
    for (const ReportSteps& series : report_.steps) {
      const double on_devices = SumOf(series.work.flops);
      const double flops = on_devices == 0 ? series.work.all_flops : on_devices;
      if (series.work.steps >= kLeastSteps)
        most = std::max(most, flops / AsDouble(series.work.steps));
    }
    std::string unknown = steps_.unknown;
    if (unknown.empty() && most == 0)
      unknown = "the sizes of no operator's inputs were recorded: record with --torch shapes";
    Say(facts, most, std::move(unknown));
  }

  void Idle(const MeasureFacts& facts) {
    std::string unknown = NoShares();
    const double of = std::max(1.0, AsDouble(steps_.shared_of));
    double all = 0;
    std::map<std::string, double> causes;
    for (size_t i = 0; i < kTimeKinds; ++i) {
      const auto kind = static_cast<TimeKind>(i);
      if (IsBusy(kind)) continue;
      causes[TimeKindName(kind)] = AsDouble(steps_.shares.ns[i]) / of;
      all += AsDouble(steps_.shares.ns[i]) / of;
    }
    const bool known = unknown.empty();
    Say(facts, all, std::move(unknown));
    if (known) SayRows(facts, MeasureOf::kCause, causes);
  }

  void Submitted(const MeasureFacts& facts) {
    const std::string name = facts.name;
    Say(facts,
        MostOfStep(name == "kernels_per_step"           ? &StepOps::kernels
                   : name == "copies_per_step"          ? &StepOps::copies
                   : name == "bytes_from_host_per_step" ? &StepOps::from_host_bytes
                                                        : &StepOps::to_host_bytes),
        NoOps());
  }

  void Memory(const MeasureFacts& facts, bool held) {
    uint64_t most = 0;
    for (const ReportAllocator& allocator : report_.allocators)
      most = std::max(most, held ? allocator.use.held_peak : allocator.use.peak.allocated);
    if (most == 0 && !held) {
      for (const ReportDevice& device : report_.devices)
        most = std::max(most, device.use.memory_peak_bytes);
    }
    Say(facts, AsDouble(most),
        most != 0 ? ""
        : held    ? "no framework's allocator told of its blocks"
                  : "nothing was recorded that took memory of a GPU");
  }

  void LateRank(const MeasureFacts& facts) {
    uint64_t most = 0, met = 0, ranks = 0;
    for (const ReportRank& rank : report_.ranks) {
      if (rank.rank < 0) continue;
      ++ranks;
      met = std::max(met, rank.met);
      most = std::max(most, rank.others_paid_ns);
    }
    const uint64_t of = steps_.of_ranks.empty() ? 1 : steps_.count / steps_.of_ranks.size();
    std::string unknown = steps_.unknown;
    if (ranks < 2)
      unknown = "the run has one rank";
    else if (met == 0)
      unknown = "no collectives of several ranks could be put together";
    Say(facts,
        AsDouble(most) /
            AsDouble(std::max<uint64_t>(of, 1) * std::max<uint64_t>(ranks - (ranks > 1), 1)),
        std::move(unknown));
  }

  void LostRecordsOf(const MeasureFacts& facts) {
    uint64_t lost = 0;
    for (const auto& [name, count] : report_.losses) lost += count;
    Say(facts, AsDouble(lost));
  }

  void OfStages(const MeasureFacts& facts) {
    Say(facts, 0, Text("it is of a stage: `", facts.name, " in 'NAME'`"));
    std::map<std::string, double> rows;
    for (const ReportStage& stage : report_.stages) {
      const Number value = OfStage(facts.name, stage);
      if (value) rows.try_emplace(stage.key.name, *value);  // of several programs the costliest
    }
    SayRows(facts, MeasureOf::kStage, rows);
  }

  // None: it is not known.
  Number OfStage(std::string_view name, const ReportStage& stage) const {
    const DurationSums& sums = stage.sums;
    const StageWork& work = stage.work;
    if (sums.count == 0) return std::nullopt;
    if (name == "stage_time") return AsDouble(sums.Quantile(0.5));
    if (name == "stage_p95") return AsDouble(sums.Quantile(0.95));
    if (name == "stage_p99") return AsDouble(sums.Quantile(0.99));
    if (name == "stage_max") return AsDouble(sums.max_ns);
    if (name == "stage_total") return AsDouble(sums.total_ns);
    if (name == "stage_count") return AsDouble(sums.count);
    if (!lost_.empty() || report_.devices.empty()) return std::nullopt;
    if (name == "stage_blocked") return AsDouble(work.blocked_ns) / AsDouble(sums.count);
    if (name == "stage_launches") return AsDouble(work.launched) / AsDouble(sums.count);
    if (name == "stage_busy")
      return work.busy_of_ns == 0 ? Number() : AsDouble(work.busy_ns) / AsDouble(work.busy_of_ns);
    const uint64_t peak = work.allocated_peak != 0 ? work.allocated_peak : work.memory_peak;
    return peak == 0 ? Number() : AsDouble(peak);
  }

  const RunFindings& findings_;
  const Report& report_;
  MainSteps steps_;
  std::string lost_;
  std::map<std::string, std::string> statements_;  // by line
  std::vector<Measure> measures_;
};

}  // namespace

const std::vector<MeasureFacts>& AllMeasures() {
  static const std::vector<MeasureFacts> all = {
#define MEASURE(name, unit, per_step, better, of_device, lines, stages, causes, help) \
  {#name, MeasureUnit::unit, per_step, Better::better, of_device, lines, stages, causes, help},
#include "report/measures.def"
  };
  return all;
}

const MeasureFacts* FindMeasure(std::string_view name) {
  for (const MeasureFacts& facts : AllMeasures()) {
    if (name == facts.name) return &facts;
  }
  return nullptr;
}

bool CountsAsWait(WaitClass wait_class) {
  return !IsOutside(wait_class) && wait_class != WaitClass::kModuleLoad &&
         wait_class != WaitClass::kQueueFull;
}

std::vector<std::string> IdleCauses() {
  std::vector<std::string> causes;
  for (size_t i = 0; i < kTimeKinds; ++i) {
    const auto kind = static_cast<TimeKind>(i);
    if (!IsBusy(kind)) causes.emplace_back(TimeKindName(kind));
  }
  return causes;
}

std::vector<Measure> MeasuresOf(const RunFindings& findings, const Report& report) {
  return Measuring(findings, report).All();
}

std::string MeasureText(const MeasureFacts& facts, double value) {
  if (facts.unit == MeasureUnit::kTime)
    return DurationText(static_cast<uint64_t>(std::llround(value)));
  if (facts.unit == MeasureUnit::kBytes)
    return SizeText(static_cast<uint64_t>(std::llround(value)));
  if (facts.unit == MeasureUnit::kShare) return ShareText(value);
  char text[64];
  std::snprintf(text, sizeof text, "%.3f", value);
  std::string number = text;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.ends_with('.')) number.pop_back();
  return number;
}

}  // namespace syncline
