// SPDX-License-Identifier: Apache-2.0
// The sides, what is told, and all rows.
#include "writers/tables/compare_json.h"

#include <vector>

#include "compare/compare_sections.h"
#include "compare/compare_words.h"
#include "compare/told_changes.h"
#include "report/words.h"
#include "writers/tables/section_json.h"

namespace syncline {
namespace {

constexpr int kIndent = 1;
constexpr double kMs = 1e6;

Json SideJson(const ComparedSide& side) {
  return {{"runs", side.runs},
          {"ranks", side.ranks},
          {"devices_are", side.simulated ? "Simulated" : "real"},
          {"steps", side.steps},
          {"step_name", side.step_name},
          {"step_ms", side.steps > 0 ? Json(side.step_ns / kMs) : Json(nullptr)},
          {"median_step_ms", side.steps > 0 ? Json(side.median_step_ns / kMs) : Json(nullptr)},
          {"length_ms", side.length_ns / kMs},
          {"busy_percent", side.busy < 0 ? Json(nullptr) : Json(100 * side.busy)}};
}

Json ChangeJson(const ToldChange& change) {
  Json json = {{"text", change.sentence}};
  if (change.is_bytes) {
    json["delta_bytes"] = change.delta;
  } else {
    json["delta_ms"] = change.delta / kMs;
  }
  if (change.row == nullptr) return json;
  json["kind"] = FactKindName(change.row->key.kind);
  json["change"] = RowChangeName(change.row->change);
  json["name"] = change.row->key.name;
  json["where"] = change.row->key.where;
  return json;
}

}  // namespace

std::string ComparisonJson(const Comparison& comparison) {
  const Difference& step = comparison.step;
  Json json = {{"schema", kComparisonSchema},
               {"before", SideJson(comparison.a)},
               {"after", SideJson(comparison.b)},
               {"repeated", comparison.repeated}};
  json["step"] = {
      {"of", PerText(comparison)},
      {"delta_ms", step.delta / kMs},
      {"low_ms", step.known && comparison.repeated ? Json(step.low / kMs) : Json(nullptr)},
      {"high_ms", step.known && comparison.repeated ? Json(step.high / kMs) : Json(nullptr)},
      {"chance", step.known ? Json(step.chance) : Json(nullptr)},
      {"told", comparison.step_told},
      {"perhaps", comparison.perhaps}};
  Json& changes = json["changes"] = Json::array();
  for (const ToldChange& change : ToldChanges(comparison)) changes.push_back(ChangeJson(change));
  json["findings"] = SectionJson(FatesSection(comparison));
  Json& limits = json["limits_now"] = Json::array();
  for (const ReportFinding& finding : comparison.limits) {
    const bool priced = finding.priced && comparison.limits_steps > 0;
    const double gain_ms =
        static_cast<double>(finding.gain_ns) / std::max(comparison.limits_steps, 1.0) / kMs;
    limits.push_back({{"kind", finding.kind},
                      {"problem", finding.problem},
                      {"where", finding.where},
                      {"gain_of_step_ms", priced ? Json(gain_ms) : Json(nullptr)}});
  }
  for (const Section& section : RowSections(comparison, {}))
    json[section.id] = SectionJson(section);
  json["notes"] = NotesOf(comparison);
  return JsonText(json, kIndent);
}

}  // namespace syncline
