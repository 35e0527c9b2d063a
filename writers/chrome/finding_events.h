// SPDX-License-Identifier: Apache-2.0
// Writes what was found out of one source as slices: waits on rows beside the threads', gaps on
// rows of devices.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "model/run/survey.h"
#include "writers/chrome/event_line.h"
#include "writers/chrome/layout/rows.h"
#include "writers/chrome/source_job.h"
#include "writers/chrome/text/finding_text.h"
#include "writers/chrome/wait_flows.h"

namespace syncline {

// After the second reading of a spool. One thread.
class FindingEvents {
 public:
  FindingEvents(const SourceJob& job, const FindingText& text)
      : job_(job), text_(text), line_(job.out, job.time) {}

  // Returns how many were left out because they are not within the limits.
  uint64_t Write(const RowIds& rows, const Survey& survey, WaitFlows* flows);

 private:
  struct Slice;

  bool WriteWait(size_t wait, const RowIds& rows, const Survey& survey, WaitFlows* flows);
  bool WriteGap(size_t gap);
  bool WriteSlice(Slice* slice);

  const SourceJob& job_;
  const FindingText& text_;
  EventLine line_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> ends_;  // of the last slice, by row
};

}  // namespace syncline
