// SPDX-License-Identifier: Apache-2.0
// Sums of sums, and words.
#include "model/findings/run_findings.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/stable_sort.h"
#include "model/findings/collective_words.h"
#include "model/findings/fold_names.h"

namespace syncline {
namespace {

// What `to` does not have is moved there, not copied. Ranks mostly have the same keys, so the next
// one there is looked at first.
template <typename Key, typename Sums>
void AddAll(std::map<Key, Sums>* from, std::map<Key, Sums>* to) {
  auto at = to->begin();
  while (!from->empty()) {
    auto next = from->extract(from->begin());
    if (at == to->end() || at->first != next.key()) at = to->lower_bound(next.key());
    if (at == to->end() || at->first != next.key()) {
      at = to->insert(at, std::move(next));
    } else {
      at->second.Add(next.mapped());
    }
    ++at;
  }
}

struct LeftOutFacts {
  const char* name;
  const char* meaning;
};
constexpr LeftOutFacts kLeftOutFacts[kLeftOutReasons] = {
    {"send_receive", "sends and receives whose other end is not known"},
    {"several_in_one", "several calls in one kernel, or several kernels of one call"},
    {"not_asked_for", "kernels whose call was not recorded"},
    {"alone", "of communicators of one rank"},
    {"in_one_process", "of communicators with several GPUs of one process"},
    {"ranks_missing", "not all ranks of the communicator have findings here"},
    {"records_lost",
     "a rank lost records, or recorded a part of its time, so its calls cannot be numbered"},
    {"kernel_missing", "a rank has no record of the kernel"},
    {"mismatch", "the ranks' kernels cannot be one collective"},
    {"clocks", "the clocks of several machines cannot be laid side by side"},
    {"too_many", "more than are kept"}};

}  // namespace

std::string WithoutLine(std::string_view where) {
  const size_t blank = where.find(' ');
  const size_t colon = where.substr(0, blank).rfind(':');
  const bool has_line = blank != std::string_view::npos && colon != std::string_view::npos;
  if (!has_line || where.find(", in ") != std::string_view::npos) return "";
  return std::string(where.substr(0, colon)).append(where.substr(blank));
}

std::vector<LineWaits> WaitsByLine(const RunFindings& findings, size_t most) {
  std::vector<LineWaits> lines;
  for (const auto& [key, sums] : findings.waits) {
    if (key.where.empty()) continue;
    lines.push_back({key, sums.blocked.count, sums.blocked.total_ns, sums.idle_after_ns});
  }
  StableSort(&lines,
             [](const LineWaits& a, const LineWaits& b) { return a.blocked_ns > b.blocked_ns; });
  if (lines.size() > most) lines.resize(most);
  return lines;
}

const Step* FirstSteadyStep(const std::vector<Step>& steps) {
  if (steps.size() < 2) return nullptr;
  std::vector<uint64_t> durations;
  for (const Step& step : steps) durations.push_back(step.duration_ns);
  const auto middle = durations.begin() + static_cast<ptrdiff_t>(durations.size() / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  size_t first = 0;
  while (first < steps.size() / 2 && steps[first].duration_ns > 2 * *middle) ++first;
  return &steps[first];
}

uint64_t MedianNs(const std::vector<Step>& steps) {
  std::vector<uint64_t> durations;
  durations.reserve(steps.size());
  for (const Step& step : steps) durations.push_back(step.duration_ns);
  if (durations.empty()) return 0;
  const auto middle = durations.begin() + static_cast<ptrdiff_t>((durations.size() - 1) / 2);
  std::nth_element(durations.begin(), middle, durations.end());
  return *middle;
}

std::optional<MoreTime> LongerBy(const TimeShares& step, uint64_t duration_ns,
                                 const TimeShares& all, uint64_t median_ns) {
  if (duration_ns == 0) return std::nullopt;
  const double usual = static_cast<double>(median_ns) / static_cast<double>(duration_ns);
  return MostBeyond(step, all, usual * static_cast<double>(step.Sum()));
}

std::vector<size_t> StepOutliers(const std::vector<Step>& steps) {
  const uint64_t median = MedianNs(steps);
  std::vector<size_t> outliers;
  for (size_t i = 0; i < steps.size(); ++i) {
    const uint64_t ns = steps[i].duration_ns;
    if (ns > median && ns - median > median) outliers.push_back(i);
  }
  return outliers;
}

const Step* LongStepAt(const std::vector<Step>& steps, uint64_t begin_ns) {
  const auto behind = std::partition_point(
      steps.begin(), steps.end(), [&](const Step& step) { return step.begin_ns <= begin_ns; });
  if (behind == steps.begin() || (behind - 1)->begin_ns != begin_ns) return nullptr;
  return &*(behind - 1);
}

std::vector<StageTime> LongestStages(const RunFindings& findings, size_t most) {
  std::vector<StageTime> stages;
  for (const auto& [key, sums] : findings.ranges) {
    if (IsOfLibraryCall(key.source, key.domain, key.name)) continue;
    const auto work = findings.stages.find(key);
    const auto own = findings.own_times.find(key);
    const OwnTime time = own == findings.own_times.end() ? OwnTime{} : own->second;
    stages.push_back({key, sums.count, sums.total_ns,
                      work == findings.stages.end() ? 0 : work->second.device_ns,
                      static_cast<uint64_t>(time.sum_ns), time.DeviationNs(),
                      work == findings.stages.end() ? 0 : work->second.blocked_ns});
  }
  const auto length = [](const StageTime& stage) {
    return std::max(stage.total_ns, stage.device_ns);
  };
  StableSort(&stages,
             [&](const StageTime& a, const StageTime& b) { return length(a) > length(b); });
  if (stages.size() > most) stages.resize(most);
  return stages;
}

void RunFindings::FoldNames() {
  FoldInto(&ranges, &RangeKey::name);
  FoldInto(&waits, &WaitKey::ranges);
  FoldInto(&gaps, &GapKey::ranges);
  FoldInto(&stages, &RangeKey::name);
  stage_kernels.FoldNames();
  FoldInto(&own_times, &RangeKey::name);
  FoldInto(&prices, &PriceKey::ranges);
}

const char* LeftOutName(LeftOut reason) { return kLeftOutFacts[static_cast<size_t>(reason)].name; }
const char* LeftOutMeaning(LeftOut reason) {
  return kLeftOutFacts[static_cast<size_t>(reason)].meaning;
}

void CompiledSums::Add(const std::string& graph) {
  ++count;
  const auto at = std::lower_bound(graphs.begin(), graphs.end(), graph);
  if (at == graphs.end() || *at != graph) graphs.insert(at, graph);
  if (graphs.size() > kMostGraphs) graphs.pop_back();
}

void CompiledSums::Add(const CompiledSums& other) {
  const uint64_t all = count + other.count;
  for (const std::string& graph : other.graphs) Add(graph);
  count = all;
}

void DurationSums::Add(uint64_t ns) {
  ++count;
  total_ns += ns;
  min_ns = std::min(min_ns, ns);
  max_ns = std::max(max_ns, ns);
  sketch.Add(ns);
}

void DurationSums::Add(const DurationSums& other) {
  count += other.count;
  total_ns += other.total_ns;
  min_ns = std::min(min_ns, other.min_ns);
  max_ns = std::max(max_ns, other.max_ns);
  sketch.Add(other.sketch);
  AddParts(other.in_steps, &in_steps);
}

uint64_t DurationSums::Quantile(double share) const {
  return std::min(std::max(sketch.Quantile(share), min_ns), max_ns);
}

void OwnTime::Add(uint64_t ns) {
  const auto length = static_cast<double>(ns);
  ++count;
  sum_ns += length;
  squares += length * length;
}

void OwnTime::Add(const OwnTime& other) {
  count += other.count;
  sum_ns += other.sum_ns;
  squares += other.squares;
}

uint64_t OwnTime::DeviationNs() const {
  if (count < 2) return 0;
  const auto n = static_cast<double>(count);
  const double rest = squares - sum_ns * sum_ns / n;
  return rest <= 0 ? 0 : static_cast<uint64_t>(std::sqrt(rest / (n - 1)));
}

void CopySums::Add(const CopySums& other) {
  durations.Add(other.durations);
  bytes += other.bytes;
}

void StepOps::Add(const StepOps& other) {
  steps += other.steps;
  kernels += other.kernels;
  copies += other.copies;
  from_host_bytes += other.from_host_bytes;
  to_host_bytes += other.to_host_bytes;
}

void WaitSums::Add(const WaitSums& other) {
  blocked.Add(other.blocked);
  idle_after_ns += other.idle_after_ns;
  needless += other.needless;
  needless_ns += other.needless_ns;
  unknown += other.unknown;
  statement = std::max(statement, other.statement);  // of a file that was changed meanwhile: any
}

std::string InnermostRange(const std::string& ranges) {
  constexpr std::string_view kBetween = " > ";
  const size_t at = ranges.rfind(kBetween);
  return at == std::string::npos ? ranges : ranges.substr(at + kBetween.size());
}

void StageWork::AddGiven(const StageWork& other) {
  blocked_ns += other.blocked_ns;
  launched += other.launched;
  device_ns += other.device_ns;
}

void StageWork::Add(const StageWork& other) {
  AddGiven(other);
  busy_ns += other.busy_ns;
  busy_of_ns += other.busy_of_ns;
  memory_peak = std::max(memory_peak, other.memory_peak);
  allocated_peak = std::max(allocated_peak, other.allocated_peak);
  held_peak = std::max(held_peak, other.held_peak);
}

void LabelSums::Add(const LabelSums& other) {
  durations.Add(other.durations);
  work.Add(other.work);
}

void CallSignature::Add(const CallSignature& other) {
  const auto order = [](const CallSignature& call) {
    return std::tuple(call.inputs.empty(), call.result.empty(), call.begin_ns, call.inputs,
                      call.result, call.gradients);
  };
  if (order(other) < order(*this)) *this = other;
}

void StarvedSums::Add(const StarvedSums& other) {
  count += other.count;
  idle_ns += other.idle_ns;
}

void RunFindings::Add(RunFindings other) {
  for (auto& [name, part] : other.ranks) ranks.insert_or_assign(name, std::move(part));
  AddAll(&other.ranges, &ranges);
  AddAll(&other.operators, &operators);
  AddAll(&other.compilations, &compilations);
  AddAll(&other.compiled, &compiled);
  AddAll(&other.modules, &modules);
  AddAll(&other.operator_shapes, &operator_shapes);
  AddAll(&other.operator_lines, &operator_lines);
  AddAll(&other.kernels, &kernels);
  AddAll(&other.copies, &copies);
  AddAll(&other.waits, &waits);
  AddAll(&other.gaps, &gaps);
  AddAll(&other.host_work, &host_work);
  AddAll(&other.stages, &stages);
  stage_kernels.Add(std::move(other.stage_kernels));
  AddAll(&other.labels, &labels);
  AddAll(&other.signatures, &signatures);
  AddAll(&other.starved, &starved);
  AddAll(&other.fills, &fills);
  AddAll(&other.prices, &prices);
  AddLongWaits(std::move(other.longest_waits));
}

// The order is total, so that of two equally long ones the same is kept whoever comes first.
void RunFindings::AddLongWaits(std::vector<LongWait> more) {
  longest_waits.insert(longest_waits.end(), std::move_iterator(more.begin()),
                       std::move_iterator(more.end()));
  const size_t kept = std::min(longest_waits.size(), kLongestWaits);
  std::partial_sort(longest_waits.begin(), longest_waits.begin() + static_cast<ptrdiff_t>(kept),
                    longest_waits.end(), std::greater<>());
  longest_waits.resize(kept);
}

}  // namespace syncline
