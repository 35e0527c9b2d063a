// SPDX-License-Identifier: Apache-2.0
// The steps of each rank, and what the time of its devices goes by with in them.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/stable_sort.h"
#include "base/text.h"
#include "model/findings/step_label.h"
#include "report/reached_rates.h"
#include "report/section_rows.h"
#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kFewSteps = 3, kFewShares = 3, kFewOutliers = 2;
constexpr double kLeastToldShare = 0.01;

constexpr Column kSteps[] = {
    {"", "steps", ValueKind::kCode, kShort},
    {"rank", "rank", ValueKind::kText, kNotShort},
    {"name", "steps", ValueKind::kCode, kNotShort},
    {"median_ms", "median", ValueKind::kDuration, kEverywhere},
    {"count", "count", ValueKind::kCount, kEverywhere},
    {"", "longest", ValueKind::kDuration, kShort | kPage},
    {"", "which", ValueKind::kPlain, kShort | kPage, "The number of the longest step"},
    {"", "outliers", ValueKind::kCount, kShort | kPage, "Longer than twice the median"},
    {"flops", "FLOP", ValueKind::kFlops, kEverywhere,
     "Of a step: matrix products, convolutions and attention"},
    {"tflops_per_s", "FLOP/s", ValueKind::kFlopRate, kEverywhere, "In the time of the steps"},
    {"mfu_percent", "MFU", ValueKind::kPeakShare, kEverywhere,
     "Of what the datasheets of the process's GPUs promise in that time"},
    {"allocated_peak_bytes", "allocated", ValueKind::kBytes, kEverywhere,
     "By frameworks' allocators: the peak of all steps"},
    {"reserved_peak_bytes", "reserved", ValueKind::kBytes, kNotShort,
     "By frameworks' allocators: the peak of all steps"},
    {"allocated_peak_in", "", ValueKind::kPlain, kFile},
    {"", "total", ValueKind::kDuration, kPage},
    {"pid", "", ValueKind::kPlain, kFile}};

// Of a mean step from the first steady one on: on devices, where these computed any.
struct StepRates {
  Value flops = Nothing{}, rate = Nothing{}, mfu = Nothing{};
};

StepRates RatesOf(const Report& report, const ReportSteps& series) {
  const StepWork& work = series.work;
  const double on_devices = SumOf(work.flops);
  const double flops = on_devices == 0 ? work.all_flops : on_devices;
  if (work.steps == 0 || flops == 0) return {};
  size_t devices = 0;
  const DevicePeaks* const peaks = PeaksOf(report, series.rank, series.pid, &devices);
  const bool lost = report.lost_matters;
  return {flops / static_cast<double>(work.steps), IfNoneLost(lost, RateOf(flops, work.total_ns)),
          IfNoneLost(lost, ShareOfPeak(peaks, work.flops, work.total_ns * devices))};
}

std::vector<Value> CellsOf(const Report& report, const ReportSteps& series) {
  const StepRates rates = RatesOf(report, series);
  uint64_t total = 0;
  Step longest{};
  for (const Step& step : series.steps) {
    total += step.duration_ns;
    if (step.duration_ns > longest.duration_ns) longest = step;
  }
  return {Text(series.rank, series.process, ", ", series.name),
          series.rank,
          series.name,
          series.median_ns,
          uint64_t{series.steps.size()},
          longest.duration_ns,
          longest.number,
          uint64_t{series.outliers.size()},
          rates.flops,
          rates.rate,
          rates.mfu,
          series.allocated_peak,
          series.held_peak,
          series.allocated_peak_in,
          total,
          int64_t{series.pid}};
}

constexpr Column kShares[] = {
    {"", "time of GPUs in", ValueKind::kCode, kShort | kPage},
    {"rank", "", ValueKind::kText, kFile},
    {"name", "", ValueKind::kCode, kFile},
    {"number", "", ValueKind::kPlain, kFile},
    {"computing_percent", "compute", ValueKind::kShare, kEverywhere},
    {"communicating_percent", "comm.", ValueKind::kShare, kEverywhere, "While nothing computed"},
    {"copying_percent", "copies", ValueKind::kShare, kEverywhere, "While nothing else ran"},
    {"length_ms", "length", ValueKind::kDuration, kEverywhere, "Of a single step"},
    {"making_data_percent", "data", ValueKind::kShare, kNotShort,
     "Idle: the host made what it copied next"},
    {"host_busy_percent", "host", ValueKind::kShare, kNotShort,
     "Idle: the host did something else"},
    {"awaiting_others_percent", "others", ValueKind::kShare, kNotShort,
     "Idle: the host awaited another thread, process or client"},
    {"waiting_percent", "waits", ValueKind::kShare, kNotShort, "Idle: the host waited"},
    {"launching_percent", "launch", ValueKind::kShare, kNotShort,
     "Idle: work was submitted and had not begun"},
    {"other_gpu_percent", "other GPU", ValueKind::kShare, kNotShort,
     "Idle: the next work waited for another device"},
    {"host_function_percent", "function", ValueKind::kShare, kNotShort,
     "Idle: a function of the host ran in the stream of the next work"},
    {"loading_code_percent", "loading", ValueKind::kShare, kNotShort,
     "Idle: code was loaded that is used for the first time"},
    {"other_percent", "other", ValueKind::kShare, kNotShort,
     "Idle: nothing followed, or too short to be looked at"},
    {"longer_by", "", ValueKind::kText, kFile},
    {"is", "", ValueKind::kText, kFile},
    {"pid", "", ValueKind::kPlain, kFile},
    {"begin_ns", "", ValueKind::kPlain, kFile},
    {"view", "", ValueKind::kCode, kFile}};

constexpr Column kOutliers[] = {
    {"", "outlier", ValueKind::kCode, kShort | kPage},
    {"length_ms", "took", ValueKind::kDuration, kEverywhere},
    {"median_ms", "median", ValueKind::kDuration, kEverywhere},
    {"longer_by", "longer by", ValueKind::kText, kNotShort, "What it has more of than the others"},
    {"longer_by_ms", "by", ValueKind::kDuration, kNotShort, "How much more"},
    {"view", "open it: syncline view DIR", ValueKind::kCode, kNotShort}};

// All steps of a rank, or one of them; or all that its devices did, if it has no steps.
struct SharedTime {
  const std::string* rank = nullptr;
  const TimeShares* shares = nullptr;
  const ReportSteps* of = nullptr;  // null: it has none
  const Step* step = nullptr;       // null: all
};

// Null: it is none of the longest.
const LongStep* LongestOf(const ReportSteps& steps, const Step& step) {
  const auto found =
      std::find_if(steps.longest.begin(), steps.longest.end(),
                   [&](const LongStep& longest) { return longest.begin_ns == step.begin_ns; });
  return found == steps.longest.end() ? nullptr : &*found;
}

// "host busy 73 %, making data 4.4 %": a hundredth and more.
std::string IdleText(const TimeShares& shares) {
  std::vector<std::pair<double, TimeKind>> whys;
  for (size_t i = static_cast<size_t>(TimeKind::kWaiting); i < kTimeKinds; ++i) {
    const auto kind = static_cast<TimeKind>(i);
    if (shares.Share(kind) >= kLeastToldShare) whys.emplace_back(shares.Share(kind), kind);
  }
  std::sort(whys.rbegin(), whys.rend());
  std::string text;
  for (const auto& [share, kind] : whys)
    text += Text(text.empty() ? "" : ", ", TimeKindName(kind), " ", ShareText(share));
  return text;
}

std::vector<Value> CellsOf(const Report& report, const SharedTime& time) {
  const auto share = [&](TimeKind kind) {
    return report.lost_matters ? Value(Unknown{})
                               : ShareOf((*time.shares)[kind], time.shares->Sum());
  };
  const Step* const step = time.step;
  const std::string name = time.of == nullptr ? "" : time.of->name;
  return {Text(*time.rank, time.of == nullptr ? "" : time.of->process, ", ",
               time.of == nullptr ? "first to last work"
               : step == nullptr  ? name
                                  : NameOfStep(*time.of, *step)),
          *time.rank,
          name,
          step == nullptr ? Value(Nothing{}) : step->number,
          share(TimeKind::kComputing),
          share(TimeKind::kCommunicating),
          share(TimeKind::kCopying),
          step == nullptr ? Value(Nothing{}) : step->duration_ns,
          share(TimeKind::kMakingData),
          share(TimeKind::kHostBusy),
          share(TimeKind::kAwaitingOthers),
          share(TimeKind::kWaiting),
          share(TimeKind::kLaunching),
          share(TimeKind::kOtherDevice),
          share(TimeKind::kHostFunction),
          share(TimeKind::kLoadingCode),
          share(TimeKind::kOther),
          step == nullptr ? std::string() : LongerBy(report, *time.of, *step).words,
          time.of == nullptr ? "all work"
          : step == nullptr  ? "steps"
                             : "step",
          time.of == nullptr ? Value(Nothing{}) : int64_t{time.of->pid},
          step == nullptr ? Value(Nothing{}) : step->begin_ns,
          step == nullptr ? std::string() : ViewText(report, *time.rank, step->begin_ns)};
}

// Of steps that take longer than twice the median.
struct Outlier {
  const ReportSteps* of;
  const Step* step;
};

std::vector<Outlier> OutliersOf(const Report& report) {
  std::vector<Outlier> outliers;
  for (const ReportSteps& series : report.steps) {
    for (const size_t at : series.outliers) outliers.push_back({&series, &series.steps[at]});
  }
  StableSort(&outliers, [](const Outlier& a, const Outlier& b) {
    return a.step->duration_ns - a.of->median_ns > b.step->duration_ns - b.of->median_ns;
  });
  return outliers;
}

std::vector<Value> CellsOf(const Report& report, const Outlier& outlier) {
  const LongerStep longer = LongerBy(report, *outlier.of, *outlier.step);
  return {Text(outlier.of->rank, outlier.of->process, ", ", NameOfStep(*outlier.of, *outlier.step)),
          outlier.step->duration_ns,
          outlier.of->median_ns,
          longer.words,
          longer.ns == 0 ? Value(Nothing{}) : longer.ns,
          ViewText(report, outlier.of->rank, outlier.step->begin_ns)};
}

// What a row has no room for: "step 7: 23.0 ms more making data at train.py:8 main(); open it with
// syncline view DIR --rank 0 --at 1.2s".
std::string NoteOf(const Report& report, const Outlier& outlier) {
  const LongerStep longer = LongerBy(report, *outlier.of, *outlier.step);
  const std::string view = ViewText(report, outlier.of->rank, outlier.step->begin_ns);
  if (longer.words.empty() && view.empty()) return "";
  return Text(NameOfStep(*outlier.of, *outlier.step),
              longer.words.empty()
                  ? ""
                  : Text(": ", DurationText(longer.ns), " more ", PrintableText(longer.words)),
              view.empty() ? "" : Text("; open it with `syncline view DIR ", view, "`"));
}

// "rank-0 is idle: host busy 73 %, making data 4.4 %", of the one that is most.
std::string IdlestText(const std::vector<SharedTime>& times) {
  const SharedTime* idlest = nullptr;
  double least = 1;
  for (const SharedTime& time : times) {
    const double works = time.shares->Share(TimeKind::kComputing) +
                         time.shares->Share(TimeKind::kCommunicating) +
                         time.shares->Share(TimeKind::kCopying);
    if (time.step != nullptr || works >= least) continue;
    least = works;
    idlest = &time;
  }
  const std::string why = idlest == nullptr ? "" : IdleText(*idlest->shares);
  return why.empty() ? "" : Text(*idlest->rank, " is idle: ", why);
}

std::vector<SharedTime> SharedTimes(const Report& report) {
  std::vector<SharedTime> times;
  std::set<std::string_view> with_steps;
  for (const ReportSteps& steps : report.steps) {
    if (steps.shares.Sum() == 0) continue;
    with_steps.insert(steps.rank);
    times.push_back({&steps.rank, &steps.shares, &steps, nullptr});
    for (const LongStep& longest : steps.longest) {
      const Step* const step = LongStepAt(steps.steps, longest.begin_ns);
      if (step != nullptr) times.push_back({&steps.rank, &longest.shares, &steps, step});
    }
  }
  for (const ReportRank& rank : report.ranks) {
    if (rank.shares.Sum() != 0 && !with_steps.contains(rank.name))
      times.push_back({&rank.name, &rank.shares, nullptr, nullptr});
  }
  return times;
}

}  // namespace

namespace {

// Where a process has no devices: "waiting in read at a.py:8 f() in `load`".
std::string HostWords(const LongStep& longest) {
  std::string words;
  if (!longest.what.empty()) words = Text("waiting in ", longest.what);
  if (!longest.where.empty()) words += Text(words.empty() ? "at " : " at ", longest.where);
  if (!longest.range.empty()) words += Text(words.empty() ? "in `" : " in `", longest.range, "`");
  return words.empty() ? "in no recorded call" : words;
}

}  // namespace

std::string NameOfStep(const ReportSteps& steps, const Step& step) {
  const LongStep* const longest = LongestOf(steps, step);
  return longest != nullptr && !longest->name.empty() ? longest->name
                                                      : LabelOfStep(steps.name, step.number);
}

namespace {

// Where that is most of what the step took longer than others; no words: it is not.
LongerStep LongerByCompiling(const Report& report, const ReportSteps& steps, const Step& step) {
  const uint64_t more_ns = step.duration_ns - std::min(step.duration_ns, steps.median_ns);
  for (const ReportCompileStep& row : report.compile_steps) {
    const CompileStep& compiled = row.step;
    if (row.rank != steps.rank || compiled.pid != steps.pid || compiled.begin_ns != step.begin_ns ||
        compiled.duration_ns != step.duration_ns || compiled.compile_ns <= more_ns / 2)
      continue;
    return {Text("compiling ", compiled.what), std::min(compiled.compile_ns, more_ns)};
  }
  return {};
}

}  // namespace

LongerStep LongerBy(const Report& report, const ReportSteps& steps, const Step& step) {
  if (LongerStep compiling = LongerByCompiling(report, steps, step); !compiling.words.empty())
    return compiling;
  const LongStep* const longest = LongestOf(steps, step);
  if (longest != nullptr && longest->more_ns != 0) return {HostWords(*longest), longest->more_ns};
  const std::optional<MoreTime> more =
      longest == nullptr || report.lost_matters
          ? std::nullopt
          : syncline::LongerBy(longest->shares, step.duration_ns, steps.shares, steps.median_ns);
  if (!more) return {};
  std::string words = TimeKindName(more->kind);
  const bool is_kernel =
      more->kind == TimeKind::kComputing || more->kind == TimeKind::kCommunicating;
  if (!longest->what.empty())
    words += is_kernel ? Text(": ", KernelName(longest->what)) : Text(" in ", longest->what);
  if (!longest->where.empty()) words += Text(" at ", longest->where);
  // Devices are added up.
  const double of_step = static_cast<double>(more->ns) / static_cast<double>(longest->shares.Sum());
  return {words, static_cast<uint64_t>(of_step * static_cast<double>(step.duration_ns))};
}

Section OutliersSection(const Report& report, const RowChoice& choice) {
  Section section{"outliers", "Outliers", kOutliers, {}};
  const std::vector<Outlier> outliers = OutliersOf(report);
  for (size_t i = 0; i < std::min(outliers.size(), kFewOutliers); ++i) {
    const std::string note = NoteOf(report, outliers[i]);
    section.note += Text(section.note.empty() || note.empty() ? "" : ". ", note);
  }
  FillRows(
      outliers, Wished(report, choice), kFewOutliers,
      [](const Outlier& outlier) { return outlier.step->duration_ns - outlier.of->median_ns; },
      [&](const Outlier& outlier) { return CellsOf(report, outlier); }, &section);
  return section;
}

namespace {

// "a step of rank-0 computes 12.3 TFLOP, 41 % of its GPU's peak (MFU)", of the longest steps that
// compute.
std::string WorkText(const Report& report) {
  const ReportSteps* longest = nullptr;
  for (const ReportSteps& series : report.steps) {
    if (series.work.all_flops == 0) continue;
    if (longest == nullptr || series.work.total_ns > longest->work.total_ns) longest = &series;
  }
  if (longest == nullptr) return "";
  const StepRates rates = RatesOf(report, *longest);
  if (!std::holds_alternative<double>(rates.flops)) return "";
  const bool on_devices = SumOf(longest->work.flops) != 0;
  const std::string share =
      std::holds_alternative<double>(rates.mfu)
          ? Text(", ", ShareText(std::get<double>(rates.mfu)), " of its GPU's peak (MFU)")
          : "";
  return Text("a step of ", longest->rank, " computes ", ValueText(rates.flops, ValueKind::kFlops),
              on_devices ? " on its GPU" : "", share);
}

}  // namespace

Section StepsSection(const Report& report, const RowChoice& choice) {
  Section section{"steps", "Steps", kSteps, {}};
  FillRows(
      report.steps, Wished(report, choice), kFewSteps,
      [](const ReportSteps& series) { return series.median_ns; },
      [&](const ReportSteps& series) { return CellsOf(report, series); }, &section);
  section.note = WorkText(report);
  return section;
}

Section StepSharesSection(const Report& report, const RowChoice& choice) {
  Section section{"step_shares", "Time of GPUs", kShares, {}};
  const std::vector<SharedTime> times = SharedTimes(report);
  FillRows(
      times, Wished(report, choice), kFewShares,
      [](const SharedTime& time) {
        const TimeShares& shares = *time.shares;
        return std::pair(time.step == nullptr, shares.Sum() - shares[TimeKind::kComputing]);
      },
      [&](const SharedTime& time) { return CellsOf(report, time); }, &section);
  section.note = report.lost_matters ? "" : IdlestText(times);
  return section;
}

}  // namespace syncline
