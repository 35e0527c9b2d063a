// SPDX-License-Identifier: Apache-2.0
// Documents of sections, and what no table holds.
#include "writers/tables/report_json.h"

#include <map>
#include <string>
#include <tuple>

#include "report/kernel_verdict.h"
#include "report/memory_sections.h"
#include "report/reached_rates.h"
#include "report/report_endings.h"
#include "report/sections.h"
#include "report/words.h"
#include "writers/tables/section_json.h"

namespace syncline {
namespace {

constexpr int kIndent = 1;
// A job of many ranks has too many steps for a file: then only outliers are told one by one.
constexpr size_t kMostSteps = 101'000;  // one process's, with the longest of the rest

Json OutlierOf(const Report& report, const ReportSteps& series, const Step& step) {
  const LongerStep longer = LongerBy(report, series, step);
  return {{"name", NameOfStep(series, step)},
          {"number", step.number},
          {"begin_ns", step.begin_ns},
          {"duration_ms", Milliseconds(step.duration_ns)},
          {"longer_by", longer.words},
          {"longer_by_ms", longer.ns == 0 ? Json(nullptr) : Json(Milliseconds(longer.ns))},
          {"view", ViewText(report, series.rank, step.begin_ns)}};
}

// `each`: every single step, not only the outliers.
Json StepsOf(const Report& report, bool each) {
  size_t all = 0;
  for (const ReportSteps& series : report.steps) all += series.steps.size();
  Json array = SectionJson(StepsSection(report, {}));
  std::map<std::tuple<std::string, int, std::string>, const ReportSteps*> by_row;
  for (const ReportSteps& series : report.steps)
    by_row[{series.rank, series.pid, series.name}] = &series;
  for (Json& row : array) {
    const ReportSteps& series = *by_row[{row["rank"], row["pid"], row["name"]}];
    Json& outliers = row["outliers"] = Json::array();
    for (const size_t step : series.outliers)
      outliers.push_back(OutlierOf(report, series, series.steps[step]));
    if (!each || all > kMostSteps) continue;
    Json& rows = row["steps"] = Json::array();
    for (const Step& step : series.steps)
      rows.push_back({step.number, step.begin_ns, step.duration_ns});
  }
  return array;
}

Json RecordingCostsOf(const Report& report) {
  Json array = Json::array();
  for (const auto& [rank, cost] : report.recording_costs)
    array.push_back({{"rank", rank},
                     {"pid", cost.pid},
                     {"recorded_steps", cost.recorded},
                     {"recorded_ms", Milliseconds(cost.recorded_ns)},
                     {"bare_steps", cost.bare},
                     {"bare_ms", Milliseconds(cost.bare_ns)},
                     {"calls_of_step", cost.CallsOfStep()},
                     {"of_call_ms", Milliseconds(cost.CallNs())}});
  return array;
}

}  // namespace

std::string ReportJson(const Report& report) {
  Json json = DocumentJson(kReportSchema, report);
  json["events"] = report.events;
  json["hosts"] = report.hosts;
  json["findings"] = FindingsJson(report);
  if (report.only_finding) return JsonText(json, kIndent);
  json["order"] = report.order;
  if (!report.host_work.empty()) json["host_work"] = SectionJson(HostWorkSection(report, {}));
  json["endings"] = SectionJson(EndingsSection(report));
  json["stages"] = SectionJson(StagesSection(report, {}));
  if (!report.labels.empty()) json["labels"] = SectionJson(LabelsSection(report, {}));
  json["steps"] = StepsOf(report, false);
  json["step_shares"] = SectionJson(StepSharesSection(report, {}));
  if (!report.allocators.empty()) {
    json["memory"] = MemoryTexts(report);
    json["allocators"] = SectionJson(AllocatorsSection(report, {}));
    json["memory_places"] = SectionJson(MemoryPlacesSection(report, {}));
    json["memory_growth"] = SectionJson(MemoryGrowthSection(report, {}));
  }
  if (!report.compilations.empty())
    json["compilations"] = SectionJson(CompilationsSection(report, {}));
  if (!report.compile_steps.empty())
    json["compile_steps"] = SectionJson(CompileStepsSection(report, {}));
  if (!report.compiled.empty()) {
    json["compiled_kernels"] = SectionJson(CompiledKernelsSection(report, {}));
    json["compiled_calls"] = SectionJson(CompiledCallsSection(report, {}));
  }
  if (!report.modules.empty()) json["modules"] = SectionJson(ModulesSection(report, {}));
  if (!report.operators.empty()) {
    json["operators"] = SectionJson(OperatorsSection(report, {}));
    json["rates"] = SectionJson(RatesSection(report, {}));
    json["best_bytes_per_s"] = BestBytesPerSecond(report);
  }
  json["kernels"] = SectionJson(KernelsSection(report, {}));
  json["kernel_classes"] = SectionJson(ClassesSection(report));
  json["kernel_verdict"] = KernelVerdict(report);
  json["copies"] = SectionJson(CopiesSection(report, {}));
  json["devices"] = SectionJson(DevicesSection(report, {}));
  json["ranks"] = SectionJson(RanksSection(report, {}));
  if (!report.collectives.empty())
    json["collectives"] = SectionJson(CollectivesSection(report, {}));
  if (!report.messages.empty()) json["messages"] = SectionJson(MessagesSection(report, {}));
  json["rank_stages"] = SectionJson(RankStagesSection(report, {}));
  if (report.all_tables) json["stage_kernels"] = SectionJson(StageKernelsSection(report, {}));
  if (!report.waits.empty()) json["waits"] = SectionJson(WaitsSection(report, {}));
  if (!report.gaps.empty()) json["gaps"] = SectionJson(GapsSection(report, {}));
  const bool measured = report.imbalance.has_value() && !report.lost_matters;
  json["imbalance_percent"] = measured ? Json(100 * *report.imbalance) : Json(nullptr);
  json["recording_cost"] = RecordingCostsOf(report);
  json["losses"] = report.losses;
  json["health"] = report.health;
  json["problems"] = report.problems;
  return JsonText(json, kIndent);
}

std::string TimingJson(const Report& report) {
  Json json = DocumentJson(kTimingSchema, report);
  json["stages"] = SectionJson(StagesSection(report, {}));
  json["steps"] = StepsOf(report, true);
  json["step_shares"] = SectionJson(StepSharesSection(report, {}));
  return JsonText(json, kIndent);
}

std::string BreakdownJson(const Report& report) {
  Json json = DocumentJson(kBreakdownSchema, report);
  if (!report.modules.empty()) json["modules"] = SectionJson(ModulesSection(report, {}));
  if (!report.operators.empty()) json["operators"] = SectionJson(OperatorsSection(report, {}));
  json["kernels"] = SectionJson(KernelsSection(report, {}));
  json["kernel_classes"] = SectionJson(ClassesSection(report));
  json["copies"] = SectionJson(CopiesSection(report, {}));
  json["temporal"] = SectionJson(TemporalSection(report));
  return JsonText(json, kIndent);
}

}  // namespace syncline
