// SPDX-License-Identifier: Apache-2.0
// Line by line: one event is one line.
#include "writers/chrome/trace_part.h"

#include <string_view>

#include "base/text.h"
#include "writers/chrome/trace_reader.h"

namespace syncline {
namespace {

constexpr size_t kWrittenAtOnce = size_t{1} << 20;

class PartWriter {
 public:
  PartWriter(uint64_t begin_ns, uint64_t end_ns, ByteSink* sink)
      : begin_ns_(begin_ns), end_ns_(end_ns), sink_(sink) {}

  void Take(std::string_view line) {
    if (in_events_ && line.starts_with(']')) {
      in_events_ = false;
      text_ += '\n';
    }
    if (in_events_) return TakeEvent(line);
    TakeBaseTime(line, &base_ns_);
    (text_ += line) += '\n';
    in_events_ = in_events_ || (!seen_events_ && line.starts_with("\"traceEvents\": ["));
    seen_events_ = seen_events_ || in_events_;
    Flush(kWrittenAtOnce);
  }

  Status Finish() {
    if (!seen_events_) return Status::Error("it is no trace of ours");
    Flush(1);
    return status_;
  }

 private:
  void TakeEvent(std::string_view line) {
    if (line.ends_with(',')) line.remove_suffix(1);
    if (!line.starts_with("{\"ph\": \"M\"") && !IsWithin(line)) return;
    (text_ += any_ ? ",\n" : "") += line;
    any_ = true;
    Flush(kWrittenAtOnce);
  }

  bool IsWithin(std::string_view line) const {
    double begin = 0, end = 0;
    if (!TimesOfEvent(line, &begin, &end)) return false;
    const auto micros = [this](uint64_t ns) {
      // Not as doubles before: of times since 1970 these know a quarter of a microsecond.
      return static_cast<double>(static_cast<int64_t>(ns - base_ns_)) / 1000;
    };
    return begin <= micros(end_ns_) && end >= micros(begin_ns_);
  }

  void Flush(size_t least) {
    if (text_.size() < least) return;
    if (status_.ok()) status_ = sink_->Write(text_);
    text_.clear();
  }

  const uint64_t begin_ns_, end_ns_;
  ByteSink* const sink_;
  std::string text_;
  Status status_;
  uint64_t base_ns_ = 0;
  bool in_events_ = false, seen_events_ = false, any_ = false;
};

}  // namespace

Status WriteTracePart(const std::string& path, uint64_t begin_ns, uint64_t end_ns, ByteSink* sink) {
  PartWriter writer(begin_ns, end_ns, sink);
  const Status read = ReadTraceLines(path, [&writer](std::string_view line) { writer.Take(line); });
  return read.ok() ? writer.Finish() : read;
}

}  // namespace syncline
