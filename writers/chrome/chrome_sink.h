// SPDX-License-Identifier: Apache-2.0
// Writes one rank's processes as a Chrome trace.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "writers/chrome/chrome_events.h"
#include "writers/chrome/event_filter.h"
#include "writers/chrome/layout/device_lanes.h"
#include "writers/chrome/layout/trace_layout.h"
#include "writers/chrome/text/event_buffer.h"
#include "writers/chrome/text/stack_frames.h"
#include "writers/chrome/text/time_text.h"
#include "writers/files/file_sink.h"
#include "writers/files/gzip_sink.h"
#include "writers/files/rank_sink.h"

namespace syncline {

struct ChromeJob {
  std::string output;  // path of the trace; ends in .json.gz, or in .json for plain text
  TimeUnit unit = TimeUnit::kNs;
  EventFilter shown = {};
  std::string step_range =
      {};  // a pattern for names of ranges (StepFinder); empty: no steps are shown
  uint64_t most_records = RankRequest().most_records;
};

// The file appears when the trace is whole. Fills in the runs' counts, and the manifest's name and
// size of the trace. Not ok: the file cannot be written.
class ChromeSink : public RankSink {
 public:
  // `into`: takes the text instead of the file; null: nobody does.
  explicit ChromeSink(ChromeJob job, ByteSink* into = nullptr);
  ~ChromeSink() override;

  std::vector<RecordSink*> FirstReading(size_t input) override;
  void OnRead(const RankModel& model) override;
  Status Begin(const RankModel& model) override;
  RecordSink* BeginRun(ProgramRun* run) override;
  Status EndRun(ProgramRun* run) override;
  Status Finish(RankManifest* manifest, const RunFindings& findings) override;

 private:
  Status Open();
  EventsJob JobOf(ProgramRun* run);

  const ChromeJob job_;
  ByteSink* const into_;
  std::vector<std::unique_ptr<SourceLanes>> lanes_;      // by input
  std::vector<std::unique_ptr<StepFinder>> steps_;       // by input
  std::vector<std::unique_ptr<FilteredOps>> shown_ops_;  // by input; empty: all are shown
  TraceLayout layout_;

  // From Begin on.
  const RankModel* model_ = nullptr;
  FileSink file_;
  std::unique_ptr<GzipSink> gzip_;
  std::unique_ptr<EventBuffer> out_;
  std::unique_ptr<StackFrames> stacks_;
  // Of the run at hand.
  std::unique_ptr<ChromeEvents> events_;
  uint64_t stacks_as_text_ = 0;  // before it
  uint64_t ranges_left_out_ = 0;
};

}  // namespace syncline
