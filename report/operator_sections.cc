// SPDX-License-Identifier: Apache-2.0
// Operators of all ranks: what each name took on the host and on devices.
#include "report/operator_sections.h"

#include <algorithm>
#include <tuple>

#include "base/text.h"
#include "report/section_rows.h"
#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kFewOperators = 8;
constexpr size_t kMostOperators = 200;  // are told one by one

constexpr Column kOperators[] = {
    {"", "operator", ValueKind::kCode, kShort | kPage},
    {"own_device_ms", "own GPU time", ValueKind::kDuration, kEverywhere,
     "Of what was submitted in it, or captured in it and replayed, and in no operator within, "
     "added "
     "up"},
    {"share_percent", "share", ValueKind::kShare, kEverywhere, "Of all operators' own GPU time"},
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
    {"own_replayed_ms", "of own GPU time in graphs", ValueKind::kDuration, kNotShort,
     "Of what was captured in it, each time that its graph ran"},
    {"replayed_ms", "of GPU time in graphs", ValueKind::kDuration, kNotShort,
     "With operators within"},
    {"name", "", ValueKind::kCode, kFile},
    {"domain", "", ValueKind::kCode, kFile},
    {"program", "", ValueKind::kCode, kFile},
    {"source", "", ValueKind::kText, kFile}};

std::vector<Value> CellsOf(const ReportOperator& row, uint64_t all_ns) {
  const OperatorSums& sums = row.sums;
  return {row.key.name + OfProgram(row.key.program),
          sums.own.device_ns,
          ShareOf(sums.own.device_ns, all_ns),
          sums.own.host_ns,
          sums.count,
          sums.all.device_ns,
          sums.all.host_ns,
          sums.own.blocked_ns,
          sums.all.blocked_ns,
          sums.own.launched,
          sums.all.launched,
          sums.own.replayed_ns,
          sums.all.replayed_ns,
          row.key.name,
          row.key.domain,
          row.key.program,
          row.key.source};
}

std::tuple<uint64_t, uint64_t> CostOf(const ReportOperator& row) {
  return {row.sums.own.device_ns, row.sums.own.host_ns};
}

}  // namespace

void AddOperators(const RunFindings& findings, Report* report) {
  std::vector<ReportOperator>& rows = report->operators;
  for (const auto& [key, sums] : findings.operators) rows.push_back({key, sums});
  std::stable_sort(rows.begin(), rows.end(), [](const ReportOperator& a, const ReportOperator& b) {
    return CostOf(a) > CostOf(b);
  });
  if (rows.size() <= kMostOperators) return;
  ReportOperator others;
  others.key.name = Text("(", CountText(rows.size() - kMostOperators), " other operators)");
  for (size_t i = kMostOperators; i < rows.size(); ++i) others.sums.Add(rows[i].sums);
  rows.resize(kMostOperators);
  rows.push_back(std::move(others));
}

Section OperatorsSection(const Report& report, const RowChoice& choice) {
  Section section{"operators", "Operators", kOperators, {}};
  uint64_t all_ns = 0;
  for (const ReportOperator& row : report.operators) all_ns += row.sums.own.device_ns;
  FillRows(
      report.operators, Wished(report, choice), kFewOperators,
      [](const ReportOperator& row) { return CostOf(row); },
      [=](const ReportOperator& row) { return CellsOf(row, all_ns); }, &section);
  return section;
}

}  // namespace syncline
