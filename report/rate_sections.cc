// SPDX-License-Identifier: Apache-2.0
// The best that devices reached with numbers of each format, beside what datasheets promise.
#include <algorithm>
#include <string>
#include <vector>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/reached_rates.h"
#include "report/section_rows.h"
#include "report/sections.h"

namespace syncline {
namespace {

constexpr size_t kFewFormats = 4;

constexpr Column kFormats[] = {
    {"format", "computed in", ValueKind::kText, kEverywhere},
    {"flops", "FLOP", ValueKind::kFlops, kEverywhere,
     "Matrix products, convolutions and attention on GPUs"},
    {"best_tflops_per_s", "best seen", ValueKind::kFlopRate, kEverywhere,
     "The most that one call reached"},
    {"best_operator", "in", ValueKind::kCode, kEverywhere, "The operator of that call"},
    {"peak_tflops_per_s", "datasheet", ValueKind::kFlopRate, kEverywhere,
     "What it promises of one GPU, without sparsity"},
    {"best_percent", "of it", ValueKind::kPeakShare, kEverywhere, "The best seen"}};

struct FormatRow {
  size_t format = 0;
  double flops = 0;
  double best = 0;
  std::string best_operator;
};

std::vector<FormatRow> RowsOf(const Report& report) {
  std::vector<FormatRow> rows;
  for (size_t format = 0; format < kNumberFormats; ++format) {
    FormatRow row;
    row.format = format;
    for (const ReportOperator& one : report.operators) {
      const ComputedWork& work = one.sums.computed;
      row.flops += work.flops[format];
      if (work.best[format] <= row.best) continue;
      row.best = work.best[format];
      row.best_operator = one.key.name;
    }
    if (row.flops != 0) rows.push_back(std::move(row));
  }
  StableSort(&rows, [](const FormatRow& a, const FormatRow& b) { return a.flops > b.flops; });
  return rows;
}

std::vector<Value> CellsOf(const FormatRow& row, const DevicePeaks* peaks, bool lost) {
  const PeakRange peak =
      peaks == nullptr ? PeakRange() : PeakOf(*peaks, static_cast<NumberFormat>(row.format));
  const auto known = [&](double low, double high, ValueKind kind) {
    if (peaks == nullptr) return Value(Nothing{});
    return peak.low == 0 ? Value(Unknown{}) : ValueBetween(low, high, kind);
  };
  return {
      std::string(kNumberFormatNames[row.format]),
      row.flops,
      IfNoneLost(lost, row.best),
      row.best_operator,
      known(peak.low, peak.high, ValueKind::kFlopRate),
      IfNoneLost(lost, known(row.best / peak.high, row.best / peak.low, ValueKind::kPeakShare))};
}

}  // namespace

double BestBytesPerSecond(const Report& report) {
  double best = 0;
  for (const ReportOperator& one : report.operators)
    best = std::max(best, one.sums.computed.best_bytes);
  return best;
}

Section RatesSection(const Report& report, const RowChoice& choice) {
  Section section{"rates", "Rates", kFormats, {}};
  size_t devices = 0;
  const DevicePeaks* const peaks = PeaksOf(report, "", 0, &devices);
  const std::vector<FormatRow> rows = RowsOf(report);
  FillRows(
      rows, Wished(report, choice), kFewFormats, [](const FormatRow& row) { return row.flops; },
      [&](const FormatRow& row) { return CellsOf(row, peaks, report.lost_matters); }, &section);
  section.note = rows.empty() ? "" : RatesText(report);
  return section;
}

}  // namespace syncline
