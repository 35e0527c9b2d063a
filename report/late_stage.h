// SPDX-License-Identifier: Apache-2.0
// Where a rank spends more time than the others do.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "model/findings/run_findings.h"

namespace syncline {

struct LateStage {
  std::string name;        // empty: there is none
  uint64_t excess_ns = 0;  // beyond the median of the other ranks, of the host or of devices
};

// The stage in which the rank was longer than the others, or in which it gave its devices more to
// do. Of stages within each other that say the same, the shortest. `rank`: name of its trace.
// `waited_ns`: how long the other ranks waited for it, all together: a stage that is not longer by
// an eighth of what each of them waited explains nothing.
LateStage LateStageOf(const RunFindings& findings, const std::string& rank, uint64_t waited_ns = 0);

// What kept its host busy, and hardly that of other ranks: what brings most of that which took
// `least_ns` and has a line; null: none did.
const std::pair<const PriceKey, PriceSums>* HostWorkOfRank(const RunFindings& findings,
                                                           const std::string& rank,
                                                           uint64_t least_ns);

// The line at which that rank waits for its device, and no other rank does, longest of such lines
// and for `least_ns` at least: an evaluation that one rank makes alone, say. Empty: there is none.
std::string LineOfRankAlone(const RunFindings& findings, const std::string& rank,
                            uint64_t least_ns);

}  // namespace syncline
