// SPDX-License-Identifier: Apache-2.0
// Documents of the sections that report_sections_json.h makes.
#include "writers/tables/report_json.h"

#include "writers/tables/report_sections_json.h"

namespace syncline {
namespace {

constexpr int kIndent = 1;

Json DocumentOf(const char* schema, const Report& report) {
  return {{"schema", schema},
          {"directory", report.directory},
          {"devices_are", report.simulated ? "Simulated" : "real"},
          {"limits", report.limits},
          {"begin_ns", report.begin_ns},
          {"length_ms", Milliseconds(report.length_ns)}};
}

}  // namespace

std::string ReportJson(const Report& report) {
  Json json = DocumentOf(kReportSchema, report);
  json["events"] = report.events;
  json["hosts"] = report.hosts;
  json["findings"] = FindingsSection(report);
  json["stages"] = StagesSection(report);
  json["steps"] = StepsSection(report, false);
  json["kernels"] = KernelsSection(report);
  json["kernel_classes"] = ClassesSection(report);
  json["copies"] = CopiesSection(report);
  json["devices"] = DevicesSection(report);
  json["ranks"] = RanksSection(report);
  json["imbalance_percent"] = Known(100 * report.imbalance, !report.lost_matters);
  json["losses"] = report.losses;
  json["health"] = report.health;
  json["problems"] = report.problems;
  return JsonText(json, kIndent);
}

std::string TimingJson(const Report& report) {
  Json json = DocumentOf(kTimingSchema, report);
  json["stages"] = StagesSection(report);
  json["steps"] = StepsSection(report, true);
  return JsonText(json, kIndent);
}

std::string BreakdownJson(const Report& report) {
  Json json = DocumentOf(kBreakdownSchema, report);
  json["kernels"] = KernelsSection(report);
  json["kernel_classes"] = ClassesSection(report);
  json["copies"] = CopiesSection(report);
  json["temporal"] = TemporalSection(report);
  return JsonText(json, kIndent);
}

}  // namespace syncline
