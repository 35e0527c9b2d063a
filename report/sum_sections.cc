// SPDX-License-Identifier: Apache-2.0
// Sums by name: stages, kernels and their classes, copies.
#include <algorithm>
#include <iterator>

#include "base/text.h"
#include "report/kernel_verdict.h"
#include "report/section_rows.h"
#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kFewStages = 6, kFewKernels = 6, kFewCopies = 3;
constexpr size_t kFewLabels = 20;  // which were asked for

constexpr Column kTotal = {"total_ms", "total", ValueKind::kDuration, kEverywhere, "Of all ranks"};
constexpr Column kCount = {"count", "count", ValueKind::kCount, kEverywhere};
constexpr Column kMedian = {"median_ms", "median", ValueKind::kDuration, kEverywhere};
constexpr char kShorter[] = "95 % of them were shorter";

constexpr Column kStages[] = {
    {"", "stage", ValueKind::kCode, kShort | kPage},
    kTotal,
    kCount,
    kMedian,
    {"blocked_ms", "blocked", ValueKind::kDuration, kEverywhere, "Threads waited in it"},
    {"busy_percent", "GPU busy", ValueKind::kShare, kEverywhere, "While it was open"},
    {"allocated_peak_bytes", "allocated", ValueKind::kBytes, kEverywhere,
     "By frameworks' allocators: the peak while it was open"},
    {"p95_ms", "95 %", ValueKind::kDuration, kEverywhere, kShorter},
    {"max_ms", "longest", ValueKind::kDuration, kEverywhere},
    {"memory_peak_bytes", "memory", ValueKind::kBytes, kEverywhere, "Its peak while it was open"},
    {"reserved_peak_bytes", "reserved", ValueKind::kBytes, kNotShort,
     "By frameworks' allocators: the peak while it was open"},
    {"device_ms", "GPU time", ValueKind::kDuration, kNotShort,
     "Of the operations submitted in it, added up"},
    {"launched", "launched", ValueKind::kCount, kNotShort, "Operations submitted in it"},
    {"source", "source", ValueKind::kText, kNotShort},
    {"name", "", ValueKind::kCode, kFile},
    {"domain", "", ValueKind::kCode, kFile},
    {"program", "", ValueKind::kCode, kFile},
    {"min_ms", "", ValueKind::kDuration, kFile},
    {"p99_ms", "", ValueKind::kDuration, kFile},
    {"busy_ms", "", ValueKind::kDuration, kFile},
    {"busy_of_ms", "", ValueKind::kDuration, kFile}};

std::vector<Value> CellsOf(const ReportStage& stage, bool lost) {
  const DurationSums& sums = stage.sums;
  const StageWork& work = stage.work;
  const bool known = !lost || work.busy_of_ns == 0;
  return {StageName(stage.key), sums.total_ns,
          sums.count,           Quantile(sums, 0.5),
          work.blocked_ns,      known ? ShareOf(work.busy_ns, work.busy_of_ns) : Value(Unknown{}),
          work.allocated_peak,  Quantile(sums, 0.95),
          sums.max_ns,          work.memory_peak,
          work.held_peak,       work.device_ns,
          work.launched,        stage.key.source,
          stage.key.name,       stage.key.domain,
          stage.key.program,    sums.count == 0 ? 0 : sums.min_ns,
          Quantile(sums, 0.99), IfKnown(work.busy_ns, !lost),
          work.busy_of_ns};
}

constexpr Column kLabels[] = {
    {"", "value, stage", ValueKind::kCode, kShort},
    {"", "label = value", ValueKind::kCode, kPage},
    {"", "stage", ValueKind::kCode, kPage},
    {"label", "", ValueKind::kCode, kFile},
    {"value", "", ValueKind::kCode, kFile},
    kTotal,
    kCount,
    {"mean_ms", "mean", ValueKind::kDuration, kEverywhere},
    {"max_ms", "longest", ValueKind::kDuration, kEverywhere},
    {"device_ms", "GPU time", ValueKind::kDuration, kEverywhere,
     "Of the operations submitted in it, added up"},
    {"launched", "launched", ValueKind::kCount, kEverywhere, "Operations submitted in it"},
    {"blocked_ms", "blocked", ValueKind::kDuration, kEverywhere, "Threads waited in it"},
    {"source", "", ValueKind::kText, kFile},
    {"name", "", ValueKind::kCode, kFile},
    {"domain", "", ValueKind::kCode, kFile},
    {"program", "", ValueKind::kCode, kFile},
    {"min_ms", "", ValueKind::kDuration, kFile}};

std::vector<Value> CellsOf(const ReportLabel& row) {
  const DurationSums& sums = row.sums.durations;
  const StageWork& work = row.sums.work;
  const std::string stage = StageName(row.key.of);
  return {Text(row.key.value, ", ", stage),
          Text(row.key.label, " = ", row.key.value),
          stage,
          row.key.label,
          row.key.value,
          sums.total_ns,
          sums.count,
          sums.count == 0 ? 0 : sums.total_ns / sums.count,
          sums.max_ns,
          work.device_ns,
          work.launched,
          work.blocked_ns,
          row.key.of.source,
          row.key.of.name,
          row.key.of.domain,
          row.key.of.program,
          sums.count == 0 ? 0 : sums.min_ns};
}

constexpr Column kKernels[] = {
    {"", "kernel", ValueKind::kCode, kShort},
    {"name", "kernel", ValueKind::kCode, kNotShort},
    kTotal,
    {"share_percent", "share", ValueKind::kShare, kEverywhere, "Of all kernels' time"},
    kCount,
    {"class", "class", ValueKind::kText, kEverywhere},
    kMedian,
    {"starved_ms", "starved", ValueKind::kDuration, kEverywhere,
     "How long the device had had nothing to do, before those that were submitted only then"},
    {"starved", "starved times", ValueKind::kCount, kNotShort,
     "Submitted only when the device had nothing left to do"},
    {"p95_ms", "95 %", ValueKind::kDuration, kNotShort, kShorter},
    {"max_ms", "longest", ValueKind::kDuration, kNotShort},
    {"source", "", ValueKind::kText, kFile},
    {"min_ms", "", ValueKind::kDuration, kFile},
    {"p99_ms", "", ValueKind::kDuration, kFile}};

std::vector<Value> CellsOf(const ReportKernel& kernel) {
  const DurationSums& sums = kernel.sums;
  return {KernelName(kernel.key.name),
          kernel.key.name,
          sums.total_ns,
          kernel.share,
          sums.count,
          KernelClassName(kernel.kernel_class),
          Quantile(sums, 0.5),
          kernel.starved.idle_ns,
          kernel.starved.count,
          Quantile(sums, 0.95),
          sums.max_ns,
          kernel.key.source,
          sums.count == 0 ? 0 : sums.min_ns,
          Quantile(sums, 0.99)};
}

constexpr Column kClasses[] = {{"class", "", ValueKind::kText, kFile},
                               {"total_ms", "", ValueKind::kDuration, kFile},
                               {"share_percent", "", ValueKind::kShare, kFile}};

constexpr Column kCopies[] = {{"name", "copy", ValueKind::kCode, kEverywhere},
                              kTotal,
                              {"bytes", "bytes", ValueKind::kBytes, kEverywhere},
                              kCount,
                              {"", "rate", ValueKind::kRate, kShort | kPage, "Bytes by total time"},
                              {"median_ms", "median", ValueKind::kDuration, kNotShort},
                              {"p95_ms", "95 %", ValueKind::kDuration, kNotShort, kShorter},
                              {"max_ms", "longest", ValueKind::kDuration, kNotShort},
                              {"source", "", ValueKind::kText, kFile},
                              {"min_ms", "", ValueKind::kDuration, kFile},
                              {"p99_ms", "", ValueKind::kDuration, kFile}};

Value RateOf(const CopySums& sums) {
  if (sums.durations.total_ns == 0) return Nothing{};
  const double seconds = static_cast<double>(sums.durations.total_ns) / 1e9;
  return static_cast<uint64_t>(static_cast<double>(sums.bytes) / seconds);
}

std::vector<Value> CellsOf(const ReportCopy& copy) {
  const DurationSums& sums = copy.sums.durations;
  return {copy.key.name,        sums.total_ns,
          copy.sums.bytes,      sums.count,
          RateOf(copy.sums),    Quantile(sums, 0.5),
          Quantile(sums, 0.95), sums.max_ns,
          copy.key.source,      sums.count == 0 ? 0 : sums.min_ns,
          Quantile(sums, 0.99)};
}

}  // namespace

Section StagesSection(const Report& report, const RowChoice& choice) {
  Section section{"stages", "Stages", kStages, {}};
  FillRows(
      report.stages, Wished(report, choice), kFewStages,
      [](const ReportStage& stage) { return stage.sums.total_ns; },
      [&](const ReportStage& stage) { return CellsOf(stage, report.lost_matters); }, &section);
  return section;
}

Section LabelsSection(const Report& report, const RowChoice& choice) {
  const std::string& wished = report.wish.label;
  Section section{"labels", "Stages by label", kLabels, {}};
  std::vector<ReportLabel> rows;
  std::copy_if(report.labels.begin(), report.labels.end(), std::back_inserter(rows),
               [&](const ReportLabel& row) { return wished.empty() || row.key.label == wished; });
  FillRows(
      rows, Wished(report, choice), kFewLabels,
      [](const ReportLabel& row) { return row.sums.durations.total_ns; },
      [](const ReportLabel& row) { return CellsOf(row); }, &section);
  return section;
}

Section KernelsSection(const Report& report, const RowChoice& choice) {
  Section section{"kernels", "Kernels", kKernels, {}};
  FillRows(
      report.kernels, Wished(report, choice), kFewKernels,
      [](const ReportKernel& kernel) { return kernel.sums.total_ns; },
      [](const ReportKernel& kernel) { return CellsOf(kernel); }, &section);
  const std::string classes = ClassesText(report);
  if (!classes.empty()) section.note = Text("by class: ", classes);
  const std::string verdict = KernelVerdict(report);
  if (!verdict.empty()) section.note += Text("; ", verdict);
  return section;
}

Section ClassesSection(const Report& report) {
  Section section{"kernel_classes", "", kClasses, {}};
  uint64_t all = 0;
  for (const uint64_t ns : report.kernel_class_ns) all += ns;
  for (size_t i = 0; i < kKernelClasses; ++i) {
    section.rows.push_back({KernelClassName(static_cast<KernelClass>(i)), report.kernel_class_ns[i],
                            ShareOf(report.kernel_class_ns[i], all)});
  }
  return section;
}

Section CopiesSection(const Report& report, const RowChoice& choice) {
  Section section{"copies", "Copies", kCopies, {}};
  FillRows(
      report.copies, Wished(report, choice), kFewCopies,
      [](const ReportCopy& copy) { return copy.sums.durations.total_ns; },
      [](const ReportCopy& copy) { return CellsOf(copy); }, &section);
  return section;
}

}  // namespace syncline
