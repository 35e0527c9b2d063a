// SPDX-License-Identifier: Apache-2.0
// Who looks at the records of a rank beside those who write them down.
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

  // What the first reading of an input (RankRequest::processes) has to feed; may be empty.
  virtual std::vector<RecordSink*> FirstReading(size_t /*input*/) { return {}; }

  // All inputs were read: the runs' findings may be filled in. `stopped`: the user wants no more.
  virtual void Analyse(RankModel* /*model*/, const std::function<bool()>& /*stopped*/) {}

  // What the second reading of a run has to feed; null: nothing.
  virtual RecordSink* SecondReading(ProgramRun* /*run*/) { return nullptr; }

  // The run was read for the second time; its findings are written next.
  virtual void Finish(ProgramRun* /*run*/) {}
};

}  // namespace syncline
