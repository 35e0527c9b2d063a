// SPDX-License-Identifier: Apache-2.0
// An interface for code that looks at a rank's records while the trace is made.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "model/rank_model.h"

namespace syncline {

// A rank's spools are read twice. All calls come from one thread, in this order.
class RankObserver {
 public:
  virtual ~RankObserver() = default;

  // The sinks that the first reading of an input (RankRequest::processes) feeds; may be empty.
  virtual std::vector<RecordSink*> FirstReading(size_t /*input*/) { return {}; }

  // All inputs were read: the runs' findings may be filled in. `stopped`: the user wants no more.
  virtual void Analyse(RankModel* /*model*/, const std::function<bool()>& /*stopped*/) {}

  // The sink that the second reading of a run feeds; null: none.
  virtual RecordSink* SecondReading(ProgramRun* /*run*/) { return nullptr; }

  // The run was read for the second time; its findings are written next.
  virtual void Finish(ProgramRun* /*run*/) {}
};

}  // namespace syncline
