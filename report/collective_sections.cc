// SPDX-License-Identifier: Apache-2.0
// Collectives of a framework's operators: what each group did, and which rank came last.
#include <algorithm>

#include "base/text.h"
#include "report/section_rows.h"
#include "report/sections.h"

namespace syncline {
namespace {

constexpr size_t kFewCollectives = 12;

constexpr Column kCollectives[] = {
    {"operation", "collective", ValueKind::kCode, kEverywhere},
    {"type", "type", ValueKind::kText, kEverywhere, "Of the elements"},
    {"group", "group", ValueKind::kText, kEverywhere, "Its name in the framework"},
    {"count", "count", ValueKind::kCount, kEverywhere},
    {"", "late", ValueKind::kText, kShort | kPage,
     "The rank for which the others waited most, and to how many of them it came last"},
    {"waited_ms", "waited", ValueKind::kDuration, kEverywhere,
     "From each rank's coming to the last one's, all ranks together"},
    {"bytes", "bytes", ValueKind::kBytes, kEverywhere,
     "In or out of one rank, whichever is more, in all of them"},
    {"ranks", "ranks", ValueKind::kCount, kEverywhere, "Of the group"},
    {"late_rank", "", ValueKind::kPlain, kFile},
    {"late_times", "", ValueKind::kCount, kFile},
    {"met", "of", ValueKind::kCount, kNotShort, "Of so many it is known when each rank came"},
    {"longest_ms", "longest", ValueKind::kDuration, kNotShort}};

using Late = std::map<int, LateSums>::value_type;

std::vector<Value> CellsOfCollective(const ReportCollective& collective) {
  const auto& [key, sums] = collective;
  const auto late = std::max_element(
      sums.late.begin(), sums.late.end(),
      [](const Late& a, const Late& b) { return a.second.waited_ns < b.second.waited_ns; });
  const bool known = late != sums.late.end() && late->second.waited_ns != 0;
  return {key.operation.name,
          key.operation.type,
          key.group,
          sums.count,
          known ? Value(Text("rank ", late->first, " (", late->second.times, ")")) : Value(""),
          sums.waited_ns,
          key.operation.type.empty() ? Value(Nothing{}) : Value(sums.bytes),
          sums.ranks,
          known ? Value(int64_t{late->first}) : Value(Nothing{}),
          known ? Value(late->second.times) : Value(Nothing{}),
          sums.met,
          sums.longest_ns};
}

}  // namespace

Section CollectivesSection(const Report& report, const RowChoice& choice) {
  Section section{"collectives", "Collectives", kCollectives, {}};
  FillRows(
      report.collectives, Wished(report, choice), kFewCollectives,
      [](const ReportCollective& collective) { return collective.second.waited_ns; },
      [](const ReportCollective& collective) { return CellsOfCollective(collective); }, &section);
  return section;
}

}  // namespace syncline
