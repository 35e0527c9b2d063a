// SPDX-License-Identifier: Apache-2.0
// What the user calls a step is one, whatever its name.
#include "analysis/sums/step_names.h"

#include <algorithm>
#include <charconv>

#include "inject/core/glob.h"
#include "model/devices/source_facts.h"
#include "model/findings/run_findings.h"

namespace syncline {
namespace {

bool IsOfOptimizer(std::string_view name) {
  return std::any_of(kSourceFacts, kSourceFacts + kSourceFactsCount, [=](const SourceFacts* facts) {
    return !facts->optimizer_range.empty() && name.starts_with(facts->optimizer_range);
  });
}

std::optional<uint64_t> NumberIn(std::string_view name) {
  constexpr std::string_view kDigits = "0123456789";
  const size_t at = name.find_first_of(kDigits);
  uint64_t number;
  if (at == std::string_view::npos ||
      std::from_chars(name.data() + at, name.data() + name.size(), number).ec != std::errc())
    return std::nullopt;
  return number;
}

}  // namespace

StepNames::StepNames(const std::string& pattern)
    : pattern_(IsOfOptimizer(pattern) ? "" : pattern) {}

std::optional<StepName> StepNames::Of(std::string_view name) const {
  if (pattern_.empty()) return StepOf(name);
  if (!MatchesGlob(pattern_, name) || IsOfOptimizer(name)) return std::nullopt;
  if (std::optional<StepName> known = StepOf(name)) {
    known->needs_another = false;
    return known;
  }
  return StepName{NumberFamily(name), NumberIn(name), false, std::nullopt};
}

void StepNames::OnGate(const GateRecord& change, Timeline* timeline) {
  if (change.event != GateEvent::kStepBegins) return;
  std::vector<Counted>& counted = counted_[change.head.id];
  if (counted.size() < kMostCounted)
    counted.push_back({timeline->Convert(change.ticks), change.step});
}

std::optional<uint64_t> StepNames::CountedAt(uint32_t tid, uint64_t ns) const {
  const auto found = counted_.find(tid);
  if (found == counted_.end()) return std::nullopt;
  const auto after =
      std::upper_bound(found->second.begin(), found->second.end(), ns,
                       [](uint64_t at, const Counted& counted) { return at < counted.ns; });
  if (after == found->second.begin()) return std::nullopt;
  return (after - 1)->number;
}

}  // namespace syncline
