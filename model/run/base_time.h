// SPDX-License-Identifier: Apache-2.0
// What the time stamps of a trace count from.
#pragma once

#include <cstdint>
#include <string_view>

namespace syncline {

// Where the base comes from.
enum class BaseFrom : uint8_t {
  kJob,        // the job's first second, less an hour: agreed through run/job.json
  kInherited,  // an outer launcher, or SYNCLINE_BASE_TIME_NS
  kKineto,     // --base-time kineto: torch.profiler's grid
  kGrid,       // a grid of 12 days, where ranks that cannot talk have to find the same base
  kRank,       // this rank's own first second: its clock is before the base of the others
};

struct BaseTime {
  uint64_t ns = 0;  // since 1970
  BaseFrom from = BaseFrom::kGrid;
};

// The base of a job or rank that began at `realtime_ns`: `from` is any but kInherited. An hour of
// room keeps the other ranks' clocks behind the base; Kineto's grid has none. Bases on a grid are
// the same for ranks that begin on the same side of a grid point.
BaseTime BaseTimeOf(BaseFrom from, uint64_t realtime_ns);

// "job", "inherited", "kineto", "grid", "rank".
const char* BaseFromName(BaseFrom from);
// An unknown name is kGrid.
BaseFrom BaseFromOf(std::string_view name);

}  // namespace syncline
