// SPDX-License-Identifier: Apache-2.0
// Manifests to JSON and back.
#include "writers/findings/manifest.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/run_file.h"
#include "base/utf8.h"
#include "model/run/losses.h"
#include "writers/files/file_sink.h"
#include "writers/files/json_fields.h"
#include "writers/findings/findings_json.h"

namespace syncline {
namespace {

Json AnchorJson(const Anchor& anchor) {
  return Json::array({anchor.ticks, anchor.error_ticks, anchor.monotonic_ns,
                      anchor.monotonic_raw_ns, anchor.realtime_ns, anchor.boottime_ns});
}

Json LossesJson(const std::map<std::string, uint64_t>& losses) {
  Json object = Json::object();
  for (const auto& [name, count] : losses)
    object[name] = {{"count", count}, {"remedy", RemedyOf(name)}};
  return object;
}

Json CoverageJson(const std::vector<ManifestCoverage>& periods) {
  Json array = Json::array();
  for (const ManifestCoverage& period : periods) {
    Json object = {{"recorded", period.recorded},
                   {"why", period.why},
                   {"begin_ns", period.begin_ns},
                   {"end_ns", period.end_ns}};
    if (!period.source.empty()) object["source"] = period.source;
    array.push_back(std::move(object));
  }
  return array;
}

Json DevicesJson(const std::vector<ManifestDevice>& devices) {
  Json array = Json::array();
  for (const ManifestDevice& device : devices) {
    Json object = {{"source", device.source}, {"device", device.device}, {"name", device.name}};
    if (!device.uuid.empty()) object["uuid"] = device.uuid;
    if (!device.pci.empty()) object["pci"] = device.pci;
    array.push_back(std::move(object));
  }
  return array;
}

Json NotShownJson(const NotShown& counts) {
  return {{"ranges", counts.ranges}, {"calls", counts.calls}, {"device_ops", counts.device_ops}};
}

Json GateJson(const ManifestGate& gate) {
  Json times = Json::array();
  for (const auto& [begin, end] : gate.times) times.push_back({begin, end});
  return {{"windows", gate.windows},
          {"open_ns", gate.open_ns},
          {"times", times},
          {"not_recorded", NotShownJson(gate.not_recorded)},
          {"outside", gate.outside},
          {"steps", gate.steps},
          {"range_names", gate.range_names}};
}

// A text, or numbers where it is no UTF-8.
Json ArgumentsJson(const std::vector<std::string>& arguments) {
  Json list = Json::array();
  for (const std::string& argument : arguments) {
    if (IsUtf8(argument)) {
      list.push_back(argument);
    } else {
      list.push_back(std::vector<uint8_t>(argument.begin(), argument.end()));
    }
  }
  return list;
}

void TakeArguments(const Json& object, std::vector<std::string>* arguments) {
  const auto found = object.find("arguments");
  if (found == object.end() || !found->is_array()) return;
  for (const Json& one : *found) {
    std::string& argument = arguments->emplace_back(one.is_string() ? one.get<std::string>() : "");
    if (!one.is_array()) continue;
    for (const Json& byte : one)
      argument += byte.is_number_unsigned() ? static_cast<char>(byte.get<uint8_t>()) : '?';
  }
}

Json ProcessJson(const ManifestProcess& process) {
  Json anchors = Json::array();
  for (const Anchor& anchor : process.anchors) anchors.push_back(AnchorJson(anchor));
  Json object = {
      {"pid", process.pid},
      {"inner_pid", process.inner_pid},
      {"ppid", process.ppid},
      {"name", process.name},
      {"command_line", process.command_line},
      {"arguments", ArgumentsJson(process.arguments)},
      {"arguments_cut", process.arguments_cut},
      {"executable", process.executable},
      {"host", process.host},
      {"begin_ns", process.begin_ns},
      {"end_ns", process.end_ns},
      {"end_known", process.end_known},
      {"exit",
       {{"kind", process.exit_kind}, {"value", process.exit_value}, {"text", process.exit_text}}},
      {"threads", process.threads},
      {"ranges", process.ranges},
      {"ranges_closed", process.ranges_closed},
      {"marks", process.marks},
      {"calls", process.calls},
      {"device_ops", process.device_ops},
      {"steps", process.steps},
      {"not_shown", NotShownJson(process.not_shown)},
      {"record_bytes", process.record_bytes},
      {"losses", LossesJson(process.losses)},
      {"degraded", process.degraded},
      {"problems", process.problems},
      {"recorded_by", process.recorded_by},
      {"segment_ns", process.segment_ns},
      {"clock",
       {{"source", process.clock}, {"error_ns", process.clock_error_ns}, {"anchors", anchors}}},
      {"gpu", CoverageJson(process.coverage)},
      {"devices", DevicesJson(process.devices)},
      {"build", process.build},
      {"log", process.log}};
  if (process.gate.gated) object["gate"] = GateJson(process.gate);
  return object;
}

Json CollectivesJson(const CollectiveFacts& facts) {
  Json waited = Json::object();
  for (const auto& [rank, ns] : facts.waited_for_ns) waited[std::to_string(rank)] = ns;
  return {{"met", facts.met}, {"came_last", facts.came_last}, {"waited_for_ns", waited}};
}

Json ToJson(const RankManifest& manifest) {
  Json processes = Json::array();
  for (const ManifestProcess& process : manifest.processes)
    processes.push_back(ProcessJson(process));
  Json object = {{"schema", kRankSchema},
                 {"rank", manifest.rank},
                 {"world_size", manifest.world_size},
                 {"host", manifest.host},
                 {"launcher", manifest.launcher},
                 {"trace", manifest.trace},
                 {"version", manifest.version},
                 {"base_time_ns", manifest.base_time.ns},
                 {"base_time_from", BaseFromName(manifest.base_time.from)},
                 {"begin_ns", manifest.begin_ns},
                 {"end_ns", manifest.end_ns},
                 {"events", manifest.events},
                 {"ranges", manifest.ranges},
                 {"marks", manifest.marks},
                 {"calls", manifest.calls},
                 {"device_ops", manifest.device_ops},
                 {"steps", manifest.steps},
                 {"not_shown", NotShownJson(manifest.not_shown)},
                 {"not_recorded", NotShownJson(manifest.not_recorded)},
                 {"trace_bytes", manifest.trace_bytes},
                 {"text_bytes", manifest.text_bytes},
                 {"clock_error_ns", manifest.clock_error_ns},
                 {"losses", LossesJson(manifest.losses)},
                 {"degraded", manifest.degraded},
                 {"processes_left_out", manifest.processes_left_out},
                 {"processes", processes}};
  if (!manifest.unrecorded.empty()) object["unrecorded"] = manifest.unrecorded;
  if (manifest.collectives.met != 0) object["collectives"] = CollectivesJson(manifest.collectives);
  if (!manifest.waits_by_line.empty()) object["waits_by_line"] = LinesJson(manifest.waits_by_line);
  return object;
}

void TakeNotShown(const Json& object, const char* key, NotShown* out) {
  if (!object.is_object() || !object.contains(key)) return;
  const Json& counts = object[key];
  TakeField(counts, "ranges", &out->ranges);
  TakeField(counts, "calls", &out->calls);
  TakeField(counts, "device_ops", &out->device_ops);
}

void TakeGate(const Json& object, ManifestGate* out) {
  if (!object.is_object() || !object.contains("gate") || !object["gate"].is_object()) return;
  const Json& gate = object["gate"];
  out->gated = true;
  TakeField(gate, "windows", &out->windows);
  TakeField(gate, "open_ns", &out->open_ns);
  TakeNotShown(gate, "not_recorded", &out->not_recorded);
  TakeField(gate, "outside", &out->outside);
  TakeField(gate, "steps", &out->steps);
  TakeField(gate, "range_names", &out->range_names);
  if (!gate.contains("times") || !gate["times"].is_array()) return;
  for (const Json& item : gate["times"]) {
    if (!item.is_array() || item.size() != 2 || !item[0].is_number_unsigned() ||
        !item[1].is_number_unsigned())
      continue;
    out->times.emplace_back(item[0].get<uint64_t>(), item[1].get<uint64_t>());
  }
}

void TakeLosses(const Json& object, std::map<std::string, uint64_t>* out) {
  if (!object.is_object() || !object.contains("losses") || !object["losses"].is_object()) return;
  for (const auto& [name, loss] : object["losses"].items()) TakeField(loss, "count", &(*out)[name]);
}

void TakeAnchors(const Json& clock, std::vector<Anchor>* out) {
  if (!clock.is_object() || !clock.contains("anchors") || !clock["anchors"].is_array()) return;
  for (const Json& item : clock["anchors"]) {
    if (!item.is_array() || item.size() != 6) continue;
    uint64_t values[6] = {};
    for (size_t i = 0; i < 6; ++i) {
      if (item[i].is_number_integer()) values[i] = item[i].get<uint64_t>();
    }
    out->push_back({values[0], values[1], values[2], values[3], values[4], values[5]});
  }
}

void TakeCoverage(const Json& object, std::vector<ManifestCoverage>* out) {
  if (!object.is_object() || !object.contains("gpu") || !object["gpu"].is_array()) return;
  for (const Json& item : object["gpu"]) {
    ManifestCoverage period;
    TakeField(item, "recorded", &period.recorded);
    if (period.recorded.empty()) continue;
    TakeField(item, "source", &period.source);
    TakeField(item, "why", &period.why);
    TakeField(item, "begin_ns", &period.begin_ns);
    TakeField(item, "end_ns", &period.end_ns);
    out->push_back(std::move(period));
  }
}

void TakeDevices(const Json& object, std::vector<ManifestDevice>* out) {
  if (!object.is_object() || !object.contains("devices") || !object["devices"].is_array()) return;
  for (const Json& item : object["devices"]) {
    ManifestDevice device;
    TakeField(item, "source", &device.source);
    TakeField(item, "device", &device.device);
    TakeField(item, "name", &device.name);
    TakeField(item, "uuid", &device.uuid);
    TakeField(item, "pci", &device.pci);
    out->push_back(std::move(device));
  }
}

void TakeCollectives(const Json& object, CollectiveFacts* out) {
  if (!object.contains("collectives")) return;
  const Json& facts = object["collectives"];
  TakeField(facts, "met", &out->met);
  TakeField(facts, "came_last", &out->came_last);
  if (!facts.is_object() || !facts.contains("waited_for_ns")) return;
  if (!facts["waited_for_ns"].is_object()) return;
  for (const auto& [rank, ns] : facts["waited_for_ns"].items()) {
    if (ns.is_number_unsigned()) out->waited_for_ns[std::atoi(rank.c_str())] = ns.get<uint64_t>();
  }
}

ManifestProcess ProcessFrom(const Json& object) {
  ManifestProcess process;
  TakeField(object, "pid", &process.pid);
  TakeField(object, "inner_pid", &process.inner_pid);
  TakeField(object, "ppid", &process.ppid);
  TakeField(object, "name", &process.name);
  TakeField(object, "command_line", &process.command_line);
  TakeArguments(object, &process.arguments);
  TakeField(object, "arguments_cut", &process.arguments_cut);
  TakeField(object, "executable", &process.executable);
  TakeField(object, "host", &process.host);
  TakeField(object, "begin_ns", &process.begin_ns);
  TakeField(object, "end_ns", &process.end_ns);
  TakeField(object, "end_known", &process.end_known);
  TakeField(object, "threads", &process.threads);
  TakeField(object, "ranges", &process.ranges);
  TakeField(object, "ranges_closed", &process.ranges_closed);
  TakeField(object, "marks", &process.marks);
  TakeField(object, "calls", &process.calls);
  TakeField(object, "device_ops", &process.device_ops);
  TakeField(object, "steps", &process.steps);
  TakeNotShown(object, "not_shown", &process.not_shown);
  TakeGate(object, &process.gate);
  TakeField(object, "record_bytes", &process.record_bytes);
  TakeField(object, "degraded", &process.degraded);
  TakeField(object, "problems", &process.problems);
  TakeField(object, "recorded_by", &process.recorded_by);
  TakeField(object, "segment_ns", &process.segment_ns);
  TakeField(object, "build", &process.build);
  TakeField(object, "log", &process.log);
  TakeLosses(object, &process.losses);
  TakeCoverage(object, &process.coverage);
  TakeDevices(object, &process.devices);
  if (!object.is_object()) return process;
  const Json exit = object.value("exit", Json::object());
  TakeField(exit, "kind", &process.exit_kind);
  TakeField(exit, "value", &process.exit_value);
  TakeField(exit, "text", &process.exit_text);
  const Json clock = object.value("clock", Json::object());
  TakeField(clock, "source", &process.clock);
  TakeField(clock, "error_ns", &process.clock_error_ns);
  TakeAnchors(clock, &process.anchors);
  return process;
}

RankManifest FromJson(const Json& object) {
  RankManifest manifest;
  TakeField(object, "rank", &manifest.rank);
  TakeField(object, "world_size", &manifest.world_size);
  TakeField(object, "host", &manifest.host);
  TakeField(object, "launcher", &manifest.launcher);
  TakeField(object, "trace", &manifest.trace);
  TakeField(object, "version", &manifest.version);
  TakeField(object, "base_time_ns", &manifest.base_time.ns);
  std::string base_from;
  TakeField(object, "base_time_from", &base_from);
  manifest.base_time.from = BaseFromOf(base_from);
  TakeField(object, "begin_ns", &manifest.begin_ns);
  TakeField(object, "end_ns", &manifest.end_ns);
  TakeField(object, "events", &manifest.events);
  TakeField(object, "ranges", &manifest.ranges);
  TakeField(object, "marks", &manifest.marks);
  TakeField(object, "calls", &manifest.calls);
  TakeField(object, "device_ops", &manifest.device_ops);
  TakeField(object, "trace_bytes", &manifest.trace_bytes);
  TakeField(object, "text_bytes", &manifest.text_bytes);
  TakeField(object, "clock_error_ns", &manifest.clock_error_ns);
  TakeField(object, "degraded", &manifest.degraded);
  TakeField(object, "processes_left_out", &manifest.processes_left_out);
  TakeField(object, "unrecorded", &manifest.unrecorded);
  TakeField(object, "steps", &manifest.steps);
  TakeNotShown(object, "not_shown", &manifest.not_shown);
  TakeNotShown(object, "not_recorded", &manifest.not_recorded);
  TakeLosses(object, &manifest.losses);
  TakeCollectives(object, &manifest.collectives);
  if (object.contains("processes") && object["processes"].is_array()) {
    for (const Json& process : object["processes"])
      manifest.processes.push_back(ProcessFrom(process));
  }
  return manifest;
}

}  // namespace

std::string RemedyOf(const std::string& loss) {
  const LossFacts* facts = FindLoss(loss);
  return facts == nullptr ? "" : facts->remedy;
}

Status WriteManifest(const std::string& path, const RankManifest& manifest) {
  return WriteWholeFile(path, JsonText(ToJson(manifest), 1));
}

Status ReadManifest(const std::string& path, RankManifest* manifest) {
  std::string text;
  std::string why;
  if (ReadRunFile(path, kMostRunText, &text, &why) != 0) {
    return Status::Error("cannot read " + path + ": " + why +
                         "; check that the run is complete and readable by you");
  }
  const Json object = ParseJson(text);
  if (object.is_discarded() || !object.is_object()) {
    return Status::Error(
        path + " is not valid JSON: it was damaged or edited; run `syncline recover` or remove it");
  }
  std::string schema;
  TakeField(object, "schema", &schema);
  if (schema != kRankSchema) {
    return Status::Error(path + " has schema \"" + schema + "\", this syncline reads \"" +
                         kRankSchema + "\"; use the syncline that wrote it");
  }
  *manifest = FromJson(object);
  return Status();
}

}  // namespace syncline
