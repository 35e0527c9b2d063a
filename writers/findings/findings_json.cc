// SPDX-License-Identifier: Apache-2.0
// A rank's part and the sums.
#include "writers/findings/findings_json.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <utility>
#include <vector>

#include "writers/findings/columns.h"
#include "writers/findings/work_json.h"

namespace syncline {
namespace {

// Until the year 2116. Later times, and what ends later, are damage: left out.
constexpr uint64_t kLatestNs = uint64_t{1} << 62;
constexpr int64_t kLargestOffsetNs = int64_t{1} << 62;

std::string IdText(uint64_t id) {
  char text[24];
  std::snprintf(text, sizeof(text), "0x%016" PRIx64, id);
  return text;
}

Json GapsJson(const uint64_t (&gaps_ns)[kGapCauses]) {
  Json gaps = Json::object();
  for (size_t cause = 0; cause < kGapCauses; ++cause) {
    if (gaps_ns[cause] != 0) gaps[GapCauseName(static_cast<GapCause>(cause))] = gaps_ns[cause];
  }
  return gaps;
}

void TakeGaps(const Json& object, uint64_t (*gaps_ns)[kGapCauses]) {
  for (size_t cause = 0; cause < kGapCauses; ++cause)
    TakeField(object, GapCauseName(static_cast<GapCause>(cause)), &(*gaps_ns)[cause]);
}

Json DeviceJson(const DeviceUse& use, SumsWriter write) {
  Json device = {{"pid", use.pid},
                 {"source", use.source},
                 {"device", use.device},
                 {"name", use.name},
                 {"begin_ns", use.begin_ns},
                 {"end_ns", use.end_ns},
                 {"operations", use.operations},
                 {"busy_ns", use.busy_ns},
                 {"unseen_ns", use.unseen_ns},
                 {"idle_ns", use.IdleNs()},
                 {"computing_ns", use.computing_ns},
                 {"communicating_ns", use.communicating_ns},
                 {"communicating_alone_ns", use.communicating_alone_ns},
                 {"copying_ns", use.copying_ns},
                 {"copying_alone_ns", use.copying_alone_ns},
                 {"memory_peak_bytes", use.memory_peak_bytes},
                 {"memory_peak_at_ns", use.memory_peak_at_ns},
                 {"kernels_ns", use.kernels_ns},
                 {"gaps_ns", GapsJson(use.gaps_ns)},
                 {"queued_ns", use.queued_ns}};
  if (use.launch_delay.count != 0) device["launch_delay"] = write(use.launch_delay);
  return device;
}

DeviceUse DeviceFrom(const Json& object, const LiftedColumns& columns) {
  DeviceUse use;
  TakeField(object, "pid", &use.pid);
  TakeField(object, "source", &use.source);
  TakeField(object, "device", &use.device);
  TakeField(object, "name", &use.name);
  TakeField(object, "begin_ns", &use.begin_ns);
  TakeField(object, "end_ns", &use.end_ns);
  TakeField(object, "operations", &use.operations);
  TakeField(object, "busy_ns", &use.busy_ns);
  TakeField(object, "unseen_ns", &use.unseen_ns);
  TakeField(object, "computing_ns", &use.computing_ns);
  TakeField(object, "communicating_ns", &use.communicating_ns);
  TakeField(object, "communicating_alone_ns", &use.communicating_alone_ns);
  TakeField(object, "copying_ns", &use.copying_ns);
  TakeField(object, "copying_alone_ns", &use.copying_alone_ns);
  TakeField(object, "memory_peak_bytes", &use.memory_peak_bytes);
  TakeField(object, "memory_peak_at_ns", &use.memory_peak_at_ns);
  TakeField(object, "kernels_ns", &use.kernels_ns);
  TakeField(object, "queued_ns", &use.queued_ns);
  if (!object.is_object()) return use;
  if (const auto gaps = object.find("gaps_ns"); gaps != object.end()) TakeGaps(*gaps, &use.gaps_ns);
  if (const auto delay = object.find("launch_delay"); delay != object.end())
    TakeSums(*delay, columns, &use.launch_delay);
  return use;
}

std::string TextOf(const Json& object, const char* key) {
  std::string text;
  TakeField(object, key, &text);
  return text;
}

Json StepsJson(const StepSeries& series) {
  ColumnWriter begin, duration, number;
  for (const Step& step : series.steps) {
    begin.Add(step.begin_ns);
    duration.Add(step.duration_ns);
    number.Add(step.number);
  }
  return {{"pid", series.pid},
          {"name", series.name},
          {"begin_ns", begin.Take()},
          {"duration_ns", duration.Take()},
          {"number", number.Take()}};
}

StepSeries StepsFrom(const Json& object, const LiftedColumns& columns) {
  StepSeries series;
  TakeField(object, "pid", &series.pid);
  TakeField(object, "name", &series.name);
  ColumnReader begin(columns.Of(object, "begin_ns"));
  ColumnReader duration(columns.Of(object, "duration_ns"));
  ColumnReader number(columns.Of(object, "number"));
  series.steps.reserve(begin.Most());
  Step step;
  while (begin.Next(&step.begin_ns) && duration.Next(&step.duration_ns) &&
         number.Next(&step.number))
    series.steps.push_back(step);
  return series;
}

Json CommunicatorsJson(const RankCollectives& rank) {
  struct Columns {
    ColumnWriter sequence, begin, duration, kind;
  };
  std::map<uint64_t, Columns> columns;
  for (const auto& [id, size] : rank.sizes) columns[id];
  for (const Collective& done : rank.done) {
    Columns& of = columns[done.communicator];
    of.sequence.Add(done.sequence);
    of.begin.Add(done.begin_ns);
    of.duration.Add(done.end_ns - done.begin_ns);
    of.kind.Add(static_cast<uint64_t>(done.kind));
  }
  Json array = Json::array();
  for (auto& [id, of] : columns) {
    const auto size = rank.sizes.find(id);
    array.push_back({{"id", IdText(id)},
                     {"ranks", size == rank.sizes.end() ? 0 : size->second},
                     {"sequence", of.sequence.Take()},
                     {"begin_ns", of.begin.Take()},
                     {"duration_ns", of.duration.Take()},
                     {"kind", of.kind.Take()}});
  }
  return array;
}

void TakeCommunicator(const Json& object, const LiftedColumns& columns, RankCollectives* rank) {
  const uint64_t id = std::strtoull(TextOf(object, "id").c_str(), nullptr, 16);
  uint32_t size = 0;
  TakeField(object, "ranks", &size);
  if (size != 0) rank->sizes[id] = size;
  ColumnReader sequences(columns.Of(object, "sequence"));
  ColumnReader begins(columns.Of(object, "begin_ns"));
  ColumnReader durations(columns.Of(object, "duration_ns"));
  ColumnReader kinds(columns.Of(object, "kind"));
  rank->done.reserve(rank->done.size() + begins.Most());
  uint64_t sequence, begin, duration, kind;
  while (sequences.Next(&sequence) && begins.Next(&begin) && durations.Next(&duration) &&
         kinds.Next(&kind)) {
    if (begin > kLatestNs || duration > kLatestNs - begin || kind >= kCollectiveKinds) continue;
    Collective done;
    done.communicator = id;
    done.sequence = static_cast<uint32_t>(sequence);
    done.begin_ns = begin;
    done.end_ns = begin + duration;
    done.kind = static_cast<CollectiveKind>(kind);
    rank->done.push_back(done);
  }
}

Json LeftOutJson(const LeftOutCounts& counts) {
  Json left_out = Json::object();
  for (uint8_t why = 0; why < kLeftOutReasons; ++why) {
    if (counts[why] != 0) left_out[LeftOutName(static_cast<LeftOut>(why))] = counts[why];
  }
  return left_out;
}

Json CollectivesJson(const RankPart& part) {
  return {{"in_trace", part.collectives_in_trace},
          {"all_calls_known", part.collectives.complete},
          {"error_ns", part.collectives.error_ns},
          {"left_out", LeftOutJson(part.collectives.left_out)},
          {"communicators", CommunicatorsJson(part.collectives)}};
}

void TakeCollectives(const Json& object, const LiftedColumns& columns, RankPart* part) {
  TakeField(object, "in_trace", &part->collectives_in_trace);
  TakeField(object, "all_calls_known", &part->collectives.complete);
  TakeField(object, "error_ns", &part->collectives.error_ns);
  if (object.contains("left_out")) {
    for (uint8_t why = 0; why < kLeftOutReasons; ++why) {
      TakeField(object["left_out"], LeftOutName(static_cast<LeftOut>(why)),
                &part->collectives.left_out[why]);
    }
  }
  part->collectives.rank = part->rank;
  for (const Json& communicator : ArrayOf(object, "communicators"))
    TakeCommunicator(communicator, columns, &part->collectives);
}

Json CoverageJson(const CoverageFact& fact) {
  return {{"source", fact.source},
          {"recorded", fact.recorded},
          {"why", fact.why},
          {"begin_ns", fact.begin_ns},
          {"end_ns", fact.end_ns}};
}

CoverageFact CoverageFrom(const Json& object) {
  CoverageFact fact;
  TakeField(object, "source", &fact.source);
  TakeField(object, "recorded", &fact.recorded);
  TakeField(object, "why", &fact.why);
  TakeField(object, "begin_ns", &fact.begin_ns);
  TakeField(object, "end_ns", &fact.end_ns);
  return fact;
}

}  // namespace

const Json& ArrayOf(const Json& object, const char* key) {
  static const Json kNone = Json::array();
  if (!object.is_object()) return kNone;
  const auto found = object.find(key);
  return found == object.end() || !found->is_array() ? kNone : *found;
}

Json SumsJson(const DurationSums& sums) {
  ColumnWriter index, count;
  for (const Sketch::Bucket& bucket : sums.sketch.buckets()) {
    index.Add(bucket.index);
    count.Add(bucket.count);
  }
  return {{"count", sums.count},   {"total_ns", sums.total_ns}, {"min_ns", sums.min_ns},
          {"max_ns", sums.max_ns}, {"bucket", index.Take()},    {"in_bucket", count.Take()}};
}

Json QuantilesJson(const DurationSums& sums) {
  return {{"count", sums.count},           {"total_ns", sums.total_ns},
          {"min_ns", sums.min_ns},         {"p50_ns", sums.Quantile(0.5)},
          {"p95_ns", sums.Quantile(0.95)}, {"p99_ns", sums.Quantile(0.99)},
          {"max_ns", sums.max_ns}};
}

Json StepRowsJson(const std::vector<StepSeries>& all) {
  Json array = Json::array();
  for (const StepSeries& series : all) {
    Json rows = Json::array();
    for (const Step& step : series.steps)
      rows.push_back({step.number, step.begin_ns, step.duration_ns});
    array.push_back({{"pid", series.pid}, {"name", series.name}, {"steps", std::move(rows)}});
  }
  return array;
}

Json MeetingsJson(const RankMeetings& meetings) {
  Json ranks = Json::object();
  for (const auto& [rank, facts] : meetings.ranks) {
    Json waited = Json::object();
    for (const auto& [last, ns] : facts.waited_for_ns) waited[std::to_string(last)] = ns;
    const auto left_out = meetings.left_out.find(rank);
    ranks[std::to_string(rank)] = {
        {"met", facts.met},
        {"came_last", facts.came_last},
        {"waited_for_ns", waited},
        {"left_out",
         LeftOutJson(left_out == meetings.left_out.end() ? LeftOutCounts{} : left_out->second)}};
  }
  return {{"clock_error_ns", meetings.clock_error_ns},
          {"clock_offset_ns", meetings.clock_offset_ns},
          {"ranks", ranks}};
}

void TakeSums(const Json& object, const LiftedColumns& columns, DurationSums* sums) {
  TakeField(object, "count", &sums->count);
  TakeField(object, "total_ns", &sums->total_ns);
  TakeField(object, "min_ns", &sums->min_ns);
  TakeField(object, "max_ns", &sums->max_ns);
  ColumnReader indices(columns.Of(object, "bucket"));
  ColumnReader counts(columns.Of(object, "in_bucket"));
  for (uint64_t index, count; indices.Next(&index) && counts.Next(&count);) {
    if (index < Sketch::kBuckets && count != 0)
      sums->sketch.AddTo(static_cast<uint32_t>(index), count);
  }
}

Json WaitJson(const WaitKey& key) {
  return {{"source", key.source},
          {"class", WaitClassName(key.wait_class)},
          {"call", key.call},
          {"ranges", key.ranges},
          {"where", key.where}};
}

Json LinesJson(const std::vector<LineWaits>& lines) {
  Json array = Json::array();
  for (const LineWaits& line : lines) {
    array.push_back({{"where", line.what.where},
                     {"class", WaitClassName(line.what.wait_class)},
                     {"call", line.what.call},
                     {"ranges", line.what.ranges},
                     {"count", line.count},
                     {"blocked_us", static_cast<double>(line.blocked_ns) / 1e3},
                     {"idle_after_us", static_cast<double>(line.idle_after_ns) / 1e3}});
  }
  return array;
}

bool TakeWaitKey(const Json& object, WaitKey* key) {
  TakeField(object, "source", &key->source);
  TakeField(object, "call", &key->call);
  TakeField(object, "ranges", &key->ranges);
  TakeField(object, "where", &key->where);
  return TakeEnum(object, "class", kWaitClasses, WaitClassName, &key->wait_class);
}

Json RankJson(const RankPart& part, SumsWriter write) {
  Json coverage = Json::array(), devices = Json::array(), steps = Json::array();
  for (const CoverageFact& fact : part.coverage) coverage.push_back(CoverageJson(fact));
  for (const DeviceUse& use : part.devices) devices.push_back(DeviceJson(use, write));
  for (const StepSeries& series : part.steps) steps.push_back(StepsJson(series));
  return {{"rank", part.rank},
          {"world_size", part.world_size},
          {"complete", part.complete},
          {"job", part.job},
          {"host", part.host},
          {"begin_ns", part.begin_ns},
          {"end_ns", part.end_ns},
          {"clock",
           {{"machine", part.collectives.clock.machine},
            {"offset_ns", part.collectives.clock.offset_ns},
            {"error_ns", part.clock_error_ns}}},
          {"processes", part.processes},
          {"ranges", part.ranges},
          {"marks", part.marks},
          {"calls", part.calls},
          {"device_ops", part.device_ops},
          {"losses", part.losses},
          {"missing", part.missing},
          {"problems", part.problems},
          {"limits", part.limits},
          {"coverage", coverage},
          {"devices", devices},
          {"steps", steps},
          {"steps_left_out", part.steps_left_out},
          {"stages", StageTimesJson(part.stages)},
          {"replay", ReplayJson(part.replay)},
          {"collectives", CollectivesJson(part)}};
}

void TakeRank(const Json& object, const LiftedColumns& columns, RankPart* part) {
  TakeField(object, "rank", &part->rank);
  TakeField(object, "world_size", &part->world_size);
  TakeField(object, "complete", &part->complete);
  TakeField(object, "job", &part->job);
  TakeField(object, "host", &part->host);
  TakeField(object, "begin_ns", &part->begin_ns);
  TakeField(object, "end_ns", &part->end_ns);
  TakeField(object, "processes", &part->processes);
  TakeField(object, "ranges", &part->ranges);
  TakeField(object, "marks", &part->marks);
  TakeField(object, "calls", &part->calls);
  TakeField(object, "device_ops", &part->device_ops);
  TakeField(object, "steps_left_out", &part->steps_left_out);
  if (!object.is_object()) return;
  if (const auto clock = object.find("clock"); clock != object.end()) {
    TakeField(*clock, "machine", &part->collectives.clock.machine);
    TakeField(*clock, "offset_ns", &part->collectives.clock.offset_ns);
    TakeField(*clock, "error_ns", &part->clock_error_ns);
    part->collectives.clock.offset_ns =
        std::clamp(part->collectives.clock.offset_ns, -kLargestOffsetNs, kLargestOffsetNs);
  }
  if (const auto losses = object.find("losses"); losses != object.end() && losses->is_object()) {
    for (const auto& [name, count] : losses->items()) {
      if (count.is_number_integer()) part->losses[name] = count.get<uint64_t>();
    }
  }
  TakeField(object, "missing", &part->missing);
  TakeField(object, "problems", &part->problems);
  TakeField(object, "limits", &part->limits);
  for (const Json& fact : ArrayOf(object, "coverage")) part->coverage.push_back(CoverageFrom(fact));
  for (const Json& use : ArrayOf(object, "devices"))
    part->devices.push_back(DeviceFrom(use, columns));
  for (const Json& series : ArrayOf(object, "steps"))
    part->steps.push_back(StepsFrom(series, columns));
  for (const Json& stage : ArrayOf(object, "stages")) TakeStageTime(stage, &part->stages);
  if (const auto replay = object.find("replay"); replay != object.end())
    TakeReplay(*replay, &part->replay);
  if (const auto met = object.find("collectives"); met != object.end() && met->is_object())
    TakeCollectives(*met, columns, part);
}

}  // namespace syncline
