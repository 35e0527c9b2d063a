// SPDX-License-Identifier: Apache-2.0
// Writes one rank's processes as a Chrome trace.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/rank_model.h"
#include "model/rank_observer.h"
#include "writers/chrome/device_lanes.h"
#include "writers/chrome/event_buffer.h"
#include "writers/chrome/shown.h"
#include "writers/chrome/time_text.h"
#include "writers/chrome/trace_layout.h"

namespace syncline {

struct ChromeJob {
  TimeUnit unit = TimeUnit::kNs;
  std::string_view name;  // of the file, for the trace's last line
  // Bytes of spools read so far in the second reading; false cancels.
  std::function<bool(uint64_t bytes)> progress;
  RankObserver* observer = nullptr;  // null: nobody
};

// Sees the records of each spool in the first reading, then reads them for the second time. One
// thread.
class ChromeWriter {
 public:
  // `step_range`: a pattern for names of ranges (StepFinder); empty: no steps are shown.
  explicit ChromeWriter(ShownOnly shown = {}, std::string step_range = {})
      : shown_(std::move(shown)), step_range_(std::move(step_range)) {}

  // The sinks that the first reading of an input (RankRequest::processes) feeds. They live as long
  // as this. `most_records`: as in RankRequest.
  std::vector<RecordSink*> FirstReading(size_t input, uint64_t most_records);

  // After the first readings, with the runs' records as they were read.
  void LayOut(const RankModel& model);

  // Fills in the runs' counts and what was found to be damaged only now. Not ok: the sink failed,
  // or cancelled. A spool that cannot be read to its end is a run's problem; what came before is
  // written.
  Status Write(RankModel* model, const ChromeJob& job, EventBuffer* out);

 private:
  const ShownOnly shown_;
  const std::string step_range_;
  std::vector<std::unique_ptr<SourceLanes>> lanes_;   // by input
  std::vector<std::unique_ptr<StepFinder>> steps_;    // by input
  std::vector<std::unique_ptr<ShownOps>> shown_ops_;  // by input; empty: all are shown
  TraceLayout layout_;
};

}  // namespace syncline
