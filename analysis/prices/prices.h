// SPDX-License-Identifier: Apache-2.0
// What each change would bring: the replays of one source's work in one process.
#pragma once

#include <string>
#include <vector>

#include "analysis/prices/replay_graph.h"
#include "analysis/sums/name_folder.h"
#include "model/findings/run_findings.h"
#include "model/run/source_run.h"

namespace syncline {

// So many changes of a kind are tried, those first that take out most.
inline constexpr size_t kMostPriced = 16;
// So many are also tried together, in all combinations.
inline constexpr size_t kMostJoint = 6;

// What Findings do not say.
struct ReplayPlaces {
  // By ReplayGraph::allocations; those beyond are not known.
  std::vector<std::string> allocation_where;
  std::vector<std::string> allocation_ranges;
  // By ReplayGraph::samples.
  std::vector<std::string> sample_where[kSubmittedKinds];
  std::vector<std::string> sample_ranges[kSubmittedKinds];
};

// When a process was at work.
struct ReplayedTime {
  uint64_t begin_ns = 0;
  uint64_t counts_ns = 0;  // from when on gains count: its first step, else its first work
  uint64_t end_ns = 0;
  uint64_t unseen_ns = 0;  // of that, not all was recorded, or it was the recording itself
};

// Adds to `prices` (sums without ranks: those are not known here) and `facts`. The source's
// findings are complete: places, ranges and collectives are known. What takes less than a
// thousandth of the process's time is not tried. `steps_ns`: when the first of the program's steps
// began, from which on gains count; 0: it has none. `joint_ns`: as RankPart::joint_ns, of the
// changes that bring most, at most kMostJoint; the others have no RankGain::joint.
ReplayedTime PriceChanges(ReplayGraph* graph, const SourceRun& source, const ReplayPlaces& places,
                          uint64_t steps_ns, NameFolder* names,
                          std::map<PriceKey, PriceSums>* prices, ReplayFacts* facts,
                          std::vector<uint64_t>* joint_ns);

}  // namespace syncline
