// SPDX-License-Identifier: Apache-2.0
// From which line the host mostly came to a place at which a device had nothing to do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <tuple>

#include "model/findings/findings.h"

namespace syncline {

// One place is one cause: a loop is entered once from the line above, or from the line that calls
// its function, and then again and again from its own last line. One thread.
class MainWays {
 public:
  // `found` outlives this.
  explicit MainWays(const Findings& found);
  // Of a gap, by its number: as most of the time at this place was spent.
  const LinesBetween& Of(size_t gap) const;

 private:
  using Place = std::tuple<std::string, std::string_view, HostSpan>;  // last line of next, below
  struct Way {
    const LinesBetween* lines = nullptr;
    uint64_t ns = 0;
  };
  static Place PlaceOf(const LinesBetween& lines);

  const Findings& found_;
  const LinesBetween none_{};
  std::map<Place, Way> main_;                // the longest way into each place
  std::map<std::string_view, Way> by_line_;  // the longest into each line, nothing below it
};

}  // namespace syncline
