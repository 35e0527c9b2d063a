// SPDX-License-Identifier: Apache-2.0
// Entries are a line of glog's form with an object of JSON, and lines of payload that begin with a
// tabulator. Read are: what a compilation took and was for, and its phases; why a function is
// compiled again (which older versions tell apart from that); why a graph breaks; graphs, and the
// code that was made of them.
#include "collectors/torch/facts/compile_log.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <string>
#include <string_view>

#include "collectors/torch/facts/compile_phases.h"
#include "collectors/torch/facts/compile_text.h"
#include "collectors/torch/facts/graph_code.h"
#include "collectors/torch/facts/graph_nodes.h"
#include "collectors/torch/facts/line_reader.h"

namespace syncline::torch {
namespace {

using Json = CompileJson;

constexpr size_t kLongestPayload = size_t{8} << 20;
constexpr size_t kShortPayload = 4096;
constexpr size_t kMostGraphs = 4096;
constexpr size_t kMostNodes = 1 << 18;  // of all graphs
constexpr size_t kMostKept = 1 << 16;
constexpr size_t kLongestWhy = 300;

constexpr std::string_view kMetrics = R"({"compilation_metrics":)";
constexpr std::string_view kBackward = R"({"bwd_compilation_metrics":)";

struct Entry {
  int32_t pid = 0;        // 0: not told
  std::string_view json;  // empty: it is no entry
};

// "V1130 05:31:00.303000 11535 torch/_dynamo/utils.py:2132] {...}". The third word of 2.4 is no
// process: it is what Python calls the thread, an address.
Entry EntryOf(std::string_view line) {
  const size_t begin = line.find("] {");
  if (line.empty() || line[0] == '\t' || begin == std::string_view::npos) return {};
  std::string_view head = line.substr(0, begin);
  for (int i = 0; i < 2; ++i) {
    const size_t blank = head.find(' ');
    if (blank == std::string_view::npos) return {};
    head.remove_prefix(blank + 1);
  }
  uint64_t number = 0;
  const auto parsed = std::from_chars(head.data(), head.data() + head.size(), number);
  if (parsed.ec != std::errc() || number == 0) return {};
  const bool is_process = number <= uint64_t{INT32_MAX};
  return {is_process ? static_cast<int32_t>(number) : 0, line.substr(begin + 2)};
}

// The first line, without the blanks at its ends.
std::string FirstLine(std::string_view text) {
  return std::string(Trimmed(text.substr(0, text.find('\n'))).substr(0, kLongestWhy));
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

uint32_t LineNumber(const Json& metrics, const char* key) {
  return static_cast<uint32_t>(std::clamp(NumberField(metrics, key), 0.0, 1e9));
}

// "3/1" is the second compilation of the frame with that number.
std::string LabelOf(const std::string& id) {
  const size_t slash = id.rfind('/');
  if (slash == std::string::npos) return "";
  const std::string again = id.substr(slash + 1);
  return "frame " + id.substr(0, slash) + (again == "0" ? "" : ", recompile " + again);
}

// Those of the compilation itself. What is the whole of it tells nothing, and what lies elsewhere
// is of an earlier compilation with the same number.
void KeepPhases(CompileEvent* event) {
  constexpr uint64_t kSlackNs = 1000;  // both are rounded
  const uint64_t end_ns = event->begin_ns + event->ns;
  std::erase_if(event->phases, [&](const CompilePhase& phase) {
    return phase.name.starts_with("entire_") || phase.begin_ns + kSlackNs < event->begin_ns ||
           phase.end_ns > end_ns + kSlackNs;
  });
}

// One that was refused before it began (the limit of compilations) has no function: that of the
// compilations before it.
void TellFailure(const Json& metrics, CompileEvent* event) {
  event->kind = CompileKind::kFailed;
  event->why = FailureOf(TextField(metrics, "fail_reason"));
  if (event->why.empty()) event->why = TextField(metrics, "fail_type");
  if (!event->file.empty()) return;
  event->file = TextField(metrics, "fail_user_frame_filename");
  event->line = LineNumber(metrics, "fail_user_frame_lineno");
}

uint64_t NsOf(double seconds) { return static_cast<uint64_t>(std::clamp(seconds, 0.0, 9e9) * 1e9); }

// What the payload below an entry is.
enum class Payload { kNone, kReasons, kBreak, kEvent, kGraph, kLastGraph, kCode, kNodes, kStacks };

Payload PayloadOf(const Json& entry) {
  if (entry.contains("chromium_event")) return Payload::kEvent;
  if (entry.contains("dynamo_output_graph")) return Payload::kGraph;
  if (entry.contains("inductor_post_grad_graph")) return Payload::kLastGraph;
  if (entry.contains("inductor_output_code")) return Payload::kCode;
  const auto artifact = entry.find("artifact");
  if (artifact == entry.end() || !artifact->is_object()) return Payload::kNone;
  const std::string name = TextField(*artifact, "name");
  if (name == "recompile_reasons") return Payload::kReasons;
  if (name == "dynamo_graph_break_reason") return Payload::kBreak;
  if (name == "inductor_post_grad_graph") return Payload::kLastGraph;
  if (name == "inductor_provenance_tracking_node_mappings") return Payload::kNodes;
  if (name == "inductor_provenance_tracking_kernel_stack_traces") return Payload::kStacks;
  return Payload::kNone;
}

// Those of most entries, which nobody reads, are not parsed.
bool MayHavePayload(std::string_view json) {
  for (const std::string_view key :
       {R"({"chromium_event":)", R"({"dynamo_output_graph":)", R"({"inductor_)", R"({"artifact":)"})
    if (json.starts_with(key)) return true;
  return false;
}

// "0/1", as the metrics have it.
std::string CompilationOf(const Json& entry) {
  const auto number = [&entry](const char* key) {
    return std::to_string(static_cast<int64_t>(std::clamp(NumberField(entry, key), -1.0, 1e9)));
  };
  const std::string id = number("frame_id") + "/" + number("frame_compile_id");
  const auto autograd = entry.find("compiled_autograd_id");
  const bool has_autograd = autograd != entry.end() && autograd->is_number();
  return has_autograd ? "!" + number("compiled_autograd_id") + "/" + id : id;
}

// What is known of one compilation until its code is told.
struct Graphs {
  GraphNodes traced;  // the program's
  GraphNodes last;    // of which the code is made
  GraphCode code;
};

class Reader {
 public:
  explicit Reader(const CompileReader& reader) : reader_(reader) {}

  void Line(std::string_view line) {
    if (!line.empty() && line[0] == '\t') return PayloadLine(line.substr(1));
    const Entry entry = EntryOf(line);
    EndPayload();
    if (entry.json.starts_with(kMetrics)) return Metrics(entry, "compilation_metrics");
    if (entry.json.starts_with(kBackward)) return Metrics(entry, "bwd_compilation_metrics");
    if (MayHavePayload(entry.json)) Begin(entry);
  }
  void End();

 private:
  void Begin(const Entry& entry);
  void PayloadLine(std::string_view line);
  void EndPayload();
  void EndBreak();
  void EndJson();
  Graphs* GraphsOf(const std::string& compilation);
  void TellCode(const std::string& compilation, Graphs* graphs);
  void Settle(const std::string& compilation, bool backward);
  void Metrics(const Entry& entry, const char* key);
  void Forward(const Json& metrics, CompileEvent* event);
  void Backward(const Json& metrics, CompileEvent* event);
  void NameByFrame(CompileEvent* event);

  const CompileReader& reader_;
  Payload payload_kind_ = Payload::kNone;
  int32_t pid_ = 0;
  std::string compilation_;  // "115 0/1": of the process
  std::string payload_;
  Graphs* graphs_ = nullptr;  // of the payload at hand
  CompilePhases phases_;
  std::map<std::string, Graphs> all_graphs_;
  size_t nodes_ = 0;  // of all these
  uint64_t left_out_ = 0;
  std::map<std::string, std::string> reasons_;  // by process and compilation
  std::map<std::string, CompileEvent> frames_;  // by process and the number before the slash
};

void Reader::Begin(const Entry& entry) {
  const Json json = ParsedJson(entry.json);
  if (!json.is_object()) return;
  payload_kind_ = PayloadOf(json);
  pid_ = entry.pid;
  compilation_ = std::to_string(pid_) + " " + CompilationOf(json);
  if (payload_kind_ < Payload::kGraph) return;
  graphs_ = GraphsOf(compilation_);
  if (graphs_ == nullptr) {
    payload_kind_ = Payload::kNone;
    return;
  }
  GraphNodes* const anew = payload_kind_ == Payload::kGraph       ? &graphs_->traced
                           : payload_kind_ == Payload::kLastGraph ? &graphs_->last
                                                                  : nullptr;
  // Code that is told only now was made of the graphs before.
  if (anew != nullptr || payload_kind_ == Payload::kCode) TellCode(compilation_, graphs_);
  if (anew == nullptr) return;
  nodes_ -= anew->size();
  left_out_ += anew->left_out();
  *anew = {};
}

Graphs* Reader::GraphsOf(const std::string& compilation) {
  const auto found = all_graphs_.find(compilation);
  if (found != all_graphs_.end()) return &found->second;
  if (all_graphs_.size() >= kMostGraphs || nodes_ >= kMostNodes) {
    ++left_out_;
    return nullptr;
  }
  return &all_graphs_[compilation];
}

void Reader::PayloadLine(std::string_view line) {
  if (payload_kind_ == Payload::kNone) return;
  if (payload_kind_ == Payload::kCode) return graphs_->code.Line(line);
  if (payload_kind_ == Payload::kGraph || payload_kind_ == Payload::kLastGraph) {
    GraphNodes& nodes = payload_kind_ == Payload::kGraph ? graphs_->traced : graphs_->last;
    const size_t before = nodes.size();
    nodes.Line(line);
    nodes_ += nodes.size() - before;
    return;
  }
  const bool is_text = payload_kind_ == Payload::kReasons || payload_kind_ == Payload::kBreak;
  const size_t most = is_text ? kShortPayload : kLongestPayload;
  if (payload_.size() + line.size() < most) payload_.append(line).push_back('\n');
}

void Reader::EndPayload() {
  if (payload_kind_ == Payload::kReasons) {
    std::string_view text = payload_;
    while (text.starts_with("[") || text.starts_with("\"") || text.starts_with("\n"))
      text.remove_prefix(1);
    if (reasons_.size() < kMostKept) reasons_[compilation_] = ReasonOf(text);
  }
  if (payload_kind_ == Payload::kBreak) EndBreak();
  EndJson();
  payload_kind_ = Payload::kNone;
  payload_.clear();
}

void Reader::EndJson() {
  if (payload_kind_ != Payload::kEvent && payload_kind_ != Payload::kNodes &&
      payload_kind_ != Payload::kStacks)
    return;
  const Json json = ParsedJson(payload_);
  if (payload_kind_ == Payload::kEvent) phases_.Add(compilation_, json);
  if (payload_kind_ == Payload::kNodes) graphs_->code.TakeNodes(json, graphs_->last);
  if (payload_kind_ == Payload::kStacks) graphs_->code.TakeStacks(json);
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
  reader_.event(event);
}

void Reader::TellCode(const std::string& compilation, Graphs* graphs) {
  const size_t blank = compilation.find(' ');
  int32_t pid = 0;
  std::from_chars(compilation.data(), compilation.data() + blank, pid);
  const std::string& pass = graphs->code.pass();
  std::string graph = compilation.substr(blank + 1);
  if (!pass.empty() && pass != "inference") graph += " " + pass;
  for (CompiledPart& part : graphs->code.Parts(&graphs->traced, &graphs->last)) {
    part.pid = pid;
    part.graph = graph;
    reader_.part(part);
  }
  left_out_ += graphs->code.left_out();
  graphs->code = {};
}

// Its code is all told. What the code of backward is made of may still come.
void Reader::Settle(const std::string& compilation, bool backward) {
  const auto found = all_graphs_.find(compilation);
  if (found == all_graphs_.end()) return;
  Graphs& graphs = found->second;
  const bool waits = !backward && graphs.code.pass() == "forward";
  TellCode(compilation, &graphs);
  nodes_ -= graphs.last.size();
  left_out_ += graphs.last.left_out();
  graphs.last = {};
  if (waits) return;
  nodes_ -= graphs.traced.size();
  left_out_ += graphs.traced.left_out();
  all_graphs_.erase(found);
}

void Reader::Metrics(const Entry& entry, const char* key) {
  const Json json = ParsedJson(entry.json);
  const Json metrics = json.is_object() ? json.value(key, Json()) : Json();
  if (!metrics.is_object()) return;
  CompileEvent event;
  event.pid = entry.pid;
  event.id = TextField(metrics, "compile_id").substr(0, kLongestWhy);
  const std::string compilation = std::to_string(entry.pid) + " " + event.id;
  const bool backward = std::string_view(key).starts_with("bwd_");
  event.phases = phases_.Take(compilation);
  const double start_s = NumberField(metrics, "start_time");
  if (start_s > 0 && start_s < 9e9) event.begin_ns = static_cast<uint64_t>(start_s * 1e6) * 1000;
  event.label = LabelOf(event.id);
  Settle(compilation, backward);
  if (backward) {
    Backward(metrics, &event);
  } else {
    Forward(metrics, &event);
  }
}

void Reader::NameByFrame(CompileEvent* event) {
  const std::string id = std::to_string(event->pid) + " " + event->id;
  const std::string frame = id.substr(0, id.rfind('/'));
  if (!event->file.empty()) {
    if (frames_.size() >= kMostKept) return;
    CompileEvent& known = frames_[frame];
    known.file = event->file;
    known.line = event->line;
    known.function = event->function;
  } else if (const auto known = frames_.find(frame); known != frames_.end()) {
    event->file = known->second.file;
    event->line = known->second.line;
    event->function = known->second.function;
  }
}

void Reader::Forward(const Json& metrics, CompileEvent* event) {
  const bool failed = !TextField(metrics, "fail_type").empty();
  if (!failed && TextField(metrics, "co_name").empty()) return;
  event->file = TextField(metrics, "co_filename");
  event->line = LineNumber(metrics, "co_firstlineno");
  event->function = FunctionOf(TextField(metrics, "co_name"));
  event->ns = NsOf(NumberField(metrics, "entire_frame_compile_time_s"));
  event->why = ReasonOf(TextField(metrics, "recompile_reason"));
  const auto reason = reasons_.find(std::to_string(event->pid) + " " + event->id);
  if (reason != reasons_.end() && event->why.empty()) event->why = reason->second;
  if (!event->why.empty() || NumberField(metrics, "cache_size") > 0)
    event->kind = CompileKind::kAgain;
  NameByFrame(event);
  if (failed) TellFailure(metrics, event);
  KeepPhases(event);
  reader_.event(*event);
}

// Has no function of its own.
void Reader::Backward(const Json& metrics, CompileEvent* event) {
  event->kind = CompileKind::kBackward;
  NameByFrame(event);
  event->ns = NsOf(NumberField(metrics, "duration_us") / 1e6);
  for (const CompilePhase& phase : event->phases) {
    if (event->ns == 0 && phase.name == "entire_backward_compile")
      event->ns = phase.end_ns - phase.begin_ns;
  }
  if (event->ns == 0) event->ns = NsOf(NumberField(metrics, "inductor_compile_time_s"));
  if (!TextField(metrics, "fail_type").empty()) TellFailure(metrics, event);
  KeepPhases(event);
  reader_.event(*event);
}

void Reader::End() {
  EndPayload();
  for (auto& [compilation, graphs] : all_graphs_) {
    TellCode(compilation, &graphs);
    left_out_ += graphs.traced.left_out() + graphs.last.left_out();
  }
  left_out_ += phases_.left_out();
  if (left_out_ != 0) reader_.left_out(left_out_);
}

}  // namespace

void ReadCompileLog(std::istream& file, const CompileReader& read) {
  Reader reader(read);
  LineReader lines(&file);
  for (std::string_view line; lines.Next(&line);) reader.Line(line);
  reader.End();
  if (lines.too_long() != 0) read.left_out(lines.too_long());
}

}  // namespace syncline::torch
