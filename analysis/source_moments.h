// SPDX-License-Identifier: Apache-2.0
// The moments of one source in one process of which it is asked where its threads were: each
// question's id stands beside what it is asked about.
#pragma once

#include <vector>

#include "analysis/prices/prices.h"
#include "analysis/prices/replay_graph.h"
#include "analysis/range_stacks.h"
#include "model/findings/findings.h"

namespace syncline {

// Ask before the second reading, take the answers after it. One thread.
class SourceMoments {
 public:
  // Of each wait, gap and function of the host. `graph`: the source's replay; null: it has none.
  void Ask(const Findings& found, const ReplayGraph* graph, RangeStacks* stacks);

  // Fills in the ranges and lines of the findings that were asked about.
  void FillIn(RangeStacks* stacks, Findings* found) const;
  // What the replay needs beside these.
  ReplayPlaces PlacesOf(RangeStacks* stacks) const;

 private:
  // Of a gap: a moment in it, and the ends of times that the host spent in it.
  struct OfGap {
    MomentId within = MomentId::kNotAsked;
    MomentId host_until = MomentId::kNotAsked;
    MomentId host_later = MomentId::kNotAsked;
    MomentId call = MomentId::kNotAsked;
  };

  void AskForReplay(const ReplayGraph& graph, RangeStacks* stacks);

  std::vector<MomentId> waits_;                     // by Findings::waits
  std::vector<OfGap> gaps_;                         // by Findings::gaps
  std::vector<MomentId> functions_;                 // by Findings::host_functions
  std::vector<MomentId> allocations_;               // the first of ReplayGraph::allocations
  std::vector<MomentId> samples_[kSubmittedKinds];  // by ReplayGraph::samples
};

}  // namespace syncline
