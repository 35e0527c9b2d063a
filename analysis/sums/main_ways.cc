// SPDX-License-Identifier: Apache-2.0
// Sums of each way into a place; the longest is taken.
#include "analysis/sums/main_ways.h"

#include <algorithm>
#include <cstdint>
#include <string>

namespace syncline {

bool MainWays::IsBetweenLines(const LinesBetween& lines) {
  return lines.span != HostSpan::kWithin && !lines.next.empty();
}

MainWays::MainWays(const Findings& found) : found_(found) {
  std::map<Place, std::map<std::string_view, uint64_t>> ways;
  for (size_t i = 0; i < std::min(found.gaps.size(), found.gap_lines.size()); ++i) {
    const LinesBetween& lines = found.gap_lines[i];
    const Gap& gap = found.gaps[i];
    if (IsBetweenLines(lines)) ways[PlaceOf(lines)][lines.before] += gap.end_ns - gap.begin_ns;
  }
  for (const auto& [place, befores] : ways) {
    const auto is_less = [](const auto& a, const auto& b) { return a.second < b.second; };
    before_[place] = std::max_element(befores.begin(), befores.end(), is_less)->first;
  }
}

LinesBetween MainWays::Of(size_t gap) const {
  if (gap >= found_.gap_lines.size()) return {};
  LinesBetween lines = found_.gap_lines[gap];
  if (const auto way = before_.find(PlaceOf(lines)); IsBetweenLines(lines) && way != before_.end())
    lines.before = way->second;
  return lines;
}

}  // namespace syncline
