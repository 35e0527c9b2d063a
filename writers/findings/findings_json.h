// SPDX-License-Identifier: Apache-2.0
// Findings as JSON values, and back.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "model/run_findings.h"

namespace syncline {

using FindingsJson = nlohmann::ordered_json;

// With the sketch's buckets, which can be merged, or with its quantiles.
FindingsJson SumsJson(const DurationSums& sums);
FindingsJson QuantilesJson(const DurationSums& sums);
FindingsJson RankJson(const RankPart& part);
// [number, begin_ns, duration_ns] of each step, for people's programs.
FindingsJson StepRowsJson(const std::vector<StepSeries>& all);
FindingsJson MeetingsJson(const RankMeetings& meetings);
FindingsJson WaitJson(const WaitKey& key);

void TakeSums(const FindingsJson& object, DurationSums* sums);
void TakeRank(const FindingsJson& object, RankPart* part);
// False: of a class that is not known.
bool TakeWaitKey(const FindingsJson& object, WaitKey* key);

// Takes `key` of `object` if it is there and of the right type.
template <typename T>
void TakeField(const FindingsJson& object, const char* key, T* out) {
  if (!object.is_object()) return;
  const auto found = object.find(key);
  if (found == object.end()) return;
  if constexpr (std::is_same_v<T, std::string>) {
    if (found->is_string()) *out = found->template get<std::string>();
  } else if constexpr (std::is_same_v<T, bool>) {
    if (found->is_boolean()) *out = found->template get<bool>();
  } else {
    if (found->is_number_integer()) *out = found->template get<T>();
  }
}

// The object's array `key`; empty if there is none.
const FindingsJson& ArrayOf(const FindingsJson& object, const char* key);

// An enumeration by its name; false: there is no such name.
template <typename Enum, typename NameOf>
bool TakeEnum(const FindingsJson& object, const char* key, size_t count, const NameOf& name_of,
              Enum* out) {
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
