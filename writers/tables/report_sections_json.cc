// SPDX-License-Identifier: Apache-2.0
// One function a section.
#include "writers/tables/report_sections_json.h"

#include <algorithm>
#include <utility>

namespace syncline {
namespace {

Json SumsOf(const DurationSums& sums) {
  return {{"count", sums.count},
          {"total_ms", Milliseconds(sums.total_ns)},
          {"min_ms", Milliseconds(sums.count == 0 ? 0 : sums.min_ns)},
          {"median_ms", Milliseconds(sums.count == 0 ? 0 : sums.Quantile(0.5))},
          {"p95_ms", Milliseconds(sums.count == 0 ? 0 : sums.Quantile(0.95))},
          {"p99_ms", Milliseconds(sums.count == 0 ? 0 : sums.Quantile(0.99))},
          {"max_ms", Milliseconds(sums.max_ns)}};
}

Json With(Json object, const Json& more) {
  object.update(more);
  return object;
}

double Percent(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(whole);
}

Json StepOf(const Step& step) {
  return {{"number", step.number},
          {"begin_ns", step.begin_ns},
          {"duration_ms", Milliseconds(step.duration_ns)}};
}

}  // namespace

Json FindingsSection(const Report& report) {
  Json array = Json::array();
  for (const ReportFinding& finding : report.findings) {
    Json object = {{"kind", finding.kind},
                   {"problem", finding.problem},
                   {"where", finding.where},
                   {"class", finding.wait_class},
                   {"call", finding.call},
                   {"rank", finding.rank},
                   {"stage", finding.stage},
                   {"count", finding.count},
                   {"blocked_ms", Milliseconds(finding.blocked_ns)},
                   {"gain_ms", nullptr},
                   {"gain_percent", nullptr},
                   {"worth", finding.worth},
                   {"assumption", finding.assumption},
                   {"advice", finding.advice},
                   {"lost", LostText(finding.lost)},
                   {"trace", finding.trace},
                   {"begin_ns", finding.begin_ns}};
    if (finding.priced) {
      object["gain_ms"] = Milliseconds(finding.gain_ns);
      object["gain_percent"] = finding.gain_percent;
    }
    array.push_back(std::move(object));
  }
  return array;
}

Json StagesSection(const Report& report) {
  Json array = Json::array();
  for (const ReportStage& stage : report.stages) {
    const StageWork& work = stage.work;
    Json object =
        With({{"name", stage.key.name}, {"domain", stage.key.domain}, {"source", stage.key.source}},
             SumsOf(stage.sums));
    object["blocked_ms"] = Milliseconds(work.blocked_ns);
    object["launched"] = work.launched;
    object["device_ms"] = Milliseconds(work.device_ns);
    object["busy_ms"] = Known(Milliseconds(work.busy_ns), !report.lost_matters);
    object["busy_of_ms"] = Milliseconds(work.busy_of_ns);
    object["busy_percent"] = Known(Percent(work.busy_ns, work.busy_of_ns), !report.lost_matters);
    object["memory_peak_bytes"] = work.memory_peak;
    array.push_back(std::move(object));
  }
  return array;
}

Json StepsSection(const Report& report, bool each) {
  size_t all = 0;
  for (const ReportSteps& series : report.steps) all += series.steps.size();
  each = each && all <= kMostSteps;
  Json array = Json::array();
  for (const ReportSteps& series : report.steps) {
    Json outliers = Json::array();
    for (const size_t i : series.outliers) outliers.push_back(StepOf(series.steps[i]));
    Json object = {{"rank", series.rank},
                   {"pid", series.pid},
                   {"name", series.name},
                   {"count", series.steps.size()},
                   {"median_ms", Milliseconds(series.median_ns)},
                   {"outliers", std::move(outliers)}};
    if (each) {
      Json rows = Json::array();
      for (const Step& step : series.steps)
        rows.push_back({step.number, step.begin_ns, step.duration_ns});
      object["steps"] = std::move(rows);
    }
    array.push_back(std::move(object));
  }
  return array;
}

Json KernelsSection(const Report& report) {
  Json array = Json::array();
  for (const ReportKernel& kernel : report.kernels) {
    Json object = With({{"name", kernel.key.name},
                        {"source", kernel.key.source},
                        {"class", KernelClassName(kernel.kernel_class)},
                        {"share_percent", 100 * kernel.share}},
                       SumsOf(kernel.sums));
    object["starved"] = kernel.starved.count;
    object["starved_ms"] = Milliseconds(kernel.starved.idle_ns);
    array.push_back(std::move(object));
  }
  return array;
}

Json ClassesSection(const Report& report) {
  uint64_t all = 0;
  for (const uint64_t ns : report.kernel_class_ns) all += ns;
  Json array = Json::array();
  for (size_t i = 0; i < kKernelClasses; ++i) {
    array.push_back({{"class", KernelClassName(static_cast<KernelClass>(i))},
                     {"total_ms", Milliseconds(report.kernel_class_ns[i])},
                     {"share_percent", Percent(report.kernel_class_ns[i], all)}});
  }
  return array;
}

Json CopiesSection(const Report& report) {
  Json array = Json::array();
  for (const ReportCopy& copy : report.copies) {
    array.push_back(
        With({{"name", copy.key.name}, {"source", copy.key.source}, {"bytes", copy.sums.bytes}},
             SumsOf(copy.sums.durations)));
  }
  return array;
}

Json DevicesSection(const Report& report) {
  Json array = Json::array();
  for (const ReportDevice& device : report.devices) {
    const DeviceUse& use = device.use;
    const bool known = !device.lost.Matters();
    const auto time = [known](uint64_t ns) { return Known(Milliseconds(ns), known); };
    Json gaps = Json::object();
    for (size_t cause = 0; cause < kGapCauses; ++cause)
      gaps[GapCauseName(static_cast<GapCause>(cause))] = time(use.gaps_ns[cause]);
    array.push_back({{"rank", device.rank},
                     {"pid", use.pid},
                     {"source", use.source},
                     {"device", use.device},
                     {"name", use.name},
                     {"begin_ns", use.begin_ns},
                     {"end_ns", use.end_ns},
                     {"operations", use.operations},
                     {"records_lost", device.lost.lost},
                     {"seen_ms", Milliseconds(use.SeenNs())},
                     {"busy_ms", time(use.busy_ns)},
                     {"idle_ms", time(use.IdleNs())},
                     {"computing_ms", time(use.computing_ns)},
                     {"communicating_ms", time(use.communicating_ns)},
                     {"communicating_alone_ms", time(use.communicating_alone_ns)},
                     {"copying_ms", time(use.copying_ns)},
                     {"copying_alone_ms", time(use.copying_alone_ns)},
                     {"gaps_ms", std::move(gaps)},
                     {"launch_delay", SumsOf(use.launch_delay)},
                     {"queued_ms", Milliseconds(use.queued_ns)},
                     {"memory_peak_bytes", use.memory_peak_bytes},
                     {"memory_peak_at_ns", use.memory_peak_at_ns}});
  }
  return array;
}

Json RanksSection(const Report& report) {
  Json array = Json::array();
  for (const ReportRank& rank : report.ranks) {
    const bool known = !rank.lost.Matters();
    array.push_back({{"name", rank.name},
                     {"rank", rank.rank},
                     {"host", rank.host},
                     {"begin_ns", rank.begin_ns},
                     {"end_ns", rank.end_ns},
                     {"records_lost", rank.lost.lost},
                     {"computing_ms", Known(Milliseconds(rank.computing_ns), known)},
                     {"busy_ms", Known(Milliseconds(rank.busy_ns), known)},
                     {"seen_ms", Milliseconds(rank.seen_ns)},
                     {"met", rank.met},
                     {"came_last", rank.came_last},
                     {"waited_ms", Milliseconds(rank.waited_ns)},
                     {"others_paid_ms", Milliseconds(rank.others_paid_ns)},
                     {"late_stage", rank.late_stage}});
  }
  return array;
}

Json TemporalSection(const Report& report) {
  Json array = Json::array();
  for (const ReportDevice& device : report.devices) {
    const DeviceUse& use = device.use;
    const bool known = !device.lost.Matters();
    const uint64_t whole = std::max(use.end_ns, use.begin_ns) - use.begin_ns;
    const uint64_t busy = std::min(use.busy_ns, whole);
    const uint64_t compute = std::min(use.kernels_ns, busy);
    array.push_back({{"rank", device.rank},
                     {"pid", use.pid},
                     {"source", use.source},
                     {"device", use.device},
                     {"name", use.name},
                     {"records_lost", device.lost.lost},
                     {"total_ms", Milliseconds(whole)},
                     {"idle_ms", Known(Milliseconds(whole - busy), known)},
                     {"compute_ms", Known(Milliseconds(compute), known)},
                     {"non_compute_ms", Known(Milliseconds(busy - compute), known)},
                     {"idle_percent", Known(Percent(whole - busy, whole), known)},
                     {"compute_percent", Known(Percent(compute, whole), known)},
                     {"non_compute_percent", Known(Percent(busy - compute, whole), known)}});
  }
  return array;
}

}  // namespace syncline
