// SPDX-License-Identifier: Apache-2.0
// The library's parser takes one character after the other, and gives one value after the other.
#include "writers/chrome/trace_reader.h"

#include <array>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/text.h"
#include "writers/chrome/traced_fields.h"
#include "writers/gunzip.h"

namespace syncline {
namespace {

using Json = nlohmann::json;

constexpr size_t kPiece = 1 << 17;
// Of a line, and so of a text. Each of our events is a line of its own.
constexpr uint64_t kLongestLine = uint64_t{64} << 20;

class Characters {
 public:
  explicit Characters(const TextSource& source)
      : source_(source), buffer_(std::make_unique_for_overwrite<char[]>(kPiece)) {}

  bool AtEnd() { return at_ == end_ && !Fill(); }
  char Get() const { return *at_; }
  void Next() {
    if (*at_++ == '\n') line_ = read_ - static_cast<uint64_t>(end_ - at_);
  }
  const Status& status() const { return status_; }
  bool too_long() const { return too_long_; }

 private:
  bool Fill() {
    too_long_ = too_long_ || read_ - line_ > kLongestLine;
    size_t got = 0;
    if (status_.ok() && !too_long_) status_ = source_(buffer_.get(), kPiece, &got);
    at_ = buffer_.get();
    end_ = at_ + (status_.ok() ? got : 0);
    read_ += got;
    return at_ != end_;
  }

  const TextSource& source_;
  std::unique_ptr<char[]> buffer_;
  const char* at_ = nullptr;
  const char* end_ = nullptr;
  uint64_t read_ = 0;
  uint64_t line_ = 0;  // where the line began
  bool too_long_ = false;
  Status status_;
};

// Of the library's parser: one pass.
class Iterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  explicit Iterator(Characters* text) : text_(text) {}
  char operator*() const { return text_->Get(); }
  Iterator& operator++() {
    text_->Next();
    return *this;
  }
  // Only the end is ever asked for.
  bool operator==(const Iterator&) const { return text_->AtEnd(); }
  bool operator!=(const Iterator&) const { return !text_->AtEnd(); }

 private:
  Characters* text_;
};

class Handler : public Json::json_sax_t {
 public:
  explicit Handler(TraceSink* sink) : sink_(sink) {}

  bool null() override { return Value({}); }
  bool boolean(bool value) override {
    TracedValue taken;
    taken.type = value ? TracedValue::Type::kTrue : TracedValue::Type::kFalse;
    return Value(taken);
  }
  bool number_integer(number_integer_t value) override {
    return Number(static_cast<double>(value), 0, false);
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Number(static_cast<double>(value), value, true);
  }
  bool number_float(number_float_t value, const string_t&) override {
    return Number(value, 0, false);
  }
  bool string(string_t& text) override {
    TracedValue value;
    value.type = TracedValue::Type::kText;
    value.text = &text;
    return Value(value);
  }
  bool binary(binary_t&) override { return true; }
  bool key(string_t& text) override {
    if (depth_ < keys_.size()) keys_[depth_] = text;
    return true;
  }
  bool start_object(size_t) override {
    ++depth_;
    if (depth_ < keys_.size()) keys_[depth_].clear();
    if (in_events_ && depth_ == 3) event_.Clear();
    return true;
  }
  bool end_object() override {
    --depth_;
    if (in_events_ && depth_ == 2 && event_.Settle(facts_.base_ns) != TracedKind::kOther)
      sink_->OnEvent(event_.event);
    return true;
  }
  bool start_array(size_t) override {
    ++depth_;
    if (depth_ < keys_.size()) keys_[depth_].clear();
    if (depth_ != 2 || keys_[1] != "traceEvents" || saw_events_) return true;
    in_events_ = saw_events_ = true;
    wanted_ = is_ours_ && facts_.base_ns != 0 && sink_->OnFacts(facts_);
    return wanted_;
  }
  bool end_array() override {
    --depth_;
    if (in_events_ && depth_ == 1) in_events_ = false;
    return true;
  }
  bool parse_error(size_t position, const std::string&, const Json::exception&) override {
    damaged_at_ = position;
    return false;
  }

  bool is_ours() const { return is_ours_; }
  bool saw_events() const { return saw_events_; }
  size_t damaged_at() const { return damaged_at_; }

 private:
  bool Number(double number, uint64_t whole, bool is_whole) {
    TracedValue value;
    value.type = TracedValue::Type::kNumber;
    value.number = number;
    value.whole = whole;
    value.is_whole = is_whole;
    return Value(value);
  }
  bool Value(const TracedValue& value) {
    if (in_events_) {
      if (depth_ == 3) event_.Take(keys_[3], value);
      if (depth_ == 4 && keys_[3] == "args") event_.TakeArgument(keys_[4], value);
    } else if (!saw_events_) {
      Fact(value);
    }
    return true;
  }
  void Fact(const TracedValue& value);

  TraceSink* const sink_;
  TracedFacts facts_;
  size_t depth_ = 0;
  std::array<std::string, 6> keys_;  // of the objects that are open, by depth
  RawEvent event_;
  uint32_t device_ = 0;
  bool in_events_ = false;
  bool saw_events_ = false;
  bool is_ours_ = false;
  bool wanted_ = true;
  size_t damaged_at_ = 0;
};

void Handler::Fact(const TracedValue& value) {
  const auto number = [&value](auto* out) {
    if (value.is_whole && value.whole <= INT32_MAX)
      *out = static_cast<std::remove_pointer_t<decltype(out)>>(value.whole);
  };
  if (depth_ == 1) {
    if (keys_[1] == "baseTimeNanoseconds" && value.is_whole) facts_.base_ns = value.whole;
    if (keys_[1] == "host_name" && value.is_text()) facts_.host = *value.text;
  } else if (keys_[1] == "distributedInfo" && depth_ == 2) {
    if (keys_[2] == "rank") number(&facts_.rank);
    if (keys_[2] == "world_size") number(&facts_.world_size);
  } else if (keys_[1] == "deviceProperties" && depth_ == 3) {
    if (keys_[3] == "id") number(&device_);
    if (keys_[3] == "name" && value.is_text()) facts_.devices[device_] = *value.text;
  } else if (keys_[1] == "metadata" && depth_ == 2) {
    if (keys_[2] == "tool") is_ours_ = value.is_text() && *value.text == "syncline";
    if (keys_[2] == "version" && value.is_text()) facts_.version = *value.text;
    if (keys_[2] == "clock_error_ns" && value.is_whole) facts_.clock_error_ns = value.whole;
    if (keys_[2] == "min_duration_ns" || keys_[2] == "kernels") facts_.limited = true;
  } else if (keys_[1] == "metadata" && keys_[2] == "losses" && depth_ == 3) {
    if (value.is_whole) facts_.losses[keys_[3]] = value.whole;
  } else if (keys_[1] == "metadata" && keys_[2] == "processes" && depth_ == 4) {
    if (keys_[4] == "missing" && value.is_text()) facts_.missing.push_back(*value.text);
  }
}

Status Refuse(const std::string& name, const Handler& handler, const Characters& text, bool whole) {
  if (handler.saw_events() && !handler.is_ours())
    return Status::Error(name +
                         " was not written by Syncline: findings are made of its traces only");
  if (!text.status().ok()) return text.status();
  if (text.too_long())
    return Status::Error(name + " has a line of more than 64 MiB: it is no trace of Syncline's");
  if (handler.damaged_at() != 0) {
    return Status::Error(Text(name, " is damaged: at byte ", handler.damaged_at(),
                              " of its text it is no JSON, or it ends there"));
  }
  if (!whole || !handler.saw_events())
    return Status::Error(name + " holds no events: it is no trace of Syncline's");
  return Status();
}

}  // namespace

Status ReadTraceText(const TextSource& source, const std::string& name, TraceSink* sink) {
  Characters text(source);
  Handler handler(sink);
  const bool whole = Json::sax_parse(Iterator(&text), Iterator(&text), &handler);
  return Refuse(name, handler, text, whole);
}

Status ReadTrace(const std::string& path, TraceSink* sink) {
  GunzipFile file;
  Status status = file.Open(path);
  if (!status.ok()) return status;
  return ReadTraceText(
      [&file](char* out, size_t most, size_t* got) { return file.Read(out, most, got); }, path,
      sink);
}

}  // namespace syncline
