// SPDX-License-Identifier: Apache-2.0
// Second reading of a spool: writes its ranges and marks as Chrome trace events.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/run/rank_model.h"
#include "model/run/survey.h"
#include "model/run/time_limits.h"
#include "model/spool/range_joiner.h"
#include "model/spool/record_sink.h"
#include "model/spool/timeline.h"
#include "writers/chrome/event_filter.h"
#include "writers/chrome/layout/gpu_rows.h"
#include "writers/chrome/layout/rows.h"
#include "writers/chrome/source_events.h"
#include "writers/chrome/text/event_buffer.h"
#include "writers/chrome/text/operator_stacks.h"
#include "writers/chrome/text/slice_order.h"
#include "writers/chrome/text/stack_frames.h"
#include "writers/chrome/text/time_text.h"

namespace syncline {

// Where one spool's events go and how its times are read.
struct EventsJob {
  EventBuffer* out = nullptr;
  Timeline* timeline = nullptr;
  const Survey* survey = nullptr;
  RowIds rows;
  const GpuRows* gpu_rows = nullptr;
  const BySource<SourceRun>* sources = nullptr;
  int32_t rank = 0;
  int32_t pid = 0;            // the process's own
  uint64_t flows_before = 0;  // as in SourceJob, of the first source
  TimeText time;
  const OwnCode* own = nullptr;
  const ModuleLog* modules = nullptr;     // null: there are none
  const CompiledRun* compiled = nullptr;  // null: nothing is known of compilations
  const std::map<std::pair<uint32_t, uint64_t>, CollectiveFinding>* collectives = nullptr;
  StackFrames* stacks = nullptr;  // of the trace
  uint64_t end_ns = 0;            // of the process: ranges that never ended end here
  TimeLimits limits;              // records outside of these are damaged
  EventFilter shown;
  const FilteredOps* shown_ops = nullptr;  // null: `shown` means all
};

// An event's text before its time stamps and after them, without the closing braces.
struct EventText {
  std::string head;
  std::string tail;
};

// Sink of the second reading: about 45 ns an event. Call Begin before SpoolReader::Read and Finish
// after it. One thread.
class ChromeEvents : public RecordSink {
 public:
  explicit ChromeEvents(const EventsJob& job);
  ~ChromeEvents() override;

  unsigned Interests() const override { return RecordSink::Interests() | kStacks; }
  void OnRange(const RangeEvent& event) override;
  void OnRangeStart(const RangeEvent& event) override;
  void OnRangeEnd(const RangeEvent& event) override;
  void OnMark(const RangeEvent& event) override;
  void OnCall(Stream& stream, const CallRecord& call) override;
  void OnOpenCall(Stream& stream, const CallRecord& call) override;
  void OnDeviceEvent(Stream& stream, const DeviceEventRecord& note) override;
  void OnDeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel) override;
  void OnOpenRange(const RangeEvent& event) override;
  void OnOperator(const RangeEvent& event) override;
  void OnOpenOperator(const RangeEvent& event) override;
  void OnModule(const RangeEvent& event) override { OnRange(event); }
  void OnOpenModule(const RangeEvent& event) override { OnOpenRange(event); }
  // Nobody needs the rest where nothing can be written.
  bool OnBlockDone(uint64_t bytes_read, uint64_t bytes_total) override;

  // What comes before the records' own events.
  void WriteRanges(Source source, const GpuRanges& ranges) {
    if (DeviceEvents* devices = DevicesOf(source)) devices->WriteRanges(ranges);
  }
  // Closes the start/end ranges that never ended.
  void Finish();

  const EventCounts& counts() const { return counts_; }

 private:
  // The text of an event that does not change from one to the next: before the time stamps and
  // after them. Views live until the next Lookup.
  struct Fragment {
    std::string_view head;
    std::string_view tail;  // without the closing braces
    bool has_args;
  };
  struct CacheEntry;
  struct CacheTag {
    uint32_t filled = 0;  // of the entry's key; 0: empty
    uint32_t seen = 0;    // of the last key that was looked for in vain
  };

  // Null: the spool was changed since it was read for the first time, or the source has none.
  DeviceEvents* DevicesOf(Source source);
  Fragment Lookup(const RangeEvent& event, RecordKind kind, const char* reason);
  Fragment Build(const RangeEvent& event, RecordKind kind, const char* reason);
  void AppendName(const RangeEvent& event);
  void AppendDomainAndCategory(const RangeEvent& event);
  void AppendKey(std::string_view key);
  uint32_t RowOf(const RangeEvent& event, RecordKind kind) const;
  bool Times(uint64_t begin_ticks, uint64_t end_ticks, uint64_t* begin, uint64_t* end);
  void WriteRange(const RangeEvent& event, uint64_t begin, uint64_t end, const char* reason);
  void WriteCall(Stream& stream, const CallRecord& call, uint64_t begin, uint64_t end,
                 const char* reason);
  void WriteJoined(const StartedRange<EventText>& range, uint64_t end, const char* reason);
  // Members of an object behind others.
  void AppendOperator(const RangeEvent& event);
  void AppendModule(const RangeEvent& event);
  void AppendDetails(const RangeEvent& event);
  std::string_view PayloadText(const RangeEvent& event, bool has_args);

  EventsJob job_;
  const ModuleLog::Path* module_ = nullptr;  // of the operator at hand
  EventCounts counts_;
  BySource<SourceEvents> sources_;
  RangeJoiner<EventText> joiner_;
  SliceOrder order_;  // of what calls and ranges of threads nest in
  std::vector<CacheTag> tags_;
  std::unique_ptr<CacheEntry[]> cache_;  // direct-mapped, valid where its tag is filled
  std::string head_;
  std::string args_;
  std::string payload_;
  OperatorStacks lines_;
  // Lists of arguments of an operator are few, and come again and again.
  struct CachedArguments {
    uint64_t key = 0;  // a list has a number that is not 0
    uint32_t name = 0;
    std::string text;
  };
  std::vector<CachedArguments> arguments_;
};

}  // namespace syncline
