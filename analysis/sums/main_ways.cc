// SPDX-License-Identifier: Apache-2.0
// Sums of each way into a place; the longest is taken.
#include "analysis/sums/main_ways.h"

#include <algorithm>

namespace syncline {
namespace {

// Within a line, `before` and `below` are a package's lines.
bool IsBetweenLines(const LinesBetween& lines) {
  return lines.span != HostSpan::kWithin && !lines.next.empty();
}

// "a.py:3,7-9 f()" is "a.py:9 f()": what stands before it was on the way.
std::string LastLineOf(const std::string& place) {
  const size_t end = std::min(place.find(' '), place.size());
  const size_t colon = place.rfind(':', end), last = place.find_last_of(",-", end);
  if (colon == std::string::npos || last == std::string::npos || last < colon) return place;
  return place.substr(0, colon + 1) + place.substr(last + 1);
}

}  // namespace

MainWays::Place MainWays::PlaceOf(const LinesBetween& lines) {
  return {LastLineOf(lines.next), lines.below, lines.span};
}

MainWays::MainWays(const Findings& found) : found_(found) {
  std::map<std::tuple<Place, std::string_view>, Way> ways;
  for (size_t i = 0; i < std::min(found.gaps.size(), found.gap_lines.size()); ++i) {
    const LinesBetween& lines = found.gap_lines[i];
    if (!IsBetweenLines(lines)) continue;
    Way& way = ways[{PlaceOf(lines), lines.before}];
    way.lines = &lines;
    way.ns += found.gaps[i].end_ns - found.gaps[i].begin_ns;
  }
  const auto take_longer = [](const Way& way, Way* most) {
    if (way.ns > most->ns) *most = way;
  };
  for (const auto& [key, way] : ways) {
    take_longer(way, &main_[PlaceOf(*way.lines)]);
    if (way.lines->below.empty()) take_longer(way, &by_line_[way.lines->next]);
  }
}

const LinesBetween& MainWays::Of(size_t gap) const {
  if (gap >= found_.gap_lines.size()) return none_;
  const LinesBetween& lines = found_.gap_lines[gap];
  const auto way = main_.find(PlaceOf(lines));
  if (!IsBetweenLines(lines) || way == main_.end() || way->second.lines == nullptr) return lines;
  const auto within = by_line_.find(lines.below);
  const bool is_entered =
      !lines.below.empty() && within != by_line_.end() && within->second.ns > way->second.ns;
  return is_entered ? *within->second.lines : *way->second.lines;
}

}  // namespace syncline
