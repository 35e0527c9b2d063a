// SPDX-License-Identifier: Apache-2.0
// One event is one line, and its keys are always in the same order. A quote within a text has a
// backslash in front, so that no text looks like a key.
#include "writers/chrome/trace_reader.h"

#include <charconv>
#include <cmath>
#include <vector>

#include "writers/files/gunzip.h"

namespace syncline {
namespace {

constexpr size_t kPiece = size_t{1} << 20;
constexpr size_t kLongestLine = size_t{16} << 20;  // a longer one is passed over
constexpr uint64_t kRowsOfThreads = uint64_t{1} << 23;

// The number behind `key`, and where it ends. False: there is none.
template <typename Number>
bool NumberAt(std::string_view line, std::string_view key, size_t* at, Number* number) {
  const size_t found = line.find(key, *at);
  if (found == std::string_view::npos) return false;
  const char* const begin = line.data() + found + key.size();
  const auto [end, error] = std::from_chars(begin, line.data() + line.size(), *number);
  *at = static_cast<size_t>(end - line.data());
  return error == std::errc();
}

uint64_t Nanoseconds(double micros) { return static_cast<uint64_t>(std::llround(micros * 1000)); }

// False: the line is no slice.
bool TakeSlice(std::string_view line, uint64_t base_ns, TraceSlice* slice) {
  constexpr std::string_view kBegin = "{\"ph\": \"X\", \"cat\": \"";
  if (!line.starts_with(kBegin)) return false;
  size_t at = line.find('"', kBegin.size());
  if (at == std::string_view::npos) return false;
  slice->category = line.substr(kBegin.size(), at - kBegin.size());
  double begin = 0, length = 0;
  if (!NumberAt(line, ", \"pid\": ", &at, &slice->pid) ||
      !NumberAt(line, ", \"tid\": ", &at, &slice->tid) ||
      !NumberAt(line, ", \"ts\": ", &at, &begin) || !NumberAt(line, ", \"dur\": ", &at, &length))
    return false;
  constexpr double kMost = 1e15;  // microseconds
  if (!(begin >= 0 && begin < kMost && length >= 0 && length < kMost)) return false;
  slice->line = line.ends_with(',') ? line.substr(0, line.size() - 1) : line;
  slice->begin_ns = base_ns + Nanoseconds(begin);
  slice->end_ns = slice->begin_ns + Nanoseconds(length);
  return true;
}

struct TraceRow {
  uint64_t pid = 0, tid = 0;
  std::string_view name;
};

// False: the line names no row.
bool TakeRow(std::string_view line, TraceRow* row) {
  constexpr std::string_view kBegin = "{\"ph\": \"M\", \"name\": \"thread_name\"";
  constexpr std::string_view kName = "\"args\": {\"name\": \"";
  size_t at = kBegin.size();
  if (!line.starts_with(kBegin) || !NumberAt(line, ", \"pid\": ", &at, &row->pid) ||
      !NumberAt(line, ", \"tid\": ", &at, &row->tid))
    return false;
  const size_t begin = line.find(kName, at), end = line.rfind('"');
  if (begin == std::string_view::npos || end < begin + kName.size()) return false;
  row->name = line.substr(begin + kName.size(), end - begin - kName.size());
  return true;
}

class LineReader {
 public:
  explicit LineReader(const TraceVisitor& visitor) : visitor_(visitor) {}

  void Take(std::string_view line) {
    TraceSlice slice;
    size_t at = 0;
    uint64_t number = 0;
    if (TakeSlice(line, base_ns_, &slice)) {
      visitor_.slice(slice);
    } else if (TraceRow row; visitor_.row && TakeRow(line, &row)) {
      visitor_.row(row.pid, row.tid, row.name);
    } else if (TakeBaseTime(line, &base_ns_)) {
      return;
    } else if (line.starts_with("\"stackFrames\": ")) {
      in_frames_ = true;
    } else if (in_frames_ && visitor_.frame && NumberAt(line, "\"", &at, &number)) {
      const size_t frame = line.find('{', at);
      if (frame == std::string_view::npos) return;
      line = line.substr(frame);
      visitor_.frame(number, line.ends_with(',') ? line.substr(0, line.size() - 1) : line);
    }
  }

 private:
  const TraceVisitor& visitor_;
  uint64_t base_ns_ = 0;
  bool in_frames_ = false;
};

}  // namespace

bool TraceSlice::IsCall() const {
  return category.ends_with("_runtime") || category.ends_with("_driver");
}

bool TakeBaseTime(std::string_view line, uint64_t* base_ns) {
  constexpr std::string_view kBase = "\"baseTimeNanoseconds\": ";
  size_t at = 0;
  return line.starts_with(kBase) && NumberAt(line, kBase, &at, base_ns);
}

bool TimesOfEvent(std::string_view line, double* begin, double* end) {
  size_t at = 0;
  double length = 0;
  if (!NumberAt(line, ", \"ts\": ", &at, begin)) return false;
  const bool has_length = line.substr(at).starts_with(", \"dur\": ");
  if (has_length) NumberAt(line, ", \"dur\": ", &at, &length);
  *end = *begin + length;
  return true;
}

Status ReadTraceLines(const std::string& path,
                      const std::function<void(std::string_view)>& take_line) {
  GunzipFile file;
  Status status = file.Open(path);
  std::vector<char> piece(kPiece);
  std::string line;
  while (status.ok()) {
    size_t got = 0;
    status = file.Read(piece.data(), piece.size(), &got);
    if (got == 0) break;
    std::string_view rest(piece.data(), got);
    for (size_t end = rest.find('\n'); end != std::string_view::npos; end = rest.find('\n')) {
      if (line.size() < kLongestLine) take_line(line.append(rest.substr(0, end)));
      line.clear();
      rest.remove_prefix(end + 1);
    }
    if (line.size() < kLongestLine) line += rest;
  }
  if (!line.empty() && line.size() < kLongestLine) take_line(line);
  return status;
}

Status ReadTrace(const std::string& path, const TraceVisitor& visitor) {
  LineReader reader(visitor);
  return ReadTraceLines(path, [&reader](std::string_view line) { reader.Take(line); });
}

uint64_t ThreadOfRow(uint64_t tid) { return tid % kRowsOfThreads; }

}  // namespace syncline
