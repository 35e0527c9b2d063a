// SPDX-License-Identifier: Apache-2.0
// Reads from a spool which work each push/pop range of a thread gave to the GPUs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "writers/record_sink.h"
#include "writers/rows.h"
#include "writers/shown_span.h"
#include "writers/survey.h"

namespace syncline {

struct RangeLabel {
  std::string name;
  std::string domain;  // empty: the default domain
};

// A call that made a GPU do something. Times are ticks.
struct Launch {
  uint64_t begin;
  uint32_t thread;
  uint32_t correlation;
};

struct HostRange {
  uint64_t begin;
  uint64_t end;
  uint32_t row;  // ranges of one row nest
  uint32_t label;

  static constexpr uint32_t kRowsPerThread = 1 + kCrossingRows;
  uint32_t thread() const { return row / kRowsPerThread; }
};

// Times are those that are shown.
struct LaunchedOp {
  uint64_t begin;
  uint64_t end;
  uint32_t correlation;
  uint32_t stream : 31;  // in RangeWork::streams
  uint32_t first_lane : 1;
};

// Sink of a reading between the first and the second. 16 bytes a launch, 24 an operation and a
// range, each kind capped; ranges in which nothing was launched are not kept. One thread.
class RangeWork : public RecordSink {
 public:
  using Progress = Survey::Progress;
  RangeWork(const Survey& survey, const DeviceTimeline& timeline, const TimeLimits& limits,
            Progress progress)
      : survey_(survey), timeline_(timeline), limits_(limits), progress_(std::move(progress)) {}

  void OnStream(Stream& stream, const StreamRecord& record) override;
  void OnRange(const RangeEvent& event) override;
  void OnOpenRange(const RangeEvent& event) override;
  void OnCall(Stream& stream, const CallRecord& call) override;
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) override;
  bool OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) override;

  std::vector<Launch> launches;
  std::vector<HostRange> ranges;  // an inner one before the one around it
  std::vector<LaunchedOp> ops;
  std::vector<GpuStream> streams;
  std::vector<RangeLabel> labels;
  uint64_t left_out = 0;  // beyond the caps

 private:
  struct Thread {
    uint32_t index;
    uint64_t last_launch = 0;  // ticks
    // What was launched before may still come, from the ring that the thread left.
    uint64_t moved = 0;
  };
  struct OpStream {
    uint32_t index;
    LaneAssigner lanes;
  };

  Thread& ThreadOf(const Stream& stream);
  void Keep(const RangeEvent& event, uint64_t end);
  bool LabelOf(const RangeEvent& event, uint32_t* label);
  uint32_t RowOf(const Thread& thread, const RangeEvent& event) const;

  const Survey& survey_;
  const DeviceTimeline& timeline_;
  TimeLimits limits_;
  Progress progress_;
  std::unordered_map<uint32_t, Thread> threads_;  // by tid
  Thread* thread_ = nullptr;                      // of the stream seen last
  uint64_t thread_stream_ = 0;
  std::map<GpuStream, OpStream> op_streams_;
  std::map<std::pair<std::string, std::string>, uint32_t> label_numbers_;
  std::map<std::pair<uint64_t, uint16_t>, uint32_t> label_cache_;  // by a stream's ids
  uint64_t label_bytes_ = 0;
};

}  // namespace syncline
