// SPDX-License-Identifier: Apache-2.0
// Findings as JSON values, and back.
#pragma once

#include <string>
#include <vector>

#include "model/findings/run_findings.h"
#include "writers/files/json_fields.h"
#include "writers/findings/lifted_columns.h"

namespace syncline {

// With the sketch's buckets, which can be merged, or with its quantiles.
Json SumsJson(const DurationSums& sums);
Json QuantilesJson(const DurationSums& sums);
using SumsWriter = Json (*)(const DurationSums&);
// Sums as `write` does.
Json RankJson(const RankPart& part, SumsWriter write);
// [number, begin_ns, duration_ns] of each step, for people's programs.
Json StepRowsJson(const std::vector<StepSeries>& all);
Json MeetingsJson(const RankMeetings& meetings);
Json WaitJson(const WaitKey& key);
// waits_by_line, of findings and of manifests.
Json LinesJson(const std::vector<LineWaits>& lines);

// `columns`: those of the document.
void TakeSums(const Json& object, const LiftedColumns& columns, DurationSums* sums);
void TakeRank(const Json& object, const LiftedColumns& columns, RankPart* part);
// False: of a class that is not known.
bool TakeWaitKey(const Json& object, WaitKey* key);

// The object's array `key`; empty if there is none.
const Json& ArrayOf(const Json& object, const char* key);

// An enumeration by its name; false: there is no such name.
template <typename Enum, typename NameOf>
bool TakeEnum(const Json& object, const char* key, size_t count, const NameOf& name_of, Enum* out) {
  std::string name;
  TakeField(object, key, &name);
  for (size_t value = 0; value < count; ++value) {
    if (name != name_of(static_cast<Enum>(value))) continue;
    *out = static_cast<Enum>(value);
    return true;
  }
  return false;
}

}  // namespace syncline
