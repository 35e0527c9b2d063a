// SPDX-License-Identifier: Apache-2.0
// The whole document, and the compressed file around it.
#include "writers/findings/findings_file.h"

#include <algorithm>
#include <utility>

#include "writers/files/file_sink.h"
#include "writers/files/gunzip.h"
#include "writers/files/gzip_sink.h"
#include "writers/findings/findings_json.h"
#include "writers/findings/lifted_columns.h"
#include "writers/findings/work_json.h"

namespace syncline {
namespace {

constexpr size_t kMostText = size_t{256} << 20;
// Of our own documents none is deeper; the parser and its values recurse.
constexpr int kDeepest = 12;
// Files of many ranks are read at once: blanks would take a tenth of the time.
constexpr int kOneLine = -1;

template <typename Map, typename Member>
Json Array(const Map& map, const Member& member) {
  Json array = Json::array();
  for (const auto& [key, sums] : map) {
    Json object = member(key, sums);
    array.push_back(std::move(object));
  }
  return array;
}

Json Joined(Json object, const Json& more) {
  object.update(more);
  return object;
}

Json WaitsJson(const WaitKey& key, const WaitSums& sums, SumsWriter write) {
  return Joined(Joined(WaitJson(key), write(sums.blocked)), {{"idle_after_ns", sums.idle_after_ns},
                                                             {"needless", sums.needless},
                                                             {"needless_ns", sums.needless_ns},
                                                             {"unknown", sums.unknown}});
}

Json LongWaitJson(const LongWait& wait) {
  return Joined({{"blocked_ns", wait.blocked_ns},
                 {"rank", wait.rank},
                 {"begin_ns", wait.begin_ns},
                 {"pid", wait.pid},
                 {"tid", wait.tid}},
                WaitJson(wait.what));
}

bool TakeLongWait(const Json& object, LongWait* wait) {
  TakeField(object, "blocked_ns", &wait->blocked_ns);
  TakeField(object, "rank", &wait->rank);
  TakeField(object, "begin_ns", &wait->begin_ns);
  TakeField(object, "pid", &wait->pid);
  TakeField(object, "tid", &wait->tid);
  return TakeWaitKey(object, &wait->what);
}

// What was summed by name, each sum as `write` does.
Json NamedJson(const RunFindings& findings, SumsWriter write) {
  Json longest = Json::array();
  for (const LongWait& wait : findings.longest_waits) longest.push_back(LongWaitJson(wait));
  const auto range = [write](const RangeKey& key, const DurationSums& sums) {
    return Joined({{"source", key.source}, {"domain", key.domain}, {"name", key.name}},
                  write(sums));
  };
  const auto kernel = [write](const OpKey& key, const DurationSums& sums) {
    return Joined({{"source", key.source}, {"name", key.name}}, write(sums));
  };
  const auto copy = [write](const OpKey& key, const CopySums& sums) {
    return Joined({{"source", key.source}, {"name", key.name}, {"bytes", sums.bytes}},
                  write(sums.durations));
  };
  const auto wait = [write](const WaitKey& key, const WaitSums& sums) {
    return WaitsJson(key, sums, write);
  };
  const auto gap = [write](const GapKey& key, const DurationSums& sums) {
    return Joined({{"source", key.source},
                   {"cause", GapCauseName(key.cause)},
                   {"call", key.call},
                   {"ranges", key.ranges},
                   {"before", key.before},
                   {"next", key.next}},
                  write(sums));
  };
  return {{"ranges", Array(findings.ranges, range)},
          {"kernels", Array(findings.kernels, kernel)},
          {"copies", Array(findings.copies, copy)},
          {"waits", Array(findings.waits, wait)},
          {"longest_waits", std::move(longest)},
          {"gaps", Array(findings.gaps, gap)},
          {"stages", Array(findings.stages, StageJson)},
          {"starved", Array(findings.starved, StarvedJson)},
          {"prices", Array(findings.prices, PriceJson)}};
}

void TakeNamed(const Json& document, const LiftedColumns& columns, RunFindings* findings) {
  for (const Json& object : ArrayOf(document, "ranges")) {
    RangeKey key;
    TakeField(object, "source", &key.source);
    TakeField(object, "domain", &key.domain);
    TakeField(object, "name", &key.name);
    DurationSums sums;
    TakeSums(object, columns, &sums);
    findings->ranges[key].Add(sums);
  }
  for (const Json& object : ArrayOf(document, "kernels")) {
    OpKey key;
    TakeField(object, "source", &key.source);
    TakeField(object, "name", &key.name);
    DurationSums sums;
    TakeSums(object, columns, &sums);
    findings->kernels[key].Add(sums);
  }
  for (const Json& object : ArrayOf(document, "copies")) {
    OpKey key;
    TakeField(object, "source", &key.source);
    TakeField(object, "name", &key.name);
    CopySums sums;
    TakeField(object, "bytes", &sums.bytes);
    TakeSums(object, columns, &sums.durations);
    findings->copies[key].Add(sums);
  }
}

void TakeWaits(const Json& document, const LiftedColumns& columns, RunFindings* findings) {
  for (const Json& object : ArrayOf(document, "waits")) {
    WaitKey key;
    if (!TakeWaitKey(object, &key)) continue;
    WaitSums sums;
    TakeSums(object, columns, &sums.blocked);
    TakeField(object, "idle_after_ns", &sums.idle_after_ns);
    TakeField(object, "needless", &sums.needless);
    TakeField(object, "needless_ns", &sums.needless_ns);
    TakeField(object, "unknown", &sums.unknown);
    findings->waits[key].Add(sums);
  }
  std::vector<LongWait> longest;
  for (const Json& object : ArrayOf(document, "longest_waits")) {
    LongWait wait;
    if (TakeLongWait(object, &wait)) longest.push_back(std::move(wait));
  }
  findings->AddLongWaits(std::move(longest));
  for (const Json& object : ArrayOf(document, "gaps")) {
    GapKey key;
    TakeField(object, "source", &key.source);
    if (!TakeEnum(object, "cause", kGapCauses, GapCauseName, &key.cause)) continue;
    TakeField(object, "call", &key.call);
    TakeField(object, "ranges", &key.ranges);
    TakeField(object, "before", &key.before);
    TakeField(object, "next", &key.next);
    DurationSums sums;
    TakeSums(object, columns, &sums);
    findings->gaps[key].Add(sums);
  }
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

std::string MergedFindingsText(const RunFindings& findings, const RankMeetings& meetings) {
  Json ranks = Json::object();
  for (const auto& [name, part] : findings.ranks) {
    Json rank = RankJson(part, QuantilesJson);
    rank["collectives"].erase("communicators");
    rank["steps"] = StepRowsJson(part.steps);
    ranks[name] = std::move(rank);
  }
  return JsonText(Joined({{"schema", kMergedFindingsSchema},
                          {"collectives", MeetingsJson(meetings)},
                          {"ranks", std::move(ranks)},
                          {"waits_by_line", LinesJson(WaitsByLine(findings, kCostliestLines))}},
                         NamedJson(findings, QuantilesJson)),
                  1);
}

Status ParseFindings(std::string_view text, const std::string& name, RunFindings* findings) {
  const LiftedColumns columns(text);
  const Json document = ParseJson(columns.text(), kDeepest);
  if (document.is_discarded() || !document.is_object()) {
    return Status::Error(name +
                         " is no file of findings: it was damaged or edited; run `syncline "
                         "recover` if the run's records are there still, or remove it");
  }
  std::string schema;
  TakeField(document, "schema", &schema);
  if (schema != kFindingsSchema) {
    return Status::Error(name + " has schema \"" + schema + "\", this syncline reads \"" +
                         kFindingsSchema + "\"; use the syncline that wrote it");
  }
  RunFindings read;
  if (const auto ranks = document.find("ranks"); ranks != document.end() && ranks->is_object()) {
    for (const auto& [rank, part] : ranks->items()) TakeRank(part, columns, &read.ranks[rank]);
  }
  TakeNamed(document, columns, &read);
  TakeWaits(document, columns, &read);
  TakeWork(document, &read);
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

Status ReadFindings(const std::string& path, RunFindings* findings) {
  std::string text;
  const Status status = ReadCompressed(path, &text);
  return status.ok() ? ParseFindings(text, path, findings) : status;
}

}  // namespace syncline
