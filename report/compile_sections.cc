// SPDX-License-Identifier: Apache-2.0
// What frameworks' compilers compiled in all ranks, why again, and where they could not go on.
#include "report/compile_sections.h"

#include <algorithm>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "model/findings/step_label.h"
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

// "train.py:4 f(), compiled again: tensor 'x' size mismatch ...". The folder says least of it.
std::string Sentence(const CompileKey& key) {
  std::string text = key.where.substr(key.where.rfind('/') + 1);
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

constexpr Column kCompileSteps[] = {
    {"", "compilations by step", ValueKind::kText, kShort},
    {"step", "step", ValueKind::kText, kNotShort},
    {"took_ms", "took", ValueKind::kDuration, kEverywhere},
    {"of_ms", "of", ValueKind::kDuration, kEverywhere, "how long the step took"},
    {"count", "count", ValueKind::kCount, kEverywhere},
    {"again", "again", ValueKind::kCount, kEverywhere},
    {"longest", "longest", ValueKind::kText, kNotShort},
    {"why", "why", ValueKind::kText, kNotShort},
    {"number", "", ValueKind::kPlain, kFile},
    {"rank", "", ValueKind::kText, kFile}};

std::string StepText(const ReportCompileStep& row, bool ranks) {
  const std::string step =
      row.step.steps.empty() ? "outside of steps" : LabelOfStep(row.step.steps, row.step.number);
  return ranks ? Text(row.rank, " ", step) : step;
}

}  // namespace

void AddCompilations(const RunFindings& findings, Report* report) {
  std::vector<ReportCompilation>& rows = report->compilations;
  for (const auto& [key, sums] : findings.compilations) rows.push_back({key, sums});
  for (const auto& [rank, part] : findings.ranks) {
    for (const CompileStep& step : part.compile_steps)
      report->compile_steps.push_back({rank, step});
  }
  StableSort(&report->compile_steps, [](const ReportCompileStep& a, const ReportCompileStep& b) {
    return a.step.compile_ns > b.step.compile_ns;
  });
  StableSort(&rows, [](const ReportCompilation& a, const ReportCompilation& b) {
    return std::pair(a.sums.total_ns, a.sums.count) > std::pair(b.sums.total_ns, b.sums.count);
  });
}

// "training step 7: train.py:4 f(), compiled again: tensor 'x' size mismatch ..."
Section CompileStepsSection(const Report& report, const RowChoice& choice) {
  Section section{"compile_steps", "Compilations by step", kCompileSteps, {}};
  const bool ranks = report.ranks.size() > 1;
  FillRows(
      report.compile_steps, Wished(report, choice), kFewCompilations,
      [](const ReportCompileStep& row) { return row.step.compile_ns; },
      [ranks](const ReportCompileStep& row) {
        const CompileStep& step = row.step;
        const bool outside = step.steps.empty();
        const std::string text = StepText(row, ranks);
        const std::string why = step.why.empty() ? "" : Text(": ", step.why);
        return std::vector<Value>{Text(text, ": ", step.what, why),
                                  text,
                                  step.compile_ns,
                                  outside ? Value(Nothing{}) : Value(step.duration_ns),
                                  step.count,
                                  step.again,
                                  step.what,
                                  step.why,
                                  outside ? Value(Nothing{}) : Value(step.number),
                                  row.rank};
      },
      &section);
  return section;
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
