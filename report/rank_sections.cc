// SPDX-License-Identifier: Apache-2.0
// What each rank was in, stage by stage.
#include <algorithm>

#include "base/text.h"
#include "report/section_rows.h"
#include "report/sections.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kFewRankStages = 4;

constexpr Column kRankStages[] = {
    {"", "stage, rank", ValueKind::kCode, kShort},
    {"", "stage", ValueKind::kCode, kPage},
    {"rank", "rank", ValueKind::kText, kNotShort},
    {"total_ms", "total", ValueKind::kDuration, kEverywhere},
    {"count", "count", ValueKind::kCount, kEverywhere},
    {"mean_ms", "mean", ValueKind::kDuration, kEverywhere},
    {"beyond_ms", "longer", ValueKind::kDuration, kEverywhere, "Than half of the other ranks"},
    {"own_ms", "own", ValueKind::kDuration, kEverywhere, "In no range within it"},
    {"device_ms", "GPU time", ValueKind::kDuration, kNotShort,
     "Of the operations submitted in it, added up"},
    {"source", "source", ValueKind::kText, kNotShort},
    {"name", "", ValueKind::kCode, kFile},
    {"domain", "", ValueKind::kCode, kFile},
    {"program", "", ValueKind::kCode, kFile},
    {"own_deviation_ms", "", ValueKind::kDuration, kFile}};

std::vector<Value> CellsOf(const ReportRankStage& row) {
  const StageTime& time = row.time;
  const std::string stage = StageName(time.key);
  return {Text(stage, ", ", row.rank),
          stage,
          row.rank,
          time.total_ns,
          time.count,
          time.count == 0 ? 0 : time.total_ns / time.count,
          row.beyond_ns,
          time.own_ns,
          time.device_ns,
          time.key.source,
          time.key.name,
          time.key.domain,
          time.key.program,
          time.own_deviation_ns};
}

}  // namespace

Section RankStagesSection(const Report& report, const RowChoice& choice) {
  Section section{"rank_stages", "Stages by rank", kRankStages, {}};
  FillRows(
      report.rank_stages, Wished(report, choice), kFewRankStages,
      [](const ReportRankStage& row) { return std::pair(row.beyond_ns, row.time.total_ns); },
      [](const ReportRankStage& row) { return CellsOf(row); }, &section);
  section.of = std::max<size_t>(section.of, report.rank_stages_of);
  return section;
}

}  // namespace syncline
