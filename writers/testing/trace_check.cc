// SPDX-License-Identifier: Apache-2.0
// The rules of a good trace, one after the other.
#include "writers/testing/trace_check.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <sstream>
#include <tuple>

namespace syncline::testing {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMaxDays =
    104;  // 2^53 ns: beyond, doubles of microseconds do not hold nanoseconds

class Checker {
 public:
  explicit Checker(TraceCheck* out) : out_(out) {}

  void Run(std::string_view text) {
    out_->trace = Json::parse(text, nullptr, false);
    if (out_->trace.is_discarded() || !out_->trace.is_object()) return Fault("is not valid JSON");
    CheckHead(text);
    if (!out_->trace.contains("traceEvents") || !out_->trace["traceEvents"].is_array()) return;
    const Json& events = out_->trace["traceEvents"];
    if (events.empty() || events[0].value("ph", "") != "M") Fault("does not begin with an M event");
    bool slice = false;
    for (const Json& event : events) {
      CheckEvent(event);
      slice = slice || event.value("ph", "") == "X";
    }
    if (!slice) Fault("has no slice: HTA does not load it");
    CheckNesting(&rows_);
    CheckNesting(&cut_rows_);
    CheckNesting(&rounded_rows_);
    CheckRowNames();
    CheckFlows();
    CheckLines(text, events.size());
  }

 private:
  void Fault(const std::string& text) {
    if (out_->faults.size() < 20) out_->faults.push_back(text);
  }
  void Require(bool good, const std::string& text, const Json& event) {
    if (!good) Fault(text + ": " + event.dump(-1, ' ', false, Json::error_handler_t::replace));
  }

  void CheckHead(std::string_view text) {
    static const char* const kOrder[] = {
        "schemaVersion",   "deviceProperties",    "distributedInfo", "host_name",   "metadata",
        "displayTimeUnit", "baseTimeNanoseconds", "traceEvents",     "stackFrames", "traceName"};
    size_t at = 0;
    for (const auto& [key, value] : out_->trace.items()) {
      if (at == 1 && key != kOrder[1]) ++at;  // where no GPU was seen
      if (at == 8 && key != kOrder[8]) ++at;  // where no stack was taken
      if (at >= std::size(kOrder) || key != kOrder[at++])
        Fault("key \"" + key + "\" is unknown or out of order");
    }
    if (at != std::size(kOrder)) Fault("lacks a key of the head");
    const Json info = out_->trace.value("distributedInfo", Json::object());
    std::cmatch match;
    static const std::regex kRank("\"rank\":\\s+(\\d+)");  // HTA's
    const std::string_view head = text.substr(0, 65536);
    if (!info.contains("rank") || !info["rank"].is_number_integer() ||
        !std::regex_search(head.data(), head.data() + head.size(), match, kRank) ||
        match[1].str() != std::to_string(info["rank"].get<int>())) {
      Fault("HTA would not find its rank");
    }
  }

  // One event per line, so that simple tools can cut a trace.
  void CheckLines(std::string_view text, size_t events) {
    size_t lines = 0;
    size_t at = 0;
    while ((at = text.find("\n{\"ph\"", at)) != std::string_view::npos) {
      ++lines;
      ++at;
    }
    if (lines != events) Fault("has not one event per line");
  }

  void CheckEvent(const Json& event) {
    for (const char* key : {"ph", "name"}) {
      Require(event.contains(key) && event[key].is_string(), std::string(key) + " is not a text",
              event);
    }
    for (const char* key : {"pid", "tid"}) {
      Require(event.contains(key) && event[key].is_number_unsigned() &&
                  event[key].get<uint64_t>() < 1u << 31,
              std::string(key) + " is not a number below 2^31", event);
    }
    Require(event.contains("ts") && event["ts"].is_number(), "ts is not a number", event);
    const std::string ph = event.value("ph", "");
    if (ph == "s" || ph == "f") return KeepFlow(event);
    Require(event.contains("args") && event["args"].is_object(), "args is not an object", event);
    if (ph == "M") return CheckMeta(event);
    if (ph == "C") return Require(event.value("pid", -1) < 256, "is not of a GPU", event);
    Require(ph == "X" || ph == "i", "ph is neither M, X, i, s, f nor C", event);
    Require(event.contains("cat") && event["cat"].is_string(), "cat is not a text", event);
    if (event.contains("sf")) CheckStack(event);
    Require(event.value("tid", 0) != 0, "tid is 0", event);
    const double ts = event.value("ts", -1.0);
    Require(ts >= 0 && ts < kMaxDays * 86400e6, "ts is not within 104 days of the base", event);
    CheckCategory(event);
    if (ph == "i") return Require(event.value("s", "") == "t", "instant is not of a thread", event);
    Require(event.contains("dur") && event["dur"].is_number() && event["dur"].get<double>() >= 0,
            "dur is bad", event);
    const double dur = event.value("dur", 0.0);
    const auto keep = [&](auto read, auto* rows) {
      const int64_t begin = read(ts);
      (*rows)[{event.value("pid", 0), event.value("tid", 0)}].push_back(
          {begin, begin + read(dur), event.value("name", "")});
    };
    keep([](double us) { return static_cast<int64_t>(std::llround(us * 1000)); }, &rows_);
    keep([](double us) { return static_cast<int64_t>(us * 1000); }, &cut_rows_);
    keep([](double us) { return static_cast<int64_t>(us * 1000 + 0.5); }, &rounded_rows_);
  }

  // Each frame's caller has a smaller number.
  void CheckStack(const Json& event) {
    static const Json kNone = Json::object();
    const auto known = out_->trace.find("stackFrames");
    const Json& frames = known == out_->trace.end() ? kNone : *known;
    uint64_t number = event["sf"].is_number_unsigned() ? event["sf"].get<uint64_t>() : 0;
    while (number != 0) {
      const auto frame = frames.find(std::to_string(number));
      if (frame == frames.end()) return Fault("a stack frame is not there");
      const uint64_t parent = std::strtoull(frame->value("parent", "0").c_str(), nullptr, 10);
      if (parent >= number) return Fault("a stack frame calls itself");
      number = parent;
    }
  }

  // Readers tell GPU work by its pid, its stream and its correlation.
  void CheckCategory(const Json& event) {
    const std::string category = event.value("cat", "");
    const Json& args = event["args"];
    const bool sync = category.ends_with("_sync");
    if (sync || category == "kernel" || category == "gpu_memcpy" || category == "gpu_memset") {
      Require(event.value("pid", -1) < 256, "is not on a GPU's row", event);
      for (const char* key : {"device", "context", "stream", "correlation"})
        Require(args.contains(key), "GPU work lacks a key", event);
      return Require(args.value("device", -1) == event.value("pid", -2), "is on another GPU's row",
                     event);
    }
    const bool of_device = category == "gpu_idle" || category == "gpu_user_annotation";
    Require((event.value("pid", 0) >= 256) != of_device, "pid is of the wrong kind", event);
    Require(!args.contains("stream"), "would count as GPU work", event);
    Require(!args.contains("correlation") || category.starts_with("cuda_"),
            "would count as a CUDA call", event);
  }

  void KeepFlow(const Json& event) {
    const bool to_wait = event.value("cat", "") == "wait" && event.value("name", "") == "sync";
    Require((to_wait || event.value("cat", "") == "ac2g") && event.contains("id") &&
                event["id"].is_number_unsigned(),
            "is no flow from a call to the GPU, or to a wait", event);
    const bool starts = event.value("ph", "") == "s";
    Require(starts || event.value("bp", "") == "e", "does not end at the slice around it", event);
    FlowEnds& flow = flows_[event.value("id", uint64_t{0})];
    ++(starts ? flow.begins : flow.ends);
    flow_points_.push_back(
        {event.value("pid", 0), event.value("tid", 0), event.value("ts", 0.0), to_wait});
  }

  // Each flow has one begin and an end, which lie at the begin of a slice of their row; those to
  // waits anywhere in one but at its end.
  void CheckFlows() {
    for (const auto& [id, flow] : flows_) {
      if (flow.begins != 1 || flow.ends == 0) Fault("flow " + std::to_string(id) + " is not whole");
    }
    for (const auto& [pid, tid, ts, inside] : flow_points_) {
      const auto& row = rows_[{pid, tid}];
      const auto at = static_cast<int64_t>(std::llround(ts * 1000));
      const bool anywhere = inside;
      if (std::none_of(row.begin(), row.end(), [at, anywhere](const Slice& s) {
            return s.begin == at || (anywhere && s.begin < at && at < s.end);
          }))
        Fault("a flow at " + std::to_string(ts) + " has no slice");
    }
  }

  void CheckMeta(const Json& event) {
    static const char* const kNames[] = {"process_name", "process_labels", "process_sort_index",
                                         "thread_name", "thread_sort_index"};
    const std::string name = event.value("name", "");
    Require(std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames),
            "unknown M event", event);
    const auto key = std::tuple(name, event.value("pid", 0), event.value("tid", 0));
    Require(++metas_[key] == 1, "is there twice", event);
  }

  struct Slice {
    int64_t begin;
    int64_t end;
    std::string name;
  };

  using Rows = std::map<std::pair<int, int>, std::vector<Slice>>;

  // Perfetto drops a slice that begins within another and ends after it. It multiplies doubles, and
  // cuts or rounds.
  void CheckNesting(Rows* rows) {
    for (auto& [row, slices] : *rows) {
      std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
      });
      std::vector<const Slice*> open;
      for (const Slice& slice : slices) {
        while (!open.empty() && open.back()->end <= slice.begin) open.pop_back();
        if (!open.empty() && slice.end > open.back()->end) {
          Fault("row " + std::to_string(row.first) + "/" + std::to_string(row.second) + ": \"" +
                slice.name + "\" does not nest in \"" + open.back()->name + "\"");
        }
        open.push_back(&slice);
      }
    }
  }

  void CheckRowNames() {
    for (const auto& [row, slices] : rows_) {
      if (!metas_.contains({"thread_name", row.first, row.second})) {
        Fault("row " + std::to_string(row.first) + "/" + std::to_string(row.second) +
              " has no name");
      }
      if (!metas_.contains({"process_name", row.first, 0})) {
        Fault("process " + std::to_string(row.first) + " has no name");
      }
    }
  }

  struct FlowEnds {
    int begins = 0;
    int ends = 0;
  };

  TraceCheck* out_;
  std::map<uint64_t, FlowEnds> flows_;
  std::vector<std::tuple<int, int, double, bool>> flow_points_;
  Rows rows_;
  Rows cut_rows_;
  Rows rounded_rows_;
  std::map<std::tuple<std::string, int, int>, int> metas_;
};

}  // namespace

std::vector<Json> TraceCheck::Events(const std::string& ph, const std::string& name) const {
  std::vector<Json> found;
  for (const Json& event : trace.value("traceEvents", Json::array())) {
    if (event.value("ph", "") == ph && (name.empty() || event.value("name", "") == name))
      found.push_back(event);
  }
  return found;
}

std::string TraceCheck::Faults() const {
  std::string all;
  for (const std::string& fault : faults) all += fault + "\n";
  return all;
}

int64_t Nanoseconds(const Json& microseconds) {
  return std::llround(microseconds.get<double>() * 1000);
}

TraceCheck CheckTrace(std::string_view text) {
  TraceCheck result;
  Checker(&result).Run(text);
  return result;
}

std::string ReadTrace(const std::string& path, std::vector<std::string>* members) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  const std::string packed = bytes.str();
  if (!path.ends_with(".gz")) return packed;
  std::string text;
  size_t at = 0;
  while (at < packed.size()) {
    z_stream stream{};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) return {};
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + at));
    stream.avail_in = static_cast<uInt>(packed.size() - at);
    std::string member;
    int status = Z_OK;
    char buffer[1 << 16];
    while (status == Z_OK) {
      stream.next_out = reinterpret_cast<Bytef*>(buffer);
      stream.avail_out = sizeof(buffer);
      status = inflate(&stream, Z_NO_FLUSH);
      member.append(buffer, sizeof(buffer) - stream.avail_out);
    }
    at = packed.size() - stream.avail_in;
    inflateEnd(&stream);
    if (status != Z_STREAM_END) return {};
    text += member;
    if (members != nullptr) members->push_back(std::move(member));
  }
  return text;
}

}  // namespace syncline::testing
