// SPDX-License-Identifier: Apache-2.0
// What is told takes a quarter or more of the time by which the step is longer.
#include "analysis/sums/long_steps.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "analysis/sums/device_use.h"
#include "analysis/sums/main_ways.h"
#include "base/stable_sort.h"
#include "model/devices/operation_name.h"
#include "symbols/demangle.h"

namespace syncline {
namespace {

constexpr uint64_t kLeastPart = 4;  // of the time by which a step is longer

struct Cause {
  TimeKind kind = TimeKind::kOther;
  std::string where;
  std::string what;
  auto operator<=>(const Cause&) const = default;  // NOLINT(modernize-use-nullptr)
};
using Costs = std::map<Cause, uint64_t>;

// One of the longest.
struct Long {
  LongStep* told;
  MoreTime more;
  const TimedStep* timed;
  const OtherLoops* others;
  Costs costs{};
};

uint64_t Overlap(uint64_t begin_ns, uint64_t end_ns, const Step& step) {
  const uint64_t from = std::max(begin_ns, step.begin_ns);
  const uint64_t until = std::min(end_ns, step.begin_ns + step.duration_ns);
  return until - std::min(from, until);
}

template <typename Text>
std::string At(const std::vector<Text>& texts, size_t at) {
  return at < texts.size() ? texts[at] : Text();
}

Cause CauseOf(const Findings& found, size_t at, GapCause cause, TimeKind kind,
              const MainWays& ways) {
  const Gap& gap = found.gaps[at];
  if (cause == GapCause::kHostWaited && gap.wait != kNoWait) {
    return {kind, At(found.wait_where, gap.wait), At(found.call_names, found.waits[gap.wait].name)};
  }
  if (cause == GapCause::kHostFunction && gap.function != kNoFunction)
    return {kind, At(found.function_where, gap.function), ""};
  if (cause == GapCause::kHostBusy && !At(found.gap_call_where, at).empty())
    return {kind, At(found.gap_call_where, at), At(found.call_names, gap.call_name)};
  if (cause == GapCause::kHostBusy || cause == GapCause::kFirstUse)
    return {kind, ways.Of(at).next, ""};
  return {kind, "", ""};
}

// What kept devices from work, in all steps together and in each of the longest.
class GapCosts {
 public:
  GapCosts(std::vector<Long>* longest, const Step& first, const Step& last,
           std::set<DeviceKey> without)
      : longest_(longest),
        all_{first.begin_ns, last.begin_ns + last.duration_ns - first.begin_ns},
        without_(std::move(without)) {}

  void Add(Source source, const Findings& found) {
    const MainWays ways(found);
    for (size_t i = 0; i < found.gaps.size(); ++i) {
      const Gap& gap = found.gaps[i];
      const DeviceKey device{source, gap.device};
      const HostSpan span = SpanOf(found.gaps, found.gap_lines, i);
      uint64_t at = gap.begin_ns;
      for (size_t part = 0; part < kGapCauses; ++part) {
        const uint64_t until = std::min(at + gap.parts_ns[part], gap.end_ns);
        const auto cause = static_cast<GapCause>(part);
        if (Overlap(at, until, all_) != 0)
          AddPart(CauseOf(found, i, cause, KindOfPart(cause, span), ways), device, at, until);
        at = until;
      }
    }
  }
  const Costs& of_all() const { return of_all_; }

 private:
  void AddPart(const Cause& cause, const DeviceKey& device, uint64_t begin_ns, uint64_t end_ns) {
    if (!without_.contains(device)) of_all_[cause] += Overlap(begin_ns, end_ns, all_);
    for (Long& one : *longest_) {
      if (one.others->devices.contains(device)) continue;
      const uint64_t ns = Overlap(begin_ns, end_ns, one.timed->step);
      if (ns != 0) one.costs[cause] += ns;
    }
  }

  std::vector<Long>* const longest_;
  const Step all_;
  const std::set<DeviceKey> without_;
  Costs of_all_;
};

std::string NameOf(const OpLabel& label) {
  return label.kernel.empty() ? OperationName(label) : DemangledName(label.kernel);
}

Costs KernelCosts(WorkCurves* curves, uint64_t begin_ns, uint64_t end_ns,
                  const std::vector<uint32_t>& without) {
  KernelTally tally;
  curves->TallyAll(begin_ns, end_ns, without, &tally);
  Costs costs;
  for (const uint32_t number : tally.kernels()) {
    if (number >= curves->kernels().size()) continue;
    const OpLabel& label = curves->kernels()[number].label;
    const TimeKind kind = Communicates(label) ? TimeKind::kCommunicating : TimeKind::kComputing;
    costs[{kind, "", NameOf(label)}] += tally.Of(number).device_ns;
  }
  return costs;
}

// What costs most beyond its part in each of `steps` steps.
void Tell(const Costs& of_all, uint64_t steps, Long* one) {
  uint64_t most = 0;
  for (const auto& [cause, ns] : one->costs) {
    if (cause.kind != one->more.kind) continue;
    const auto in_all = of_all.find(cause);
    const uint64_t usual = in_all == of_all.end() ? 0 : in_all->second / steps;
    if (ns <= usual || ns - usual <= most) continue;
    most = ns - usual;
    one->told->where = cause.where;
    one->told->what = cause.what;
  }
  if (most < one->more.ns / kLeastPart) one->told->where = one->told->what = "";
}

bool IsOfDevice(TimeKind kind) {
  return kind == TimeKind::kComputing || kind == TimeKind::kCommunicating ||
         kind == TimeKind::kCopying;
}

using NamedCosts = std::map<Cause, uint64_t>;

// Names that were told apart until there were many of them are one.
NamedCosts Named(const HostSteps::Costs& costs, const std::vector<std::string>& names) {
  NamedCosts named;
  for (const auto& [number, ns] : costs) {
    if (number < names.size()) named[{TimeKind::kHostBusy, "", names[number]}] += ns;
  }
  return named;
}

// The calls in which the step's thread waited; all steps', with their threads, without `one`.
NamedCosts WaitCosts(const ProgramRun& run, const std::vector<TimedStep>& timed,
                     const TimedStep* one) {
  const CoverageGap all{timed.front().host.begin_ns, timed.back().host.end_ns};
  const CoverageGap& within = one == nullptr ? all : one->host;
  std::set<uint32_t> threads;
  for (const TimedStep& step : timed) threads.insert(step.tid);
  NamedCosts costs;
  run.sources.Each([&](Source, const SourceRun& source) {
    const Findings& found = source.findings;
    for (size_t i = 0; i < found.waits.size(); ++i) {
      const Wait& wait = found.waits[i];
      const bool is_of = one == nullptr ? threads.contains(wait.tid) : wait.tid == one->tid;
      const uint64_t from = std::max(wait.begin_ns, within.begin_ns);
      const uint64_t until = std::min(wait.end_ns, within.end_ns);
      if (!is_of || until <= from) continue;
      costs[{TimeKind::kWaiting, At(found.wait_where, i), At(found.call_names, wait.name)}] +=
          until - from;
    }
  });
  return costs;
}

// What costs most beyond its part in each of `steps` steps, and how much; null: nothing does.
std::pair<const Cause*, uint64_t> MostBeyondUsual(const NamedCosts& all, uint64_t steps,
                                                  const NamedCosts& one) {
  std::pair<const Cause*, uint64_t> most{nullptr, 0};
  for (const auto& [cause, ns] : one) {
    const auto in_all = all.find(cause);
    const uint64_t usual = in_all == all.end() ? 0 : in_all->second / steps;
    if (ns > usual && ns - usual > most.second) most = {&cause, ns - usual};
  }
  return most;
}

// The call that waited longer, in `least_ns` or more of what the step is longer.
void TellWait(const NamedCosts& all, uint64_t steps, const NamedCosts& waits, uint64_t least_ns,
              LongStep* told) {
  const auto wait = MostBeyondUsual(all, steps, waits);
  if (wait.first == nullptr || wait.second < least_ns) return;
  told->where = wait.first->where;
  told->what = wait.first->what;
  told->more_ns = wait.second;
}

// What the devices do then is other threads' work.
void TellByHost(const ProgramRun& run, const std::vector<TimedStep>& timed, uint64_t median_ns,
                const Long& one) {
  one.told->more_ns = one.timed->step.duration_ns - median_ns;
  TellWait(WaitCosts(run, timed, nullptr), timed.size(), WaitCosts(run, timed, one.timed),
           one.told->more_ns / kLeastPart, one.told);
}

}  // namespace

void TellLongSteps(const ProgramRun& run, const TimedSeries& timed, WorkCurves* curves,
                   StepSeries* series) {
  if (series->longest.empty()) return;
  const uint64_t median_ns = MedianNs(series->steps);
  std::vector<Long> longest;
  for (LongStep& step : series->longest) {
    const Step* const at = LongStepAt(series->steps, step.begin_ns);
    if (at == nullptr) continue;
    const TimedStep& one = timed.steps[static_cast<size_t>(at - series->steps.data())];
    const std::optional<MoreTime> more =
        LongerBy(step.shares, at->duration_ns, series->shares, median_ns);
    if (more) longest.push_back({&step, *more, &one, &timed.Of(one)});
  }
  const OtherLoops others = timed.OfAll();
  const TimedStep &first = timed.steps.front(), &last = timed.steps.back();
  GapCosts gaps(&longest, first.step, last.step, others.devices);
  run.sources.Each([&](Source source, const SourceRun& of) { gaps.Add(source, of.findings); });
  Costs of_all = gaps.of_all();
  of_all.merge(KernelCosts(curves, first.host.begin_ns, last.host.end_ns, others.threads));
  for (Long& one : longest) {
    const CoverageGap& host = one.timed->host;
    one.costs.merge(KernelCosts(curves, host.begin_ns, host.end_ns, one.others->threads));
    Tell(of_all, timed.steps.size(), &one);
    if (one.others->share_device && IsOfDevice(one.more.kind) && one.told->what.empty())
      TellByHost(run, timed.steps, median_ns, one);
  }
}

void TellHostSteps(const ProgramRun& run, const std::vector<TimedStep>& timed,
                   const HostSteps::Series& ranges, const std::vector<std::string>& names,
                   StepSeries* series) {
  const uint64_t median_ns = MedianNs(series->steps);
  std::vector<size_t> outliers = StepOutliers(series->steps);
  if (outliers.empty() || timed.size() != series->steps.size() || ranges.count == 0) return;
  StableSort(&outliers, [&](size_t a, size_t b) {
    return series->steps[a].duration_ns > series->steps[b].duration_ns;
  });
  const NamedCosts all_waits = WaitCosts(run, timed, nullptr);
  const NamedCosts all_ranges = Named(ranges.all, names);
  for (const size_t at : outliers) {
    if (series->longest.size() == kMostLongSteps) break;
    const TimedStep& step = timed[at];
    const auto kept = std::find_if(
        ranges.longest.begin(), ranges.longest.end(),
        [&](const HostSteps::Kept& one) { return one.begin_ns == step.host.begin_ns; });
    if (kept == ranges.longest.end()) continue;
    LongStep told{step.step.begin_ns, {}, step.name};
    told.more_ns = step.step.duration_ns - median_ns;
    const uint64_t least_ns = told.more_ns / kLeastPart;
    const NamedCosts own = Named(kept->costs, names);
    const auto range = MostBeyondUsual(all_ranges, ranges.count, own);
    if (range.first != nullptr && range.second >= least_ns) {
      told.range = range.first->what;
      told.more_ns = range.second;
    }
    TellWait(all_waits, timed.size(), WaitCosts(run, timed, &step), least_ns, &told);
    series->longest.push_back(std::move(told));
  }
}

}  // namespace syncline
