// SPDX-License-Identifier: Apache-2.0
// From which line the host mostly came to a place at which a device had nothing to do.
#pragma once

#include <cstddef>
#include <map>
#include <string_view>
#include <tuple>

#include "model/findings/findings.h"

namespace syncline {

// One place is one cause: a loop is entered once from the line above, and then again and again from
// its own last line. One thread.
class MainWays {
 public:
  // `found` outlives this.
  explicit MainWays(const Findings& found);
  // Of a gap, by its number; `before` is where most of the time at this place began.
  LinesBetween Of(size_t gap) const;

 private:
  using Place = std::tuple<std::string_view, std::string_view, HostSpan>;  // next, below
  // False: within a line, `before` and `below` are one place.
  static bool IsBetweenLines(const LinesBetween& lines);
  static Place PlaceOf(const LinesBetween& lines) { return {lines.next, lines.below, lines.span}; }

  const Findings& found_;
  std::map<Place, std::string_view> before_;
};

}  // namespace syncline
