// SPDX-License-Identifier: Apache-2.0
// Writes the calls of one source and what its devices did as Chrome trace events, joined by flows.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>

#include "model/run/code_location.h"
#include "model/run/source_run.h"
#include "model/run/survey.h"
#include "model/spool/streams.h"
#include "writers/chrome/event_filter.h"
#include "writers/chrome/layout/gpu_ranges.h"
#include "writers/chrome/layout/gpu_rows.h"
#include "writers/chrome/layout/rows.h"
#include "writers/chrome/layout/trace_span.h"
#include "writers/chrome/text/event_buffer.h"
#include "writers/chrome/text/event_parts.h"
#include "writers/chrome/text/finding_text.h"
#include "writers/chrome/text/stack_frames.h"
#include "writers/chrome/text/time_text.h"
#include "writers/chrome/wait_flows.h"

namespace syncline {

// The events of one source in one process.
struct GpuJob {
  EventBuffer* out = nullptr;
  const SourceRun* source = nullptr;
  const GpuRows* rows = nullptr;
  TimeText time;
  int32_t rank = 0;
  int32_t pid = 0;            // for names
  uint64_t flows_before = 0;  // numbers of arrows that other SourceRuns of the rank may use
  TimeLimits limits;
  EventFilter shown;
  const FilteredOps* shown_ops = nullptr;  // null: `shown` means all
  const OwnCode* own = nullptr;            // null: all that no installation brings
  StackFrames* stacks = nullptr;           // of the trace; null: slices have no stack
};

// A finding as it is shown.
struct FindingSlice {
  const char* category;
  std::string name;
  std::string arguments;
  uint32_t pid;
  uint32_t tid;
  uint64_t begin;
  uint64_t end;
};

// One spool, second reading. One thread.
class GpuEvents {
 public:
  explicit GpuEvents(const GpuJob& job);

  // Times in nanoseconds on the job's line; `pid` and `tid` are the caller's row.
  void Call(Stream& stream, const CallRecord& call, uint64_t begin, uint64_t end, uint32_t pid,
            uint32_t tid, const char* closed_because);  // null: it returned
  enum class Shown : uint8_t { kYes, kOutside, kNotAskedFor, kDamaged };
  Shown DeviceOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel);
  // False: it could not be shown, and is to be counted as damaged.
  bool Note(const DeviceEventRecord& note);
  // Before what they lie around: of slices that begin together the outer one has to come first.
  void WriteRanges(const GpuRanges& ranges);
  // What can only be written when all is known: counters of memory. Returns how many were left out
  // because they are not within the limits.
  uint64_t Close();
  // Slices of the findings. Returns the same.
  uint64_t WriteFindings(const RowIds& rows, const Survey& survey);

 private:
  void Key(std::string_view key);
  void Number(std::string_view key, uint64_t value);
  void Triple(std::string_view key, const uint32_t* values);
  // A slice's text up to the time stamps.
  void Head(std::string_view category, std::string_view name, uint32_t pid, uint32_t tid);
  void BeginArguments();
  void Begin(std::string_view category, std::string_view name, uint32_t pid, uint32_t tid,
             uint64_t begin, uint64_t end);
  // Closes the arguments and the event; `stack`: a frame of the trace's, 0: none.
  void Finish(uint32_t stack = 0);
  void Flow(bool starts, uint32_t correlation, uint32_t pid, uint32_t tid, uint64_t at);
  // The row of something of the device clock on lanes, and its times on the job's line. False: it
  // has none.
  bool OnLane(LaneAssigner* lanes, const std::vector<uint32_t>* tids, const DeviceTimeline& clock,
              uint64_t device_begin, uint64_t device_end, uint32_t* tid, TraceSpan* span) const;
  void Arguments(Stream& stream);
  // Returns the frame that stands for the stack.
  uint32_t PlaceInCode(const Stream& stream);
  void Members(std::string_view members);
  void OddCall(Stream& stream, const CallRecord& call, uint64_t begin, uint64_t end, uint32_t pid,
               uint32_t tid, const char* closed_because);
  const EventParts* KernelParts(Stream& stream, const DeviceOpRecord& op,
                                const KernelDetails& kernel, uint32_t tid);
  void Place(const DeviceOpRecord& op);
  void WriteOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel, uint32_t tid,
               const TraceSpan& span, std::string_view more);
  void WriteOutside(Stream& stream, const DeviceOpRecord& op, uint32_t tid, const TraceSpan& span);
  void WriteParts(const EventParts& parts, uint64_t begin, uint64_t end, uint32_t correlation,
                  std::string_view more);
  bool WriteFinding(FindingSlice* slice, uint64_t* last_end);
  bool Sync(const DeviceEventRecord& sync);
  bool Overhead(const DeviceEventRecord& overhead);
  void KernelArguments(const KernelDetails& kernel, uint32_t device);
  std::string OpName(Stream& stream, const DeviceOpRecord& op);
  const std::string& KernelName(Stream& stream, uint32_t id);
  uint64_t FlowsOfRank() const;
  uint64_t Correlation(uint32_t correlation) const;
  const char* CategoryOf(const CallRecord& call) const;
  // The process row of a device.
  uint32_t Pid(uint32_t device) const { return first_pid_ + device; }
  const Findings& findings() const { return job_.source->findings; }

  GpuJob job_;
  OpChooser chooser_;
  const GpuSurvey& survey_;
  const uint32_t number_;     // SourceRun::number
  const uint32_t first_pid_;  // as GpuRows::FirstPid
  // Words of the source, as Kineto forms them.
  const std::string upper_calls_, lower_calls_, sync_, sync_kind_, wait_on_correlation_,
      wait_on_event_;
  FindingText text_;
  WaitFlows flows_;
  CodeLocations places_;
  std::unordered_map<const CodeStack*, uint32_t> stack_numbers_;
  EventPartsCache<3> call_parts_;
  EventPartsCache<12> kernel_parts_;
  std::unordered_map<uint32_t, size_t> waits_of_calls_;  // by correlation
  std::string line_;
  bool first_argument_ = true;
  std::map<GpuStream, LaneAssigner> lanes_;  // as in the survey, once more
  std::map<GpuStream, LaneAssigner> sync_lanes_;
  LaneAssigner overhead_lanes_;
  std::unordered_map<uint64_t, std::string> kernel_names_;
};

}  // namespace syncline
