// SPDX-License-Identifier: Apache-2.0
// Reads a trace of ours back, slice by slice, as it stands in the file.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "base/status.h"

namespace syncline {

// Views are into the line, and last as long as the call.
struct TraceSlice {
  std::string_view line;  // the event, as JSON
  std::string_view category;
  uint64_t pid = 0;
  uint64_t tid = 0;
  uint64_t begin_ns = 0;  // since 1970 on the job's line
  uint64_t end_ns = 0;

  uint64_t LengthNs() const { return end_ns - begin_ns; }
  // A call that may bear a stack.
  bool IsCall() const;
};

struct TraceVisitor {
  std::function<void(const TraceSlice&)> slice;
  // A frame of a stack, as JSON, and its number; they follow the slices. May be empty.
  std::function<void(uint64_t number, std::string_view frame)> frame = {};
  // A row of a process and its name, as JSON has it between quotes. May be empty.
  std::function<void(uint64_t pid, uint64_t tid, std::string_view name)> row = {};
};

// Not ok: the file cannot be read to its end; what was read before was told.
Status ReadTrace(const std::string& path, const TraceVisitor& visitor);

// Each line of a trace as it stands there, without its end. What ReadTrace is made of.
Status ReadTraceLines(const std::string& path,
                      const std::function<void(std::string_view)>& take_line);
// Of an event's line: microseconds from the trace's base. False: it has no time.
bool TimesOfEvent(std::string_view line, double* begin, double* end);
// The moment from which the times of a trace count, of the line that says it; false: another line.
bool TakeBaseTime(std::string_view line, uint64_t* base_ns);

// The thread to which a row of waits belongs (docs/trace-format.md).
uint64_t ThreadOfRow(uint64_t tid);

}  // namespace syncline
