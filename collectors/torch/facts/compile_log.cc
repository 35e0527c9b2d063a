// SPDX-License-Identifier: Apache-2.0
// Entries are a line of glog's form with an object of JSON, and lines of payload that begin with a
// tabulator. Three kinds are read: what a compilation took and was for, why a function is compiled
// again (which older versions tell apart from that), and why a graph breaks.
#include "collectors/torch/facts/compile_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace syncline::torch {
namespace {

using Json = nlohmann::json;

constexpr size_t kLongestLine = size_t{8} << 20;
constexpr size_t kMostPayloadLines = 64;
constexpr size_t kMostKept = 1 << 16;
constexpr size_t kLongestWhy = 300;
constexpr std::string_view kResumes = "torch_dynamo_resume_in_";

constexpr std::string_view kMetrics = R"({"compilation_metrics":)";
constexpr std::string_view kArtifact = R"({"artifact":)";

struct Entry {
  int32_t pid = 0;
  std::string_view json;  // empty: it is no entry
};

// "V1130 05:31:00.303000 11535 torch/_dynamo/utils.py:2132] {...}"
Entry EntryOf(std::string_view line) {
  const size_t begin = line.find("] {");
  if (line.empty() || line[0] == '\t' || begin == std::string_view::npos) return {};
  std::string_view head = line.substr(0, begin);
  for (int i = 0; i < 2; ++i) {
    const size_t blank = head.find(' ');
    if (blank == std::string_view::npos) return {};
    head.remove_prefix(blank + 1);
  }
  Entry entry{0, line.substr(begin + 2)};
  const auto parsed = std::from_chars(head.data(), head.data() + head.size(), entry.pid);
  return parsed.ec == std::errc() && entry.pid > 0 ? entry : Entry{};
}

std::string TextOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

double NumberOf(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

// The first line, without the blanks at its ends.
std::string FirstLine(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\r')) text.remove_suffix(1);
  return std::string(text.substr(0, kLongestWhy));
}

// "0/0: tensor 'x' size mismatch ...": which compilation does not fit says nothing to a user, and
// what follows the condition of a guard is the line that it guards.
std::string ReasonOf(std::string_view text) {
  std::string line = FirstLine(text);
  const size_t colon = line.find(": ");
  const bool numbered =
      colon != std::string::npos && colon > 2 && line.find_first_not_of("0123456789/") == colon;
  if (numbered) line.erase(0, colon + 2);
  return FirstLine(std::string_view(line).substr(0, line.find("  # ")));
}

// "/home/me/train.py:6" at the end of "Graph break in user code at /home/me/train.py:6".
void TakePlace(std::string_view line, CompileEvent* event) {
  const size_t at = line.rfind(" at ");
  const size_t colon = line.rfind(':');
  if (at == std::string_view::npos || colon == std::string_view::npos || colon < at + 4) return;
  event->file = line.substr(at + 4, colon - at - 4);
  std::from_chars(line.data() + colon + 1, line.data() + line.size(), event->line);
}

// The explanation, where there is one; else the first line, and the next one where it leads there.
std::string FailureOf(const std::string& text) {
  constexpr std::string_view kExplanation = "Explanation: ";
  const size_t explained = text.find(kExplanation);
  if (explained != std::string::npos)
    return FirstLine(std::string_view(text).substr(explained + kExplanation.size()));
  std::string line = FirstLine(text);
  const size_t end = text.find('\n');
  if (line.ends_with(":") && end != std::string::npos)
    line += " " + FirstLine(std::string_view(text).substr(end + 1));
  return line.substr(0, kLongestWhy);
}

// One that was refused before it began (the limit of compilations) has no function: that of the
// compilations before it.
void TellFailure(const Json& metrics, CompileEvent* event) {
  event->kind = CompileKind::kFailed;
  event->why = FailureOf(TextOf(metrics, "fail_reason"));
  if (event->why.empty()) event->why = TextOf(metrics, "fail_type");
  if (!event->file.empty()) return;
  event->file = TextOf(metrics, "fail_user_frame_filename");
  event->line =
      static_cast<uint32_t>(std::clamp(NumberOf(metrics, "fail_user_frame_lineno"), 0.0, 1e9));
}

// What remains of a function behind a break is a function for the compiler.
void NameFunction(std::string name, CompileEvent* event) {
  if (!name.starts_with(kResumes)) {
    event->function = std::move(name);
    return;
  }
  const size_t at = name.rfind("_at_");
  if (at == std::string::npos || at < kResumes.size()) return;
  event->function = name.substr(kResumes.size(), at - kResumes.size());
}

class Reader {
 public:
  explicit Reader(const std::function<void(const CompileEvent&)>& event) : event_(event) {}

  void Line(std::string_view line) {
    if (!line.empty() && line[0] == '\t') return Payload(line.substr(1));
    const Entry entry = EntryOf(line);
    EndArtifact();
    if (entry.json.starts_with(kMetrics)) return Metrics(entry);
    if (entry.json.starts_with(kArtifact)) Artifact(entry);
  }
  void EndArtifact();

 private:
  enum class Kind { kNone, kReasons, kBreak };

  void Metrics(const Entry& entry);
  void Artifact(const Entry& entry);
  void Payload(std::string_view line) {
    if (kind_ == Kind::kNone || payload_lines_ == kMostPayloadLines) return;
    ++payload_lines_;
    payload_.append(line.substr(0, kLongestLine)).push_back('\n');
  }
  void EndBreak();

  const std::function<void(const CompileEvent&)>& event_;
  Kind kind_ = Kind::kNone;
  int32_t pid_ = 0;
  std::string compilation_;  // "0/1"
  std::string payload_;
  size_t payload_lines_ = 0;
  std::map<std::string, std::string> reasons_;  // by process and compilation
  std::map<std::string, CompileEvent> frames_;  // by process and the number before the slash
};

void Reader::Artifact(const Entry& entry) {
  const Json json = Json::parse(entry.json, nullptr, false);
  if (!json.is_object() || !json["artifact"].is_object()) return;
  const std::string name = TextOf(json["artifact"], "name");
  kind_ = name == "recompile_reasons"           ? Kind::kReasons
          : name == "dynamo_graph_break_reason" ? Kind::kBreak
                                                : Kind::kNone;
  pid_ = entry.pid;
  const auto number = [&json](const char* key) {
    return std::to_string(static_cast<int64_t>(NumberOf(json, key)));
  };
  compilation_ = std::to_string(pid_) + " " + number("frame_id") + "/" + number("frame_compile_id");
}

void Reader::EndArtifact() {
  if (kind_ == Kind::kReasons) {
    std::string_view text = payload_;
    while (text.starts_with("[") || text.starts_with("\"") || text.starts_with("\n"))
      text.remove_prefix(1);
    if (reasons_.size() < kMostKept) reasons_[compilation_] = ReasonOf(text);
  }
  if (kind_ == Kind::kBreak) EndBreak();
  kind_ = Kind::kNone;
  payload_.clear();
  payload_lines_ = 0;
}

// "Graph break in user code at FILE:LINE", then in 2.4 "Reason: ...", later "Graph Break Reason:
// ...", which says where the compiler was, and further below the explanation.
void Reader::EndBreak() {
  CompileEvent event;
  event.pid = pid_;
  event.kind = CompileKind::kBreak;
  TakePlace(std::string_view(payload_).substr(0, payload_.find('\n')), &event);
  for (const std::string_view word : {"Explanation: ", "Reason: "}) {
    const size_t at = payload_.find(word);
    if (event.why.empty() && at != std::string::npos)
      event.why = FirstLine(std::string_view(payload_).substr(at + word.size()));
  }
  event_(event);
}

void Reader::Metrics(const Entry& entry) {
  const Json json = Json::parse(entry.json, nullptr, false);
  const Json metrics = json.is_object() ? json.value("compilation_metrics", Json()) : Json();
  const bool failed = metrics.is_object() && !TextOf(metrics, "fail_type").empty();
  if (!failed && (!metrics.is_object() || TextOf(metrics, "co_name").empty())) return;
  CompileEvent event;
  event.pid = entry.pid;
  event.file = TextOf(metrics, "co_filename");
  event.line = static_cast<uint32_t>(std::clamp(NumberOf(metrics, "co_firstlineno"), 0.0, 1e9));
  NameFunction(TextOf(metrics, "co_name"), &event);
  const double took_s = NumberOf(metrics, "entire_frame_compile_time_s");
  event.ns = static_cast<uint64_t>(std::clamp(took_s, 0.0, 1e9) * 1e9);
  event.why = ReasonOf(TextOf(metrics, "recompile_reason"));
  const std::string compilation = std::to_string(entry.pid) + " " + TextOf(metrics, "compile_id");
  const auto reason = reasons_.find(compilation);
  if (reason != reasons_.end() && event.why.empty()) event.why = reason->second;
  if (!event.why.empty() || NumberOf(metrics, "cache_size") > 0) event.kind = CompileKind::kAgain;
  const std::string frame = compilation.substr(0, compilation.rfind('/'));
  if (event.file.empty()) {
    if (const auto known = frames_.find(frame); known != frames_.end()) {
      event.file = known->second.file;
      event.line = known->second.line;
      event.function = known->second.function;
    }
  } else if (frames_.size() < kMostKept) {
    frames_[frame] = event;
  }
  if (failed) TellFailure(metrics, &event);
  event_(event);
}

}  // namespace

void ReadCompileLog(std::istream& file, const std::function<void(const CompileEvent&)>& event) {
  Reader reader(event);
  for (std::string line; std::getline(file, line);) {
    if (line.size() <= kLongestLine) reader.Line(line);
  }
  reader.EndArtifact();
}

}  // namespace syncline::torch
