// SPDX-License-Identifier: Apache-2.0
// Seconds, hours and grids.
#include "model/run/base_time.h"

#include <algorithm>
#include <iterator>

namespace syncline {
namespace {

constexpr uint64_t kSecond = 1000000000;
constexpr uint64_t kRoom = 3600 * kSecond;
constexpr uint64_t kGrid = (uint64_t{1} << 20) * kSecond;
constexpr uint64_t kKinetosGrid = 7889238 * kSecond;  // a quarter of a year
constexpr const char* kNames[] = {"job", "inherited", "kineto", "grid", "rank"};

uint64_t Floor(uint64_t ns, uint64_t step) { return ns - ns % step; }

}  // namespace

BaseTime BaseTimeOf(BaseFrom from, uint64_t realtime_ns) {
  if (from == BaseFrom::kKineto) return {Floor(realtime_ns, kKinetosGrid), from};
  const uint64_t early = realtime_ns - std::min(realtime_ns, kRoom);
  return {Floor(early, from == BaseFrom::kGrid ? kGrid : kSecond), from};
}

const char* BaseFromName(BaseFrom from) { return kNames[static_cast<size_t>(from)]; }

BaseFrom BaseFromOf(std::string_view name) {
  const auto* found = std::find(std::begin(kNames), std::end(kNames), name);
  return found == std::end(kNames) ? BaseFrom::kGrid
                                   : static_cast<BaseFrom>(found - std::begin(kNames));
}

}  // namespace syncline
