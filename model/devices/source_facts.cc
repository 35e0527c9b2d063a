// SPDX-License-Identifier: Apache-2.0
// Looks sources up.
#include "model/devices/source_facts.h"

#include <algorithm>
#include <array>

namespace syncline {
namespace {

constexpr SourceFacts kUnknown = {.name = "unknown",
                                  .has_devices = true,
                                  .devices = {.interface = "an unknown source"},
                                  .call_category = "unknown_runtime",
                                  .lower_call_category = "unknown_driver",
                                  .range_category = "unknown"};

std::array<const SourceFacts*, kMaxSources> ByNumber() {
  std::array<const SourceFacts*, kMaxSources> rows;
  rows.fill(&kUnknown);
  for (size_t i = 0; i < kSourceFactsCount; ++i) rows[kSourceFacts[i]->source] = kSourceFacts[i];
  return rows;
}

}  // namespace

const SourceFacts& FactsOfSource(Source source) {
  static const std::array<const SourceFacts*, kMaxSources> rows = ByNumber();
  return source < kMaxSources ? *rows[source] : kUnknown;
}

bool IsHelperThread(std::string_view name) {
  return std::any_of(
      kSourceFacts, kSourceFacts + kSourceFactsCount, [name](const SourceFacts* each) {
        return !each->helper_threads.empty() && name.starts_with(each->helper_threads);
      });
}

bool IsSaving(std::string_view place) {
  return std::any_of(kSourceFacts, kSourceFacts + kSourceFactsCount,
                     [place](const SourceFacts* each) {
                       return !each->saving_file.empty() &&
                              place.find(each->saving_file) != std::string_view::npos;
                     });
}

}  // namespace syncline
