// SPDX-License-Identifier: Apache-2.0
// Kernels of a stage by what they cost on the device.
#include "report/stage_kernels.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/report_builder.h"
#include "report/section_rows.h"
#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kFewStageKernels = 6;

constexpr Column kStageKernels[] = {
    {"", "stage and kernel", ValueKind::kCode, kShort | kPage},
    {"device_ms", "GPU time", ValueKind::kDuration, kEverywhere, "Of what the stage launched"},
    {"share_percent", "of stage", ValueKind::kShare, kEverywhere,
     "Of the time of all kernels that the stage launched"},
    {"launches", "launches", ValueKind::kCount, kEverywhere},
    {"cpu_ms", "CPU time", ValueKind::kDuration, kEverywhere, "Of the calls that launched them"},
    {"own_launches", "own", ValueKind::kCount, kEverywhere, "Launches in no range within"},
    {"own_device_ms", "own GPU time", ValueKind::kDuration, kNotShort, "Of these"},
    {"own_cpu_ms", "own CPU time", ValueKind::kDuration, kNotShort, "Of these"},
    {"stage", "", ValueKind::kCode, kFile},
    {"domain", "", ValueKind::kCode, kFile},
    {"program", "", ValueKind::kCode, kFile},
    {"name", "", ValueKind::kCode, kFile},
    {"source", "", ValueKind::kText, kFile}};

struct StageKernelRow {
  const ReportStageKernels* stage;
  const ReportStageKernels::Row* kernel;
  uint64_t device_ns;  // of all kernels of the stage
};

std::vector<Value> CellsOf(const StageKernelRow& row) {
  const auto& [key, sums] = *row.kernel;
  return {Text(StageName(row.stage->key), ": ", KernelName(key.name)),
          sums.all.device_ns,
          ShareOf(sums.all.device_ns, row.device_ns),
          sums.all.launches,
          sums.all.cpu_ns,
          sums.own.launches,
          sums.own.device_ns,
          sums.own.cpu_ns,
          row.stage->key.name,
          row.stage->key.domain,
          row.stage->key.program,
          key.name,
          key.source};
}

void AddRows(const ReportStageKernels& stage, std::vector<StageKernelRow>* rows) {
  const uint64_t device_ns = LaunchesOfStage(stage).device_ns;
  for (const ReportStageKernels::Row& kernel : stage.kernels)
    rows->push_back({&stage, &kernel, device_ns});
}

// In the order of the report: stage by stage.
void Fill(const std::vector<StageKernelRow>& rows, const RowChoice& choice, Section* section) {
  FillRows(
      rows, choice, kFewStageKernels, [](const StageKernelRow&) { return 0; },
      [](const StageKernelRow& row) { return CellsOf(row); }, section);
}

std::vector<ReportStageKernels::Row> CostliestOf(const std::map<OpKey, StageKernel>& kernels) {
  std::vector<ReportStageKernels::Row> rows;
  for (const auto& [key, sums] : kernels) rows.push_back({key, sums});
  StableSort(&rows, [](const ReportStageKernels::Row& a, const ReportStageKernels::Row& b) {
    return a.sums.all.device_ns > b.sums.all.device_ns;
  });
  if (rows.size() <= kMostKernels) return rows;
  ReportStageKernels::Row others;
  others.key.name = Text("(", CountText(rows.size() - kMostKernels), " other kernels)");
  for (size_t i = kMostKernels; i < rows.size(); ++i) others.sums.Add(rows[i].sums);
  rows.resize(kMostKernels);
  rows.push_back(std::move(others));
  return rows;
}

}  // namespace

void AddStageKernels(const RunFindings& findings, Report* report) {
  const auto by_name = findings.stage_kernels.ByName();
  for (const ReportStage& stage : report->stages) {
    const auto kernels = by_name.find(stage.key);
    if (kernels != by_name.end())
      report->stage_kernels.push_back({stage.key, CostliestOf(kernels->second)});
  }
}

LaunchSums LaunchesOfStage(const ReportStageKernels& stage) {
  LaunchSums sums;
  for (const ReportStageKernels::Row& kernel : stage.kernels) sums.Add(kernel.sums.all);
  return sums;
}

Section KernelsOfStageSection(const ReportStageKernels& stage) {
  Section section{"kernels", "", kStageKernels, {}};
  std::vector<StageKernelRow> rows;
  AddRows(stage, &rows);
  Fill(rows, {}, &section);
  return section;
}

Section StageKernelsSection(const Report& report, const RowChoice& choice) {
  Section section{"stage_kernels", "Kernels by stage", kStageKernels, {}};
  std::vector<StageKernelRow> rows;
  for (const ReportStageKernels& stage : report.stage_kernels) {
    if (report.all_tables) AddRows(stage, &rows);
  }
  Fill(rows, Wished(report, choice), &section);
  return section;
}

}  // namespace syncline
