// SPDX-License-Identifier: Apache-2.0
// Where threads waited, as one would tell it: by line; many lines of a function that all do the
// same are one place, and a line that several lines call may be a place for each of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/findings/run_findings.h"
#include "report/report.h"

namespace syncline {

// What is known of a place beside its price.
struct Waited {
  WaitSums sums;
  std::map<std::pair<WaitClass, std::string>, uint64_t> calls;  // ns
  std::map<std::string, uint64_t> ranges;                       // ns

  void Add(const Waited& other);
  template <typename Map>
  static auto Most(const Map& map) {
    return std::max_element(map.begin(), map.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; });
  }
};

struct WaitedPlace {
  PriceKey key;       // of its price
  std::string where;  // "a.cu:7 Device::read()", "a.cu:15-26 main()"; empty: not known
  std::string line;   // WaitKey::where of (one of) its waits
  std::string more;   // "at 12 lines", "from 9 lines"; empty: it is one
  Waited waited;
  std::vector<FindingPart> parts;  // where it is many lines: these
};

// In which ranges it waits longest; those that differ in their number are one: "epoch # > log".
std::string MostRanges(const Waited& waited);

std::vector<WaitedPlace> WaitedPlaces(const RunFindings& findings);

// Its lines, or the ways in which it waits, longest first; where there are several. At most 16.
std::vector<FindingPart> PartsOf(const WaitedPlace& place);

}  // namespace syncline
