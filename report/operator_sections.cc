// SPDX-License-Identifier: Apache-2.0
// Operators of all ranks: what each name took on the host and on devices.
#include "report/operator_sections.h"

#include <algorithm>
#include <tuple>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/reached_rates.h"
#include "report/section_rows.h"
#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kFewOperators = 8;
constexpr size_t kMostOperators = 200;  // are told one by one
constexpr size_t kMostGroups = 1000;    // so are they, by sizes or lines

constexpr Column kOperators[] = {
    {"", "operator", ValueKind::kCode, kShort},  // and the line: beside it numbers need the room
    {"", "operator", ValueKind::kCode, kPage},
    {"line", "line", ValueKind::kCode, kNotShort,
     "Of your own code, that called it, or what it goes back through"},
    {"own_device_ms", "own GPU time", ValueKind::kDuration, kEverywhere,
     "Of what was submitted in it, or captured in it and replayed, and in no operator within, "
     "added "
     "up"},
    {"share_percent", "share", ValueKind::kShare, kEverywhere, "Of all operators' own GPU time"},
    {"own_replayed_ms", "own, in graphs", ValueKind::kDuration, kEverywhere,
     "GPU time of what was captured in it and in no operator within, each time that its graph ran"},
    {"tflops_per_s", "FLOP/s", ValueKind::kFlopRate, kEverywhere,
     "Of its own ones, in the GPU time of what these submitted"},
    {"peak_percent", "of peak", ValueKind::kPeakShare, kEverywhere,
     "Of what the GPU's datasheet promises for numbers of that format"},
    {"flops", "FLOP", ValueKind::kFlops, kEverywhere,
     "Of matrix products, convolutions and attention, with operators within"},
    {"bound_by", "bound by", ValueKind::kText, kEverywhere,
     "What takes longer at its peak: to compute, or to move inputs and outputs once"},
    {"own_host_ms", "own CPU time", ValueKind::kDuration, kEverywhere,
     "Threads were in it and in no operator within"},
    {"count", "count", ValueKind::kCount, kEverywhere},
    {"device_ms", "GPU time", ValueKind::kDuration, kEverywhere, "With operators within"},
    {"host_ms", "CPU time", ValueKind::kDuration, kEverywhere, "With operators within"},
    {"own_blocked_ms", "own blocked", ValueKind::kDuration, kNotShort,
     "Threads waited for GPUs in it and in no operator within"},
    {"blocked_ms", "blocked", ValueKind::kDuration, kNotShort, "With operators within"},
    {"own_launched", "own launches", ValueKind::kCount, kNotShort,
     "Operations of GPUs submitted in it and in no operator within"},
    {"launched", "launched", ValueKind::kCount, kNotShort, "With operators within"},
    {"replayed_ms", "in graphs", ValueKind::kDuration, kNotShort, "With operators within"},
    {"name", "", ValueKind::kCode, kFile},
    {"domain", "", ValueKind::kCode, kFile},
    {"program", "", ValueKind::kCode, kFile},
    {"source", "", ValueKind::kText, kFile},
    {"shapes", "", ValueKind::kText, kFile},
    {"own_flops", "", ValueKind::kFlops, kFile},
    {"least_bytes", "", ValueKind::kReal, kFile},
    {"flops_per_byte", "", ValueKind::kReal, kFile},
    {"best_tflops_per_s", "", ValueKind::kFlopRate, kFile}};

double BestOf(const ByFormat& rates) { return *std::max_element(rates.begin(), rates.end()); }

// Nothing of nothing.
Value Known(double number) { return number == 0 ? Value(Nothing{}) : Value(number); }

std::vector<Value> CellsOf(const ReportOperator& row, uint64_t all_ns, const DevicePeaks* peaks,
                           bool lost) {
  const OperatorSums& sums = row.sums;
  const ComputedWork& computed = sums.computed;
  const double flops = SumOf(computed.flops);
  const bool moved = computed.bytes_known && computed.bytes != 0;
  const std::string name =
      Text(row.key.name, row.shapes.empty() ? "" : " ", row.shapes, OfProgram(row.key.program));
  return {Text(name, row.line.empty() ? "" : ", ", row.line),
          name,
          row.line.empty() ? Value(Nothing{}) : Value(row.line),
          sums.own.device_ns,
          ShareOf(sums.own.device_ns, all_ns),
          sums.own.replayed_ns,
          IfNoneLost(lost, RateOf(flops, computed.device_ns)),
          IfNoneLost(lost, ShareOfPeak(peaks, computed.flops, computed.device_ns)),
          Known(sums.all.flops),
          BoundBy(peaks, computed),
          sums.own.host_ns,
          sums.count,
          sums.all.device_ns,
          sums.all.host_ns,
          sums.own.blocked_ns,
          sums.all.blocked_ns,
          sums.own.launched,
          sums.all.launched,
          sums.all.replayed_ns,
          row.key.name,
          row.key.domain,
          row.key.program,
          row.key.source,
          row.shapes,
          Known(sums.own.flops),
          moved ? Value(computed.bytes) : Value(Nothing{}),
          moved ? Known(flops / computed.bytes) : Value(Nothing{}),
          IfNoneLost(lost, Known(BestOf(computed.best)))};
}

// The others, which are of no source, stand last however much they are together.
std::tuple<uint64_t, uint64_t> CostOf(const ReportOperator& row) {
  if (row.key.source.empty()) return {};
  return {row.sums.own.device_ns + row.sums.own.replayed_ns, row.sums.own.host_ns};
}

}  // namespace

namespace {

// Costliest first; those beyond the most are one.
void KeepCostliest(size_t most, std::vector<ReportOperator>* rows) {
  StableSort(
      rows, [](const ReportOperator& a, const ReportOperator& b) { return CostOf(a) > CostOf(b); });
  if (rows->size() <= most) return;
  ReportOperator others;
  others.key.name = Text("(", CountText(rows->size() - most), " other operators)");
  for (size_t i = most; i < rows->size(); ++i) others.sums.Add((*rows)[i].sums);
  rows->resize(most);
  rows->push_back(std::move(others));
}

}  // namespace

void AddOperators(const RunFindings& findings, Report* report) {
  for (const auto& [key, sums] : findings.operators)
    report->operators.push_back({key, "", "", sums});
  for (const auto& [key, sums] : findings.operator_shapes)
    report->operator_shapes.push_back({key.of, key.by, "", sums});
  for (const auto& [key, sums] : findings.operator_lines)
    report->operator_lines.push_back({key.of, "", key.by, sums});
  KeepCostliest(kMostOperators, &report->operators);
  KeepCostliest(kMostGroups, &report->operator_shapes);
  KeepCostliest(kMostGroups, &report->operator_lines);
}

Section OperatorsSection(const Report& report, const RowChoice& choice) {
  Section section{"operators", "Operators", kOperators, {}};
  const OperatorsBy by = report.wish.operators;
  const std::vector<ReportOperator>& rows = by == OperatorsBy::kShapes ? report.operator_shapes
                                            : by == OperatorsBy::kLine ? report.operator_lines
                                                                       : report.operators;
  uint64_t all_ns = 0;
  size_t devices = 0;
  const bool lost = report.lost_matters;
  const DevicePeaks* const peaks = PeaksOf(report, "", 0, &devices);
  for (const ReportOperator& row : rows) all_ns += row.sums.own.device_ns;
  FillRows(
      rows, Wished(report, choice), kFewOperators,
      [](const ReportOperator& row) { return CostOf(row); },
      [=](const ReportOperator& row) { return CellsOf(row, all_ns, peaks, lost); }, &section);
  return section;
}

}  // namespace syncline
