// SPDX-License-Identifier: Apache-2.0
// Writes the calls of one source as Chrome trace events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "model/run/code_location.h"
#include "model/spool/streams.h"
#include "writers/chrome/call_flows.h"
#include "writers/chrome/event_line.h"
#include "writers/chrome/source_job.h"
#include "writers/chrome/text/event_parts.h"
#include "writers/chrome/text/finding_text.h"

namespace syncline {

// One spool, second reading; what it is made of outlives it. One thread.
class CallEvents {
 public:
  CallEvents(const SourceJob& job, const FindingText& text, CallFlows* flows);

  // Times in nanoseconds on the job's line; `pid` and `tid` are the caller's row.
  void Write(Stream& stream, const CallRecord& call, uint64_t begin, uint64_t end, uint32_t pid,
             uint32_t tid, const char* closed_because);  // null: it returned

 private:
  void WriteOdd(Stream& stream, const CallRecord& call, uint64_t begin, uint64_t end, uint32_t pid,
                uint32_t tid, const char* closed_because);
  const Wait* WaitOf(const CallRecord& call, uint32_t tid, uint64_t begin) const;
  const char* CategoryOf(const CallRecord& call) const;
  // Returns the frame that stands for the stack of the call that is being written.
  uint32_t PlaceInCode(const Stream& stream);

  const SourceJob& job_;
  const Findings& findings_;
  const FindingText& text_;
  CallFlows* const flows_;
  EventLine line_;
  CodeLocations places_;
  std::unordered_map<const CodeStack*, uint32_t> stack_numbers_;
  EventPartsCache<3> parts_;
  std::unordered_map<uint64_t, size_t> waits_;  // by correlation; without devices, by begin
};

}  // namespace syncline
