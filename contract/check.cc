// SPDX-License-Identifier: Apache-2.0
// A measure against its bound.
#include "contract/check.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/nearest_name.h"
#include "base/stable_sort.h"
#include "base/text.h"
#include "contract/named_line.h"
#include "contract/told_apart.h"

namespace syncline {
namespace {

constexpr char kSimulatedTimes[] =
    "the run is of a simulated GPU, whose times and memory say nothing of a real one: check counts "
    "there (waits_per_step, kernels_per_step, copies_per_step, bytes)";

struct Value {
  double number = 0;
  std::string unknown{};
  bool found = false;  // of a line: something waits there
};

const Measure* WholeOf(const RunMeasures& run, const MeasureFacts& facts) {
  for (const Measure& measure : run.measures) {
    if (measure.facts == &facts && measure.of == MeasureOf::kRun) return &measure;
  }
  return nullptr;
}

std::string NoStage(const Expression& expression, const RunMeasures& run) {
  const std::string& name = expression.place;
  const std::string shown = PrintableText(name);
  if (std::find(run.stages.begin(), run.stages.end(), name) != run.stages.end())
    return Text("nothing is known of `", expression.measure->name, "` in `", shown, "`");
  const std::string nearest = NearestName(name, run.stages);
  return Text("the run has no stage `", shown, "`",
              nearest.empty() ? "" : Text(": did you mean `", PrintableText(nearest), "`?"));
}

// What is of lines adds up: a file, or a function, has several.
Value ValueOf(const Expression& expression, const RunMeasures& run) {
  const MeasureFacts& facts = *expression.measure;
  if (run.simulated && facts.of_device) return {0, kSimulatedTimes};
  const Measure* const whole = WholeOf(run, facts);
  if (whole == nullptr) return {0, "it was not measured"};
  const bool only_stages = std::string_view(facts.name).starts_with("stage_");
  if (!only_stages && !whole->unknown.empty()) return {0, whole->unknown};
  if (expression.of == MeasureOf::kRun) return {whole->value, {}};
  Value value;
  bool any = false;
  for (const Measure& measure : run.measures) {
    if (measure.facts != &facts || measure.of != expression.of) continue;
    const bool is_it = expression.of == MeasureOf::kLine ? IsLine(measure.where, expression.place)
                                                         : measure.where == expression.place;
    if (is_it) value.number += measure.value;
    any = any || is_it;
  }
  const bool is_stage =
      std::find(run.stages.begin(), run.stages.end(), expression.place) != run.stages.end();
  // Nothing was waited for at a line, or in a stage that there is.
  value.found = any;
  if (any || expression.of == MeasureOf::kLine || (!only_stages && is_stage)) return value;
  return {0, NoStage(expression, run)};
}

bool Holds(Relation relation, double value, double bound) {
  switch (relation) {
    case Relation::kLess:
      return value < bound;
    case Relation::kAtMost:
      return value <= bound;
    case Relation::kMore:
      return value > bound;
    case Relation::kAtLeast:
      return value >= bound;
    case Relation::kEqual:
      break;
  }
  return value == bound;
}

const char* UnitName(MeasureUnit unit) {
  switch (unit) {
    case MeasureUnit::kTime:
      return "ns";
    case MeasureUnit::kBytes:
      return "bytes";
    case MeasureUnit::kShare:
      return "share";
    case MeasureUnit::kCount:
      break;
  }
  return "count";
}

void TellValues(const Expression& expression, double value, double bound, const Value* base,
                Verdict* verdict) {
  const MeasureFacts& facts = *expression.measure;
  const ToldApart told = TellApart(facts, value, bound);
  verdict->value = value;
  verdict->measured = told.measured;
  verdict->wanted = Text(RelationText(expression.relation), " ", told.bound);
  if (base == nullptr) return;
  verdict->wanted += Text(" (the base has ", TellApart(facts, base->number, value).measured, ")");
}

// A line at which nothing waits may be one that is not there.
void DoubtLine(const Expression& expression, const RunMeasures& run, Verdict* verdict) {
  const NamedLine named = KnowLine(expression.place, run);
  verdict->why = named.misspelt;
  verdict->note = named.doubt;
}

// Those that the expression is about.
std::vector<LineOfStep> Chosen(const Expression& expression, std::vector<LineOfStep> lines) {
  if (expression.of == MeasureOf::kLine)
    std::erase_if(lines,
                  [&](const LineOfStep& line) { return !IsLine(line.where, expression.place); });
  return lines;
}

void Keep(std::vector<LineOfStep> lines, const char* are, Verdict* verdict) {
  verdict->lines_of = lines.size();
  if (lines.size() > kMostLinesOfVerdict) lines.resize(kMostLinesOfVerdict);
  verdict->lines = std::move(lines);
  verdict->lines_are = are;
}

// What is new stands first.
void NewFirst(const std::vector<LineOfStep>& before, std::vector<LineOfStep>* lines) {
  const std::vector<LineOfStep> fresh = NewLines(*lines, before);
  if (!fresh.empty()) *lines = fresh;
}

void TellLines(const Expression& expression, const RunMeasures& run, const RunMeasures* base,
               Verdict* verdict) {
  const std::string_view name = expression.measure->name;
  const bool less =
      expression.relation == Relation::kMore || expression.relation == Relation::kAtLeast;
  if (less) return;  // what is missing has no line
  std::vector<LineOfStep> lines;
  if (name.starts_with("wait") || name == "step" || name == "idle" || name == "gpu_busy") {
    lines = Chosen(expression, run.waits);
    if (base != nullptr) NewFirst(base->waits, &lines);
    return Keep(std::move(lines), "waits per step", verdict);
  }
  const bool submits =
      name == "kernels_per_step" || name == "copies_per_step" || name.starts_with("bytes_");
  if (!submits) return;
  lines = run.launches;
  if (base != nullptr && !base->launches.empty()) NewFirst(base->launches, &lines);
  if (lines.empty())
    verdict->hint = "record with `--torch lines` to have the lines that submit most";
  Keep(std::move(lines), "submissions to the GPU per step", verdict);
}

Verdict CheckNewWaits(const Expression& expression, const RunMeasures& run,
                      const RunMeasures& base) {
  Verdict verdict{expression.text};
  for (const RunMeasures* one : {&run, &base}) {
    const Measure* const waits = WholeOf(*one, *FindMeasure("waits_per_step"));
    if (waits == nullptr || !waits->unknown.empty()) {
      verdict.why = Text(one == &base ? "of the base: " : "",
                         waits == nullptr ? "it was not measured" : waits->unknown);
      return verdict;
    }
  }
  std::vector<LineOfStep> lines = NewLines(run.waits, base.waits_ever);
  verdict.outcome = lines.empty() ? Outcome::kHolds : Outcome::kBroken;
  verdict.measured = lines.empty() ? "no line waits that did not"
                                   : Text(Counted(lines.size(), "new line"), " that ",
                                          lines.size() == 1 ? "waits" : "wait");
  verdict.wanted = "none";
  verdict.value = static_cast<double>(lines.size());
  verdict.unit = "count";
  Keep(std::move(lines), "waits per step", &verdict);
  return verdict;
}

}  // namespace

const char* OutcomeName(Outcome outcome) {
  return outcome == Outcome::kHolds ? "holds" : outcome == Outcome::kBroken ? "broken" : "unknown";
}

std::vector<LineOfStep> NewLines(const std::vector<LineOfStep>& lines,
                                 const std::vector<LineOfStep>& before) {
  // A function may have the same text at several lines.
  std::map<std::pair<std::string, std::string>, int> known;
  const auto key = [](const LineOfStep& line) {
    const LinePlace place = PlaceOf(line.where);
    return std::pair(Text(place.file, " ", place.function), Text(line.statement, line.does));
  };
  for (const LineOfStep& line : before) ++known[key(line)];
  std::vector<LineOfStep> fresh;
  for (const LineOfStep& line : lines) {
    if (--known[key(line)] < 0) fresh.push_back(line);
  }
  return fresh;
}

Verdict Check(const Expression& expression, const RunMeasures& run, const RunMeasures* base) {
  if (expression.measure == nullptr) return CheckNewWaits(expression, run, *base);
  Verdict verdict{expression.text};
  const MeasureFacts& facts = *expression.measure;
  const Value value = ValueOf(expression, run);
  std::optional<Value> of_base;
  if (expression.of_base) of_base = ValueOf(expression, *base);
  verdict.unit = UnitName(facts.unit);
  verdict.why = value.unknown;
  if (verdict.why.empty() && of_base && !of_base->unknown.empty())
    verdict.why = Text("of the base: ", of_base->unknown);
  const bool is_found = value.found || (of_base && of_base->found);
  if (verdict.why.empty() && expression.of == MeasureOf::kLine && !is_found)
    DoubtLine(expression, run, &verdict);
  if (!verdict.why.empty()) return verdict;
  const double bound = of_base ? expression.number * of_base->number : expression.number;
  TellValues(expression, value.number, bound, of_base ? &*of_base : nullptr, &verdict);
  const bool holds = Holds(expression.relation, value.number, bound);
  verdict.outcome = holds ? Outcome::kHolds : Outcome::kBroken;
  if (!holds) TellLines(expression, run, expression.of_base ? base : nullptr, &verdict);
  return verdict;
}

}  // namespace syncline
