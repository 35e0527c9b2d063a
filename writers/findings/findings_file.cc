// SPDX-License-Identifier: Apache-2.0
// The whole document, and the compressed file around it.
#include "writers/findings/findings_file.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "writers/files/file_sink.h"
#include "writers/files/gunzip.h"
#include "writers/files/gzip_sink.h"
#include "writers/files/json_pieces.h"
#include "writers/files/json_view.h"
#include "writers/findings/findings_json.h"
#include "writers/findings/stage_kernels_json.h"

namespace syncline {
namespace {

constexpr size_t kMostText = size_t{256} << 20;
constexpr char kWhatToDo[] =
    "; run `syncline recover` if the run's records are there still, or remove it";
// Files of many ranks are read at once: blanks would take a tenth of the time.
constexpr int kOneLine = -1;

Json Joined(Json object, const Json& more) {
  object.update(more);
  return object;
}

// What was summed by name, each sum as `write` does.
Json NamedJson(const RunFindings& findings, SumsWriter write) {
  const bool is_merged = write != SumsJson;
  return {{"ranges", MapJson(findings.ranges, write)},
          {"operators", MapJson(findings.operators, write)},
          {"compilations", MapJson(findings.compilations, write)},
          {"compiled", MapJson(findings.compiled, write)},
          {"modules", MapJson(findings.modules, write)},
          {"operator_shapes", MapJson(findings.operator_shapes, write)},
          {"operator_lines", MapJson(findings.operator_lines, write)},
          {"kernels", MapJson(findings.kernels, write)},
          {"copies", MapJson(findings.copies, write)},
          {"waits", MapJson(findings.waits, write)},
          {"longest_waits", ListJson(findings.longest_waits, write)},
          {"gaps", MapJson(findings.gaps, write)},
          {"host_work", MapJson(findings.host_work, write)},
          {"stages", MapJson(findings.stages, write)},
          {"stage_kernels", is_merged ? StageKernelRows(findings) : StageKernelColumns(findings)},
          {"labels", MapJson(findings.labels, write)},
          {"signatures", MapJson(findings.signatures, write)},
          {"starved", MapJson(findings.starved, write)},
          {"fills", MapJson(findings.fills, write)},
          {"prices", MapJson(findings.prices, write)}};
}

void TakeNamed(const JsonValue& document, RunFindings* findings) {
  TakeMap(document["ranges"], &findings->ranges);
  TakeMap(document["operators"], &findings->operators);
  TakeMap(document["compilations"], &findings->compilations);
  TakeMap(document["compiled"], &findings->compiled);
  TakeMap(document["modules"], &findings->modules);
  TakeMap(document["operator_shapes"], &findings->operator_shapes);
  TakeMap(document["operator_lines"], &findings->operator_lines);
  TakeMap(document["kernels"], &findings->kernels);
  TakeMap(document["copies"], &findings->copies);
  TakeMap(document["waits"], &findings->waits);
  TakeMap(document["gaps"], &findings->gaps);
  TakeMap(document["host_work"], &findings->host_work);
  TakeMap(document["stages"], &findings->stages);
  TakeStageKernels(document, findings);
  TakeMap(document["labels"], &findings->labels);
  TakeMap(document["signatures"], &findings->signatures);
  TakeMap(document["starved"], &findings->starved);
  TakeMap(document["fills"], &findings->fills);
  TakeMap(document["prices"], &findings->prices);
  std::vector<LongWait> longest;
  TakeList(document["longest_waits"], SIZE_MAX, &longest);
  findings->AddLongWaits(std::move(longest));
}

Status ReadCompressed(const std::string& path, std::string* text) {
  constexpr size_t kFirst = 1 << 19;
  GunzipFile file;
  Status status = file.Open(path);
  for (size_t got = 1, all = 0; status.ok() && got != 0; all += got) {
    if (all > kMostText)
      return Status::Error(path + " holds more than 256 MiB of text: it is no file of findings");
    text->resize(std::max(kFirst, all + all / 2));
    status = file.Read(text->data() + all, text->size() - all, &got);
    if (got == 0) text->resize(all);
  }
  return status;
}

}  // namespace

std::string FindingsText(const RunFindings& findings) {
  Json ranks = Json::object();
  for (const auto& [name, part] : findings.ranks) ranks[name] = RankJson(part, SumsJson);
  return JsonText(Joined({{"schema", kFindingsSchema},
                          {"ranks", std::move(ranks)},
                          {"waits_by_line", LinesJson(WaitsByLine(findings, kCostliestLines))}},
                         NamedJson(findings, SumsJson)),
                  kOneLine);
}

Status WriteMergedFindings(const RunFindings& findings, const RankMeetings& meetings,
                           ByteSink* sink) {
  JsonPieces document(sink);
  document.Field("schema", kMergedFindingsSchema);
  document.Field("collectives", MeetingsJson(meetings));
  document.Open("ranks");
  for (const auto& [name, part] : findings.ranks) {
    Json rank = RankJson(part, QuantilesJson);
    rank["collectives"].erase("communicators");
    rank["steps"] = StepRowsJson(part.steps);
    document.Field(name, rank);
  }
  document.Close();
  document.Field("waits_by_line", LinesJson(WaitsByLine(findings, kCostliestLines)));
  const Json named = NamedJson(findings, QuantilesJson);
  for (const auto& [key, value] : named.items()) document.Field(key, value);
  return document.End();
}

Status ParseFindings(std::string_view text, const std::string& name, RunFindings* findings,
                     const std::string& rank) {
  JsonDocument json(text);
  const JsonValue document = json.Root();
  if (!document.IsObject()) {
    return Status::Error(name + " is no file of findings: it was damaged or edited" + kWhatToDo);
  }
  std::string schema;
  document["schema"].Take(&schema);
  if (schema != kFindingsSchema) {
    return Status::Error(name + " has schema \"" + schema + "\", this syncline reads \"" +
                         kFindingsSchema + "\"; use the syncline that wrote it");
  }
  RunFindings read;
  for (const JsonValue part : document["ranks"].Fields()) {
    const std::string of = part.Key();
    if (!rank.empty() && of != rank) {
      return Status::Error(name + " is of " + PrintableText(of) +
                           ": the file was copied or renamed, and is left out; remove it, or "
                           "give it that name");
    }
    TakeRank(part, &read.ranks[of]);
  }
  TakeNamed(document, &read);
  if (!json.Unfit().empty()) {
    return Status::Error(name + " has " + PrintableText(json.Unfit()) +
                         ", where no such number can be: it was damaged or edited" + kWhatToDo);
  }
  findings->Add(std::move(read));
  return Status();
}

Status WriteFindings(const std::string& path, const RunFindings& findings) {
  FileSink file;
  Status status = file.Open(path);
  if (!status.ok()) return status;
  GzipSink gzip(&file);
  status = gzip.Write(FindingsText(findings));
  return status.ok() ? file.Commit() : status;
}

Status ReadFindings(const std::string& path, RunFindings* findings, const std::string& rank) {
  std::string text;
  const Status status = ReadCompressed(path, &text);
  return status.ok() ? ParseFindings(text, path, findings, rank) : status;
}

}  // namespace syncline
