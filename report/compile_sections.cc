// SPDX-License-Identifier: Apache-2.0
// What frameworks' compilers compiled in all ranks, why again, and where they could not go on.
#include "report/compile_sections.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "report/section_rows.h"
#include "report/sections.h"

namespace syncline {
namespace {

constexpr size_t kFewCompilations = 8;

constexpr Column kCompilations[] = {{"", "compilations", ValueKind::kText, kShort},
                                    {"where", "compilations", ValueKind::kCode, kNotShort},
                                    {"took_ms", "took", ValueKind::kDuration, kEverywhere},
                                    {"count", "count", ValueKind::kCount, kEverywhere},
                                    {"longest_ms", "longest", ValueKind::kDuration, kNotShort},
                                    {"kind", "what", ValueKind::kText, kNotShort},
                                    {"why", "why", ValueKind::kText, kNotShort},
                                    {"source", "", ValueKind::kText, kFile}};

// "train.py:4 f(), compiled again: tensor 'x' size mismatch ..."
std::string Sentence(const CompileKey& key) {
  std::string text = key.where;
  if (key.kind != CompileKind::kFirst) text += Text(", ", CompileKindName(key.kind));
  return key.why.empty() ? text : Text(text, ": ", key.why);
}

std::vector<Value> CellsOf(const ReportCompilation& row) {
  const bool breaks = row.key.kind == CompileKind::kBreak;
  const auto duration = [breaks](uint64_t ns) { return breaks ? Value(Nothing{}) : Value(ns); };
  return {Sentence(row.key),
          row.key.where,
          duration(row.sums.total_ns),
          row.sums.count,
          duration(row.sums.max_ns),
          CompileKindName(row.key.kind),
          row.key.why,
          row.key.source};
}

}  // namespace

void AddCompilations(const RunFindings& findings, Report* report) {
  std::vector<ReportCompilation>& rows = report->compilations;
  for (const auto& [key, sums] : findings.compilations) rows.push_back({key, sums});
  std::stable_sort(
      rows.begin(), rows.end(), [](const ReportCompilation& a, const ReportCompilation& b) {
        return std::pair(a.sums.total_ns, a.sums.count) > std::pair(b.sums.total_ns, b.sums.count);
      });
}

Section CompilationsSection(const Report& report, const RowChoice& choice) {
  Section section{"compilations", "Compilations", kCompilations, {}};
  uint64_t took_ns = 0, again_ns = 0;
  for (const ReportCompilation& row : report.compilations) {
    took_ns += row.sums.total_ns;
    if (row.key.kind == CompileKind::kAgain) again_ns += row.sums.total_ns;
  }
  if (again_ns != 0)
    section.note = Text("compiling took ", DurationText(took_ns), ", of which ",
                        DurationText(again_ns), " were to compile again");
  FillRows(
      report.compilations, Wished(report, choice), kFewCompilations,
      [](const ReportCompilation& row) { return row.sums.total_ns; },
      [](const ReportCompilation& row) { return CellsOf(row); }, &section);
  return section;
}

}  // namespace syncline
