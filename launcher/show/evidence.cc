// SPDX-License-Identifier: Apache-2.0
// What is made is more than has room: the least important goes, and is counted.
#include "launcher/show/evidence.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "base/text.h"
#include "base/utf8.h"
#include "launcher/show/evidence_slice.h"
#include "launcher/show/source_places.h"
#include "report/sections.h"
#include "report/words.h"
#include "writers/findings/manifest.h"
#include "writers/tables/section_json.h"

namespace syncline {
namespace {

constexpr size_t kLongestText = 200;
constexpr size_t kLeastFrames = 4;  // of a stack, while anything else can go
constexpr int kOneLine = -1;

Json MomentsOf(const EvidenceRecord& record, uint64_t begin_ns) {
  const auto after = static_cast<int64_t>(record.begin_ns - begin_ns);
  return {{"name", Shortened(record.name, kLongestText)},
          {"category", record.category},
          {"pid", record.pid},
          {"tid", record.tid},
          {"after_begin_ms", static_cast<double>(after) / 1e6},
          {"length_ms", Milliseconds(record.end_ns - record.begin_ns)}};
}

Json SliceJson(const EvidenceSlice& slice, const Report& report, const ReportFinding& finding) {
  if (!slice.unknown.empty()) return {{"unknown", slice.unknown}};
  ReportFinding there = finding;
  there.trace = slice.trace;
  there.begin_ns = slice.begin_ns;
  Json json = {{"is", slice.is},
               {"rank", slice.trace},
               {"begin_ns", slice.begin_ns},
               {"end_ns", slice.end_ns},
               {"length_ms", Milliseconds(slice.end_ns - slice.begin_ns)},
               {"view", ViewText(report, there)},
               {"records_in_all", slice.records_in_all}};
  Json& records = json["records"] = Json::array();
  for (const EvidenceRecord& record : slice.records)
    records.push_back(MomentsOf(record, slice.begin_ns));
  return json;
}

Json StacksJson(const EvidenceSlice& slice) {
  Json json = Json::array();
  for (const EvidenceStack& stack : slice.stacks) {
    Json& one = json.emplace_back(Json::object());
    one["end"] = stack.end;
    if (!stack.call.name.empty()) one["call"] = MomentsOf(stack.call, slice.begin_ns);
    if (!stack.unknown.empty()) one["unknown"] = stack.unknown;
    Json& frames = one["frames"] = Json::array();
    for (const std::string& frame : stack.frames) frames.push_back(Shortened(frame, kLongestText));
  }
  if (json.empty()) {
    json.push_back({{"unknown", "no two calls are known between which this finding lies"},
                    {"frames", Json::array()}});
  }
  return json;
}

std::vector<std::string> CommandLines(const Report& report, const std::string& trace) {
  RankManifest manifest;
  std::vector<std::string> lines;
  if (!ReadManifest(Text(report.directory, "/run/", trace, ".json"), &manifest).ok()) return lines;
  for (const ManifestProcess& process : manifest.processes) lines.push_back(process.command_line);
  return lines;
}

Json SourceJson(const Report& report, const ReportFinding& finding, const std::string& trace) {
  const std::vector<std::string> directories =
      SourceDirectories(report.directory, CommandLines(report, trace));
  Json json = Json::array();
  std::set<std::string> told;
  for (const std::string& text : {finding.where, finding.before, finding.below}) {
    if (text.empty() || !told.insert(text).second) continue;
    const SourcePlace place = SourceAround(text, directories);
    Json& one = json.emplace_back(Json{{"place", text}});
    Json lines = Json::array();
    std::string all;
    for (const SourceLine& line : place.lines) {
      lines.push_back({{"number", line.number}, {"text", line.text}, {"marked", line.marked}});
      all += line.text;
    }
    if (!place.file.empty()) one["file"] = place.file;
    if (!place.unknown.empty()) one["unknown"] = place.unknown;
    const bool same = finding.statement.empty() || text != finding.where || lines.empty() ||
                      all.find(finding.statement) != std::string::npos;
    if (!same) one["changed"] = "the text is another one than when it was recorded";
    one["lines"] = std::move(lines);
  }
  return json;
}

// The least important thing that is there. False: nothing can go any more.
bool LeaveOut(Json* json) {
  Json& out = (*json)["left_out"];
  const auto drop = [&out](Json* array, const char* what) {
    array->erase(array->size() - 1);
    out[what] = out.value(what, 0) + 1;
    return true;
  };
  Json& slice = (*json)["slice"];
  const bool has_records = slice.contains("records") && !slice["records"].empty();
  if (has_records && slice["records"].size() > 1) return drop(&slice["records"], "records");
  Json* longest = nullptr;
  for (Json& stack : (*json)["stacks"]) {
    if (longest == nullptr || stack["frames"].size() > (*longest)["frames"].size())
      longest = &stack;
  }
  if (longest != nullptr && (*longest)["frames"].size() > kLeastFrames)
    return drop(&(*longest)["frames"], "frames");
  Json& source = (*json)["source"];
  if (!source.empty()) return drop(&source, "places of source");
  if (has_records) return drop(&slice["records"], "records");
  if (longest == nullptr || (*longest)["frames"].empty()) return false;
  return drop(&(*longest)["frames"], "frames");
}

// A name of the program may be of any length.
void ShortenTexts(size_t longest, Json* json) {
  if (json->is_string()) {
    *json = Shortened(json->get<std::string>(), longest);
  } else if (json->is_structured()) {
    for (Json& part : *json) ShortenTexts(longest, &part);
  }
}

}  // namespace

std::string EvidenceJson(const Report& report) {
  const ReportFinding& finding = report.findings[0];
  const EvidenceSlice slice = SliceOf(report, finding);
  Json json = DocumentJson(kEvidenceSchema, report);
  json["finding"] = FindingsJson(report)[0];
  json["slice"] = SliceJson(slice, report, finding);
  json["stacks"] = StacksJson(slice);
  json["source"] = SourceJson(report, finding, slice.trace);
  json["left_out"] = Json::object();
  if (slice.records.size() < slice.records_in_all)
    json["left_out"]["records"] = slice.records_in_all - slice.records.size();
  std::string text = JsonText(json, kOneLine);
  while (text.size() > kMostEvidenceBytes && LeaveOut(&json)) text = JsonText(json, kOneLine);
  for (size_t longest = kLongestText; text.size() > kMostEvidenceBytes && longest != 0;
       longest /= 4) {
    json["left_out"]["ends of texts"] = true;
    ShortenTexts(longest, &json);
    text = JsonText(json, kOneLine);
  }
  return text;
}

}  // namespace syncline
