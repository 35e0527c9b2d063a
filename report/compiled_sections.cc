// SPDX-License-Identifier: Apache-2.0
// Kernels that a compiler generated, with the operators and lines that they are made of; and what
// it calls instead of generating one.
#include "report/compiled_sections.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "report/section_rows.h"
#include "report/sections.h"

namespace syncline {
namespace {

constexpr size_t kFewRows = 8;

constexpr Column kKernels[] = {
    {"", "generated kernels", ValueKind::kText, kShort},
    {"name", "kernel", ValueKind::kCode, kNotShort},
    {"total_ms", "GPU time", ValueKind::kDuration, kEverywhere,
     "of all kernels of that name, whichever graph they are of"},
    {"calls", "calls", ValueKind::kCount, kEverywhere},
    {"operators", "operators", ValueKind::kText, kNotShort},
    {"lines", "lines", ValueKind::kText, kNotShort},
    {"graphs", "graphs", ValueKind::kText, kNotShort, "compilations as the compiler numbers them"},
    {"in_graphs", "", ValueKind::kCount, kFile},
    {"source", "", ValueKind::kText, kFile}};
constexpr Column kCalls[] = {
    {"", "called instead of generated", ValueKind::kText, kShort},
    {"name", "call", ValueKind::kCode, kNotShort},
    {"in_graphs", "in graphs", ValueKind::kCount, kEverywhere,
     "so often in the code that was made, of all graphs and ranks"},
    {"kind", "what", ValueKind::kText, kNotShort,
     "library: called on purpose; fallback: the compiler has no code for that operator"},
    {"operators", "operators", ValueKind::kText, kNotShort},
    {"lines", "lines", ValueKind::kText, kNotShort},
    {"graphs", "graphs", ValueKind::kText, kNotShort, "compilations as the compiler numbers them"},
    {"source", "", ValueKind::kText, kFile}};

// "triton_poi_fused_add_0: aten.add; train.py:5 f()"
std::string Sentence(const ReportCompiled& row) {
  std::string text = row.key.name;
  const bool said =
      row.key.kind == CompiledKind::kFallback && row.key.name.starts_with(row.key.operators);
  if (row.key.kind == CompiledKind::kFallback) text += " (fallback)";
  if (!row.key.operators.empty() && !said) text += Text(": ", row.key.operators);
  return row.key.lines.empty() ? text : Text(text, "; ", row.key.lines);
}

Value TextOrNone(const std::string& text) { return text.empty() ? Value(Unknown{}) : Value(text); }

std::string GraphsText(const CompiledSums& sums) {
  std::string text;
  for (const std::string& graph : sums.graphs) text += (text.empty() ? "" : ", ") + graph;
  return sums.graphs.size() < CompiledSums::kMostGraphs ? text : text + ", ...";
}

uint64_t Ran(const ReportCompiled& row) { return row.ran ? row.ran->total_ns : 0; }

std::vector<Value> KernelCells(const ReportCompiled& row) {
  const Value none = Nothing{};
  return {Sentence(row),
          row.key.name,
          row.ran ? Value(row.ran->total_ns) : none,
          row.ran ? Value(row.ran->count) : none,
          TextOrNone(row.key.operators),
          TextOrNone(row.key.lines),
          GraphsText(row.sums),
          row.sums.count,
          row.key.source};
}

std::vector<Value> CallCells(const ReportCompiled& row) {
  return {Sentence(row),
          row.key.name,
          row.sums.count,
          CompiledKindName(row.key.kind),
          TextOrNone(row.key.operators),
          TextOrNone(row.key.lines),
          GraphsText(row.sums),
          row.key.source};
}

std::vector<ReportCompiled> RowsOf(const Report& report, bool kernels) {
  std::vector<ReportCompiled> rows;
  for (const ReportCompiled& row : report.compiled) {
    if ((row.key.kind == CompiledKind::kKernel) == kernels) rows.push_back(row);
  }
  return rows;
}

}  // namespace

// Fallbacks before calls of libraries, which are nothing to be mended.
void AddCompiled(const RunFindings& findings, Report* report) {
  std::map<std::string, DurationSums> ran;
  for (const auto& [key, sums] : findings.kernels) ran[key.name].Add(sums);
  for (const auto& [key, sums] : findings.compiled) {
    ReportCompiled& row = report->compiled.emplace_back(ReportCompiled{key, sums});
    const auto found = ran.find(key.name);
    if (key.kind == CompiledKind::kKernel && found != ran.end()) row.ran = found->second;
  }
  StableSort(&report->compiled, [](const ReportCompiled& a, const ReportCompiled& b) {
    if (a.key.kind != b.key.kind) return a.key.kind > b.key.kind;
    return std::pair(Ran(a), a.sums.count) > std::pair(Ran(b), b.sums.count);
  });
}

Section CompiledKernelsSection(const Report& report, const RowChoice& choice) {
  Section section{"compiled_kernels", "Generated kernels", kKernels, {}};
  const std::vector<ReportCompiled> rows = RowsOf(report, true);
  std::map<std::string, int> names;
  for (const ReportCompiled& row : rows) ++names[row.key.name];
  const auto shared =
      std::count_if(names.begin(), names.end(), [](const auto& name) { return name.second > 1; });
  if (shared != 0)
    section.note = Text(Counted(static_cast<uint64_t>(shared), "name"),
                        " of several kernels: their times are of all of that name");
  FillRows(rows, Wished(report, choice), kFewRows, Ran, KernelCells, &section);
  return section;
}

Section CompiledCallsSection(const Report& report, const RowChoice& choice) {
  Section section{"compiled_calls", "Called instead of generated", kCalls, {}};
  const std::vector<ReportCompiled> rows = RowsOf(report, false);
  FillRows(
      rows, Wished(report, choice), kFewRows,
      [](const ReportCompiled& row) { return row.sums.count; }, CallCells, &section);
  return section;
}

}  // namespace syncline
