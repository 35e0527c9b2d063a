// SPDX-License-Identifier: Apache-2.0
// One slice of a Chrome trace as it is put together.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/spool/streams.h"
#include "writers/chrome/text/event_buffer.h"
#include "writers/chrome/text/event_parts.h"
#include "writers/chrome/text/time_text.h"

namespace syncline {

// Begin, then arguments, then Finish. Times are nanoseconds on the job's line. One thread.
class EventLine {
 public:
  EventLine(EventBuffer* out, const TimeText& time) : out_(out), time_(time) {}

  void Begin(std::string_view category, std::string_view name, uint32_t pid, uint32_t tid,
             uint64_t begin, uint64_t end);
  void Key(std::string_view key);
  void Number(std::string_view key, uint64_t value);
  void Text(std::string_view key, std::string_view value);
  void Triple(std::string_view key, const uint32_t* values);
  void Members(std::string_view members);  // "\"a\": 1, \"b\": 2"
  std::string& text() { return line_; }    // for a value behind Key
  // Closes the arguments and the event; `stack`: a frame of the trace's, 0: none.
  void Finish(uint32_t stack = 0);

  // For parts that many events share: what stands before the time stamps, and behind them.
  void Head(std::string_view category, std::string_view name, uint32_t pid, uint32_t tid);
  void BeginArguments();
  std::string Take();
  // An event of known parts. `more`: members behind them, or nothing.
  void Write(const EventParts& parts, uint64_t begin, uint64_t end, uint64_t correlation,
             std::string_view more);

  // Of events that are no slices: the text as it is, then Finish.
  void BeginCounter(std::string_view name, uint32_t pid, uint64_t at);

 private:
  EventBuffer* const out_;
  const TimeText time_;
  std::string line_;
  bool first_argument_ = true;
};

// Typed arguments of the call or operation that is being written, if it has some.
void AppendArguments(const Stream& stream, EventLine* line);

}  // namespace syncline
