// SPDX-License-Identifier: Apache-2.0
// Text, piece by piece.
#include "writers/chrome/event_line.h"

#include <utility>

#include "writers/chrome/text/json.h"
#include "writers/chrome/text/payload_text.h"

namespace syncline {

void EventLine::Key(std::string_view key) {
  line_.append(first_argument_ ? "\"" : ", \"").append(key).append("\": ");
  first_argument_ = false;
}

void EventLine::Number(std::string_view key, uint64_t value) {
  Key(key);
  AppendUint(&line_, value);
}

void EventLine::Text(std::string_view key, std::string_view value) {
  Key(key);
  AppendString(&line_, value);
}

void EventLine::Triple(std::string_view key, const uint32_t* values) {
  Key(key);
  for (int i = 0; i < 3; ++i) {
    line_.append(i == 0 ? "[" : ", ");
    AppendUint(&line_, values[i]);
  }
  line_.push_back(']');
}

void EventLine::Members(std::string_view members) {
  if (members.empty()) return;
  line_.append(first_argument_ ? "" : ", ").append(members);
  first_argument_ = false;
}

void EventLine::Head(std::string_view category, std::string_view name, uint32_t pid, uint32_t tid) {
  line_.assign(",\n{\"ph\": \"X\", \"cat\": \"").append(category).append("\", \"name\": ");
  AppendString(&line_, name);
  line_.append(", \"pid\": ");
  AppendUint(&line_, pid);
  line_.append(", \"tid\": ");
  AppendUint(&line_, tid);
  line_.append(", \"ts\": ");
}

void EventLine::BeginArguments() {
  line_.append(", \"args\": {");
  first_argument_ = true;
}

void EventLine::Begin(std::string_view category, std::string_view name, uint32_t pid, uint32_t tid,
                      uint64_t begin, uint64_t end) {
  Head(category, name, pid, tid);
  time_.AppendSpan(&line_, begin, end);
  BeginArguments();
}

void EventLine::BeginCounter(std::string_view name, uint32_t pid, uint64_t at) {
  line_.assign(",\n{\"ph\": \"C\", \"name\": ");
  AppendString(&line_, name);
  line_.append(", \"pid\": ");
  AppendUint(&line_, pid);
  line_.append(", \"tid\": 0, \"ts\": ");
  time_.AppendTime(&line_, at);
  BeginArguments();
}

std::string EventLine::Take() { return std::exchange(line_, {}); }

void EventLine::Finish(uint32_t stack) {
  line_.append("}");
  if (stack != 0) {
    line_.append(", \"sf\": ");
    AppendUint(&line_, stack);
  }
  line_.append("}");
  out_->Append(line_);
}

void EventLine::Write(const EventParts& parts, uint64_t begin, uint64_t end, uint64_t correlation,
                      std::string_view more) {
  char* out = out_->Reserve(parts.head.size() + parts.middle.size() + parts.tail.size() +
                            more.size() + kMaxSpanChars + kMaxNumberChars + 8);
  out = time_.PutSpan(Put(out, parts.head), begin, end);
  out = PutUint(Put(out, parts.middle), correlation);
  out = Put(out, parts.tail);
  if (!more.empty()) out = Put(Put(out, ", "), more);
  out_->Commit(Put(out, "}}"));
}

void AppendArguments(const Stream& stream, EventLine* line) {
  if (stream.arguments() == nullptr) return;
  line->Key("arguments");
  AppendPayload(stream, stream.arguments()->back(), &line->text());
}

}  // namespace syncline
