// SPDX-License-Identifier: Apache-2.0
// Writes what the devices of one source did as Chrome trace events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "model/spool/streams.h"
#include "writers/chrome/call_flows.h"
#include "writers/chrome/event_filter.h"
#include "writers/chrome/event_line.h"
#include "writers/chrome/layout/gpu_ranges.h"
#include "writers/chrome/layout/trace_span.h"
#include "writers/chrome/source_job.h"
#include "writers/chrome/text/event_parts.h"
#include "writers/chrome/wait_flows.h"

namespace syncline {

// One spool, second reading; what it is made of outlives it. One thread.
class DeviceEvents {
 public:
  DeviceEvents(const SourceJob& job, CallFlows* flows, WaitFlows* wait_flows);

  enum class Shown : uint8_t { kYes, kOutside, kNotAskedFor, kDamaged };
  Shown Op(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel);
  // False: it could not be shown, and is to be counted as damaged.
  bool Note(const DeviceEventRecord& note);
  // Before what they lie around: of slices that begin together the outer one has to come first.
  void WriteRanges(const GpuRanges& ranges);
  // What can only be written when all is known: counters of memory. Returns how many were left out
  // because they are not within the limits.
  uint64_t Close();

 private:
  // The row of something of the device clock on lanes, and its times on the job's line. False: it
  // has none.
  bool OnLane(LaneAssigner* lanes, const std::vector<uint32_t>* tids, const DeviceTimeline& clock,
              uint64_t device_begin, uint64_t device_end, uint32_t* tid, TraceSpan* span) const;
  const EventParts* KernelParts(Stream& stream, const DeviceOpRecord& op,
                                const KernelDetails& kernel, uint32_t tid);
  void Place(const DeviceOpRecord& op);
  void CompiledArguments(Stream& stream, const DeviceOpRecord& op);
  const CapturedNodes::Node* CapturedOf(const KernelDetails* kernel) const;
  void AppendModuleOf(const DeviceOpRecord& op, const KernelDetails* kernel,
                      std::string* members) const;
  void WriteOp(Stream& stream, const DeviceOpRecord& op, const KernelDetails* kernel, uint32_t tid,
               const TraceSpan& span, std::string_view more);
  void WriteOutside(Stream& stream, const DeviceOpRecord& op, uint32_t tid, const TraceSpan& span);
  bool Sync(const DeviceEventRecord& sync);
  bool Overhead(const DeviceEventRecord& overhead);
  void KernelArguments(const KernelDetails& kernel, uint32_t device);
  std::string OpName(Stream& stream, const DeviceOpRecord& op);
  const std::string& KernelName(Stream& stream, uint32_t id);
  // The process row of a device.
  uint32_t Pid(uint32_t device) const { return first_pid_ + Number(device); }
  // The device as the trace numbers it.
  uint32_t Number(uint32_t device) const {
    return moved_.empty() ? device : job_.rows->numbers().Of(*job_.source, device);
  }

  const SourceJob& job_;
  const Findings& findings_;
  CallFlows* const flows_;
  WaitFlows* const wait_flows_;
  EventLine line_;
  OpChooser chooser_;
  const DeviceSurvey& survey_;
  const uint32_t first_pid_;                  // as GpuRows::FirstPid
  const std::map<uint32_t, uint32_t> moved_;  // as DeviceNumbers::Moved
  // Words of the source, as Kineto forms them.
  const std::string sync_, sync_kind_, wait_on_correlation_, wait_on_event_;
  EventPartsCache<12> kernel_parts_;
  std::map<GpuStream, LaneAssigner> lanes_;  // as in the survey, once more
  std::map<GpuStream, LaneAssigner> sync_lanes_;
  LaneAssigner overhead_lanes_;
  std::unordered_map<uint64_t, std::string> kernel_names_;
};

}  // namespace syncline
