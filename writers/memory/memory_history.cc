// SPDX-License-Identifier: Apache-2.0
// Numbers stand apart by blanks; a line that is not as it should be ends the reading.
#include "writers/memory/memory_history.h"

#include <charconv>
#include <utility>

#include "base/text.h"
#include "writers/files/gunzip.h"
#include "writers/files/json_fields.h"

namespace syncline {
namespace {

constexpr char kHead[] = "syncline.memory/1";
constexpr size_t kFlushed = size_t{1} << 20;
constexpr size_t kMostLine = size_t{1} << 20;

// False: `text` does not begin with a number that fits.
template <typename Number>
bool Take(std::string_view* text, Number* out) {
  if (!text->empty() && text->front() == ' ') text->remove_prefix(1);
  const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), *out);
  if (error != std::errc()) return false;
  text->remove_prefix(static_cast<size_t>(end - text->data()));
  return true;
}

bool TakeFrames(std::string_view text, std::vector<MemoryFrame>* frames) {
  const Json list = Json::parse(text, nullptr, false);
  if (!list.is_array()) return false;
  for (const Json& one : list) {
    if (!one.is_array() || one.size() != 3 || !one[0].is_string() || !one[1].is_number_unsigned() ||
        !one[2].is_string())
      return false;
    frames->push_back({one[0], one[1], one[2]});
  }
  return true;
}

bool TakeEvent(std::string_view text, size_t stacks, MemoryEvent* event) {
  uint32_t action = 0;
  if (!Take(&text, &action) || !Take(&text, &event->device) || !Take(&text, &event->stack) ||
      !Take(&text, &event->time_ns) || !Take(&text, &event->address) ||
      !Take(&text, &event->bytes) || !Take(&text, &event->held))
    return false;
  event->action = static_cast<MemoryAction>(action);
  return text.empty() && action <= static_cast<uint32_t>(MemoryAction::kOutOfMemory) &&
         event->stack <= stacks;
}

bool TakeLine(std::string_view line, std::vector<MemoryHistory>* processes) {
  if (line.size() < 2 || line[1] != ' ') return false;
  const char kind = line[0];
  line.remove_prefix(2);
  if (kind == 'P') {
    MemoryHistory& process = processes->emplace_back();
    if (!Take(&line, &process.pid) || line.empty()) return false;
    process.program = line.substr(1);
    return true;
  }
  if (processes->empty()) return false;
  MemoryHistory& process = processes->back();
  if (kind == 'S') return TakeFrames(line, &process.stacks.emplace_back());
  return kind == 'E' && TakeEvent(line, process.stacks.size(), &process.events.emplace_back());
}

Status Damaged(const std::string& path, size_t line) {
  return Status::Error(Text("line ", line, " of ", path, " is no memory history"));
}

}  // namespace

void MemoryHistoryWriter::Flush(size_t from) {
  if (text_.size() < from || !status_.ok()) return;
  status_ = out_->Write(text_);
  text_.clear();
}

void MemoryHistoryWriter::Process(int32_t pid, std::string_view program) {
  if (!std::exchange(begun_, true)) text_ = Text(kHead, "\n");
  std::string name(program);
  for (char& one : name) {
    if (one == '\n') one = ' ';
  }
  text_ += Text("P ", pid, " ", name, "\n");
  stacks_ = 0;
}

uint32_t MemoryHistoryWriter::Stack(const std::vector<MemoryFrame>& frames) {
  Json list = Json::array();
  for (const MemoryFrame& frame : frames)
    list.push_back(Json::array({frame.file, frame.line, frame.function}));
  text_ += "S " + list.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  Flush(kFlushed);
  return ++stacks_;
}

void MemoryHistoryWriter::Event(const MemoryEvent& event) {
  text_ += Text("E ", static_cast<uint32_t>(event.action), " ", event.device, " ", event.stack, " ",
                event.time_ns, " ", event.address, " ", event.bytes, " ", event.held, "\n");
  Flush(kFlushed);
}

Status MemoryHistoryWriter::Finish() {
  Flush(1);
  return status_;
}

Status ReadMemoryHistory(const std::string& path, std::vector<MemoryHistory>* processes) {
  GunzipFile file;
  if (Status status = file.Open(path); !status.ok()) return status;
  std::string text;
  size_t lines = 0;
  std::vector<char> piece(kFlushed);
  for (size_t got = 1; got != 0;) {
    if (Status status = file.Read(piece.data(), piece.size(), &got); !status.ok()) return status;
    text.append(piece.data(), got);
    size_t begin = 0;
    for (size_t end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1) {
      const std::string_view line = std::string_view(text).substr(begin, end - begin);
      if (++lines == 1 ? line != kHead : !TakeLine(line, processes)) return Damaged(path, lines);
    }
    text.erase(0, begin);
    if (text.size() > kMostLine) return Damaged(path, lines + 1);
  }
  return text.empty() && lines != 0 ? Status() : Damaged(path, lines + 1);
}

}  // namespace syncline
