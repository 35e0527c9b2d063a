// SPDX-License-Identifier: Apache-2.0
// Documents of sections, and what no table holds.
#include "writers/tables/report_json.h"

#include "report/sections.h"
#include "writers/tables/section_json.h"

namespace syncline {
namespace {

constexpr int kIndent = 1;
// A job of many ranks has too many steps for a file: then only outliers are told one by one.
constexpr size_t kMostSteps = 100'000;

Json DocumentOf(const char* schema, const Report& report) {
  return {{"schema", schema},
          {"directory", report.directory},
          {"devices_are", report.simulated ? "Simulated" : "real"},
          {"limits", report.limits},
          {"begin_ns", report.begin_ns},
          {"length_ms", Milliseconds(report.length_ns)}};
}

Json StepOf(const Step& step) {
  return {{"number", step.number},
          {"begin_ns", step.begin_ns},
          {"duration_ms", Milliseconds(step.duration_ns)}};
}

// `each`: every single step, not only the outliers.
Json StepsOf(const Report& report, bool each) {
  size_t all = 0;
  for (const ReportSteps& series : report.steps) all += series.steps.size();
  Json array = SectionJson(StepsSection(report, {}));
  for (size_t i = 0; i < report.steps.size(); ++i) {
    const ReportSteps& series = report.steps[i];
    Json& outliers = array[i]["outliers"] = Json::array();
    for (const size_t step : series.outliers) outliers.push_back(StepOf(series.steps[step]));
    if (!each || all > kMostSteps) continue;
    Json& rows = array[i]["steps"] = Json::array();
    for (const Step& step : series.steps)
      rows.push_back({step.number, step.begin_ns, step.duration_ns});
  }
  return array;
}

// With the ways in which each waits, where there are several.
Json FindingsOf(const Report& report) {
  Json array = SectionJson(FindingsSection(report, {}));
  for (Json& row : array) {
    Json parts = Json::array();
    for (const ReportFinding& finding : report.findings) {
      if (finding.number != row["number"]) continue;
      for (const FindingPart& part : finding.parts)
        parts.push_back({{"what", part.what}, {"blocked_ms", Milliseconds(part.blocked_ns)}});
    }
    row["parts"] = std::move(parts);
  }
  return array;
}

}  // namespace

std::string ReportJson(const Report& report) {
  Json json = DocumentOf(kReportSchema, report);
  json["events"] = report.events;
  json["hosts"] = report.hosts;
  json["findings"] = FindingsOf(report);
  json["stages"] = SectionJson(StagesSection(report, {}));
  json["steps"] = StepsOf(report, false);
  json["kernels"] = SectionJson(KernelsSection(report, {}));
  json["kernel_classes"] = SectionJson(ClassesSection(report));
  json["copies"] = SectionJson(CopiesSection(report, {}));
  json["devices"] = SectionJson(DevicesSection(report, {}));
  json["ranks"] = SectionJson(RanksSection(report, {}));
  if (!report.waits.empty()) json["waits"] = SectionJson(WaitsSection(report, {}));
  if (!report.gaps.empty()) json["gaps"] = SectionJson(GapsSection(report, {}));
  json["imbalance_percent"] = report.lost_matters ? Json(nullptr) : Json(100 * report.imbalance);
  json["losses"] = report.losses;
  json["health"] = report.health;
  json["problems"] = report.problems;
  return JsonText(json, kIndent);
}

std::string TimingJson(const Report& report) {
  Json json = DocumentOf(kTimingSchema, report);
  json["stages"] = SectionJson(StagesSection(report, {}));
  json["steps"] = StepsOf(report, true);
  return JsonText(json, kIndent);
}

std::string BreakdownJson(const Report& report) {
  Json json = DocumentOf(kBreakdownSchema, report);
  json["kernels"] = SectionJson(KernelsSection(report, {}));
  json["kernel_classes"] = SectionJson(ClassesSection(report));
  json["copies"] = SectionJson(CopiesSection(report, {}));
  json["temporal"] = SectionJson(TemporalSection(report));
  return JsonText(json, kIndent);
}

}  // namespace syncline
