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

void TakeGaps(const JsonValue& object, uint64_t (*gaps_ns)[kGapCauses]) {
  for (size_t cause = 0; cause < kGapCauses; ++cause)
    object[GapCauseName(static_cast<GapCause>(cause))].Take(&(*gaps_ns)[cause]);
}

Json DeviceJson(const DeviceUse& use, SumsWriter write) {
  Json device = ObjectOf(write, use);
  device["gaps_ns"] = GapsJson(use.gaps_ns);
  if (use.launch_delay.count != 0) device["launch_delay"] = write(use.launch_delay);
  return device;
}

DeviceUse DeviceFrom(const JsonValue& object) {
  DeviceUse use;
  TakeObject(object, &use);
  TakeGaps(object["gaps_ns"], &use.gaps_ns);
  TakeSums(object["launch_delay"], &use.launch_delay);
  return use;
}

Json SharesJson(const TimeShares& shares) {
  Json json = Json::object();
  for (size_t kind = 0; kind < kTimeKinds; ++kind) {
    if (shares.ns[kind] != 0) json[TimeKindName(static_cast<TimeKind>(kind))] = shares.ns[kind];
  }
  return json;
}

void TakeShares(const JsonValue& object, TimeShares* shares) {
  for (size_t kind = 0; kind < kTimeKinds; ++kind) {
    uint64_t ns = 0;
    object[TimeKindName(static_cast<TimeKind>(kind))].Take(&ns);
    shares->ns[kind] = std::min(ns, kLatestNs / kTimeKinds);
  }
}

Json MomentJson(const MemoryMoment& moment) {
  Json json = ObjectOf(SumsJson, moment);
  json["groups"] = ListJson(moment.groups, SumsJson);
  return json;
}

void TakeMoment(const JsonValue& object, MemoryMoment* moment) {
  TakeObject(object, moment);
  TakeList(object["groups"], kMostMemoryGroups + kBlockClasses, &moment->groups);
}

Json AllocatorJson(const AllocatorUse& use) {
  Json json = ObjectOf(SumsJson, use);
  json["peak"] = MomentJson(use.peak);
  Json moments = Json::array();
  for (const MemoryMoment& moment : use.out_of_memory) moments.push_back(MomentJson(moment));
  json["out_of_memory"] = std::move(moments);
  json["growth"] = ListJson(use.growth, SumsJson);
  json["pieces"] = ObjectOf(SumsJson, use.pieces);
  return json;
}

AllocatorUse AllocatorFrom(const JsonValue& object) {
  AllocatorUse use;
  TakeObject(object, &use);
  TakeMoment(object["peak"], &use.peak);
  for (const JsonValue moment : object["out_of_memory"].Items()) {
    if (use.out_of_memory.size() < kMostOutOfMemory)
      TakeMoment(moment, &use.out_of_memory.emplace_back());
  }
  TakeList(object["growth"], kMostGrowths, &use.growth);
  TakeObject(object["pieces"], &use.pieces);
  return use;
}

std::string ColumnOf(const std::vector<uint64_t>& numbers) {
  ColumnWriter column;
  for (const uint64_t number : numbers) column.Add(number);
  return column.Take();
}

void TakeColumn(const JsonValue& text, size_t most, std::vector<uint64_t>* numbers) {
  ColumnReader column(text.Raw());
  for (uint64_t number; numbers->size() < most && column.Next(&number);) numbers->push_back(number);
}

Json StepsJson(const StepSeries& series) {
  ColumnWriter begin, duration, number;
  for (const Step& step : series.steps) {
    begin.Add(step.begin_ns);
    duration.Add(step.duration_ns);
    number.Add(step.number);
  }
  Json longest = Json::array();
  for (const LongStep& step : series.longest) {
    longest.push_back({{"begins_ns", step.begin_ns},
                       {"shares_ns", SharesJson(step.shares)},
                       {"name", step.name},
                       {"where", step.where},
                       {"what", step.what},
                       {"range", step.range},
                       {"more_ns", step.more_ns}});
  }
  Json json = {{"pid", series.pid},
               {"name", series.name},
               {"program", series.program},
               {"begin_ns", begin.Take()},
               {"duration_ns", duration.Take()},
               {"number", number.Take()},
               {"shares_ns", SharesJson(series.shares)},
               {"work", ObjectOf(SumsJson, series.work)},
               {"counted", series.counted},
               {"ops", ObjectOf(SumsJson, series.ops)},
               {"longest", std::move(longest)}};
  if (series.allocated_peaks.empty()) return json;
  json["allocated_peaks"] = ColumnOf(series.allocated_peaks);
  json["reserved_peaks"] = ColumnOf(series.held_peaks);
  return json;
}

StepSeries StepsFrom(const JsonValue& object) {
  StepSeries series;
  object["pid"].Take(&series.pid);
  object["name"].Take(&series.name);
  object["program"].Take(&series.program);
  ColumnReader begin(object["begin_ns"].Raw());
  ColumnReader duration(object["duration_ns"].Raw());
  ColumnReader number(object["number"].Raw());
  series.steps.reserve(begin.Most());
  Step step;
  while (begin.Next(&step.begin_ns) && duration.Next(&step.duration_ns) &&
         number.Next(&step.number))
    series.steps.push_back(step);
  TakeColumn(object["allocated_peaks"], series.steps.size(), &series.allocated_peaks);
  TakeColumn(object["reserved_peaks"], series.steps.size(), &series.held_peaks);
  TakeShares(object["shares_ns"], &series.shares);
  TakeObject(object["work"], &series.work);
  object["counted"].Take(&series.counted);
  TakeObject(object["ops"], &series.ops);
  for (const JsonValue longest : object["longest"].Items()) {
    if (!longest.IsObject() || series.longest.size() >= kMostLongSteps) continue;
    LongStep& kept = series.longest.emplace_back();
    longest["begins_ns"].Take(&kept.begin_ns);
    TakeShares(longest["shares_ns"], &kept.shares);
    longest["name"].Take(&kept.name);
    longest["where"].Take(&kept.where);
    longest["what"].Take(&kept.what);
    longest["range"].Take(&kept.range);
    longest["more_ns"].Take(&kept.more_ns);
  }
  return series;
}

Json CommunicatorsJson(const RankCollectives& rank) {
  struct Columns {
    ColumnWriter sequence, begin, duration, kind, operation, bytes, may_wait;
    ColumnWriter peer, sends, place, message_begin, message_duration, range, message_may_wait;
    bool messages = false, operators = false;
  };
  std::map<uint64_t, Columns> columns;
  for (const auto& [id, size] : rank.sizes) columns[id];
  for (const Collective& done : rank.done) {
    Columns& of = columns[done.communicator];
    of.sequence.Add(done.sequence);
    of.begin.Add(done.begin_ns);
    of.duration.Add(done.end_ns - done.begin_ns);
    of.kind.Add(static_cast<uint64_t>(done.kind));
    of.operation.Add(done.operation);
    of.bytes.Add(done.bytes);
    of.may_wait.Add(done.may_wait_ns + 1);
    of.operators = of.operators || done.operation != 0;
  }
  for (const Message& message : rank.messages) {
    Columns& of = columns[message.communicator];
    of.messages = true;
    of.peer.Add(message.peer);
    of.sends.Add(message.sends ? 1 : 0);
    of.place.Add(message.sequence);
    of.message_begin.Add(message.begin_ns);
    of.message_duration.Add(message.end_ns - message.begin_ns);
    of.range.Add(message.range);
    of.message_may_wait.Add(message.may_wait_ns + 1);
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
    if (const auto own = rank.own.find(id); own != rank.own.end())
      array.back()["rank"] = own->second;
    if (of.operators) {
      array.back()["operation"] = of.operation.Take();
      array.back()["bytes"] = of.bytes.Take();
      array.back()["may_wait_ns"] = of.may_wait.Take();
    }
    if (const auto group = rank.groups.find(id); group != rank.groups.end())
      array.back()["group"] = group->second;
    if (of.messages)
      array.back()["messages"] = {{"peer", of.peer.Take()},
                                  {"sends", of.sends.Take()},
                                  {"sequence", of.place.Take()},
                                  {"begin_ns", of.message_begin.Take()},
                                  {"duration_ns", of.message_duration.Take()},
                                  {"range", of.range.Take()},
                                  {"may_wait_ns", of.message_may_wait.Take()}};
  }
  return array;
}

void TakeMessages(const JsonValue& object, uint64_t id, RankCollectives* rank) {
  ColumnReader peers(object["peer"].Raw()), sends(object["sends"].Raw());
  ColumnReader sequences(object["sequence"].Raw()), begins(object["begin_ns"].Raw());
  ColumnReader durations(object["duration_ns"].Raw()), ranges(object["range"].Raw());
  ColumnReader may_wait(object["may_wait_ns"].Raw());
  uint64_t peer, sent, sequence, begin, duration, range;
  while (peers.Next(&peer) && sends.Next(&sent) && sequences.Next(&sequence) &&
         begins.Next(&begin) && durations.Next(&duration) && ranges.Next(&range)) {
    uint64_t bound = 0;  // one more; 0: there is none
    may_wait.Next(&bound);
    if (begin > kLatestNs || duration > kLatestNs - begin) continue;
    Message& message = rank->messages.emplace_back();
    message.communicator = id;
    message.peer = static_cast<uint32_t>(peer);
    message.sends = sent != 0;
    message.sequence = static_cast<uint32_t>(sequence);
    message.begin_ns = begin;
    message.end_ns = begin + duration;
    message.range = static_cast<uint32_t>(range);
    message.may_wait_ns = bound - 1;
  }
}

void TakeCommunicator(const JsonValue& object, RankCollectives* rank) {
  const uint64_t id = std::strtoull(std::string(object["id"].Raw()).c_str(), nullptr, 16);
  uint32_t size = 0;
  object["ranks"].Take(&size);
  if (size != 0) rank->sizes[id] = size;
  ColumnReader sequences(object["sequence"].Raw());
  ColumnReader begins(object["begin_ns"].Raw());
  ColumnReader durations(object["duration_ns"].Raw());
  ColumnReader kinds(object["kind"].Raw());
  ColumnReader operations(object["operation"].Raw()), sizes(object["bytes"].Raw());
  ColumnReader may_wait(object["may_wait_ns"].Raw());
  rank->done.reserve(rank->done.size() + begins.Most());
  uint64_t sequence, begin, duration, kind;
  while (sequences.Next(&sequence) && begins.Next(&begin) && durations.Next(&duration) &&
         kinds.Next(&kind)) {
    uint64_t operation = 0, bytes = 0, bound = 0;  // bound: one more; 0: there is none
    const bool is_operator =
        operations.Next(&operation) && sizes.Next(&bytes) && may_wait.Next(&bound);
    if (begin > kLatestNs || duration > kLatestNs - begin || kind >= kCollectiveKinds) continue;
    Collective done;
    done.communicator = id;
    done.sequence = static_cast<uint32_t>(sequence);
    done.begin_ns = begin;
    done.end_ns = begin + duration;
    done.kind = static_cast<CollectiveKind>(kind);
    if (is_operator) {
      done.may_wait_ns = bound - 1;
      done.operation = operation <= rank->operations.size() ? static_cast<uint32_t>(operation) : 0;
      done.bytes = bytes;
    }
    rank->done.push_back(done);
  }
  if (uint32_t own = 0; object["rank"].Take(&own)) rank->own[id] = own;
  if (std::string group; object["group"].Take(&group)) rank->groups[id] = std::move(group);
  TakeMessages(object["messages"], id, rank);
}

Json LeftOutJson(const LeftOutCounts& counts) {
  Json left_out = Json::object();
  for (uint8_t why = 0; why < kLeftOutReasons; ++why) {
    if (counts[why] != 0) left_out[LeftOutName(static_cast<LeftOut>(why))] = counts[why];
  }
  return left_out;
}

Json OperationsJson(const std::vector<CollectiveOperation>& operations) {
  Json array = Json::array();
  for (const CollectiveOperation& operation : operations)
    array.push_back({{"name", operation.name}, {"type", operation.type}});
  return array;
}

Json CollectivesJson(const RankPart& part) {
  return {{"in_trace", part.collectives_in_trace},
          {"all_calls_known", part.collectives.complete},
          {"error_ns", part.collectives.error_ns},
          {"left_out", LeftOutJson(part.collectives.left_out)},
          {"message_ranges", part.collectives.message_ranges},
          {"operations", OperationsJson(part.collectives.operations)},
          {"communicators", CommunicatorsJson(part.collectives)}};
}

void TakeCollectives(const JsonValue& object, RankPart* part) {
  object["in_trace"].Take(&part->collectives_in_trace);
  object["all_calls_known"].Take(&part->collectives.complete);
  object["error_ns"].Take(&part->collectives.error_ns);
  const JsonValue left_out = object["left_out"];
  for (uint8_t why = 0; why < kLeftOutReasons; ++why)
    left_out[LeftOutName(static_cast<LeftOut>(why))].Take(&part->collectives.left_out[why]);
  part->collectives.rank = part->rank;
  for (const JsonValue ranges : object["message_ranges"].Items())
    ranges.Take(&part->collectives.message_ranges.emplace_back());
  for (const JsonValue item : object["operations"].Items()) {
    CollectiveOperation& operation = part->collectives.operations.emplace_back();
    item["name"].Take(&operation.name);
    item["type"].Take(&operation.type);
  }
  for (const JsonValue communicator : object["communicators"].Items())
    TakeCommunicator(communicator, &part->collectives);
}

struct PartField {
  const char* key;
  uint64_t StepPart::*field;
};
constexpr PartField kPartFields[] = {{"in_steps", &StepPart::count},
                                     {"in_steps_ns", &StepPart::total_ns},
                                     {"in_steps_device_ns", &StepPart::device_ns},
                                     {"in_steps_bytes", &StepPart::bytes}};

}  // namespace

void PutParts(const StepParts& parts, Json* object) {
  for (const auto& [key, field] : kPartFields) {
    for (const auto& [name, part] : parts) {
      if (part.*field != 0) (*object)[key][name] = part.*field;
    }
  }
}

void TakeParts(const JsonValue& object, StepParts* parts) {
  for (const auto& [key, field] : kPartFields) {
    for (const JsonValue number : object[key].Fields()) {
      uint64_t value = 0;
      if (number.Take(&value)) (*parts)[number.Key()].*field = value;
    }
  }
}

Json SumsJson(const DurationSums& sums) {
  ColumnWriter index, count;
  for (const Sketch::Bucket& bucket : sums.sketch.buckets()) {
    index.Add(bucket.index);
    count.Add(bucket.count);
  }
  Json json = {{"count", sums.count},   {"total_ns", sums.total_ns}, {"min_ns", sums.min_ns},
               {"max_ns", sums.max_ns}, {"bucket", index.Take()},    {"in_bucket", count.Take()}};
  PutParts(sums.in_steps, &json);
  return json;
}

Json QuantilesJson(const DurationSums& sums) {
  Json json = {{"count", sums.count},           {"total_ns", sums.total_ns},
               {"min_ns", sums.min_ns},         {"p50_ns", sums.Quantile(0.5)},
               {"p95_ns", sums.Quantile(0.95)}, {"p99_ns", sums.Quantile(0.99)},
               {"max_ns", sums.max_ns}};
  PutParts(sums.in_steps, &json);
  return json;
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
        {"in_graphs", facts.in_graphs},
        {"waited_in_graphs_ns", facts.waited_in_graphs_ns},
        {"left_out",
         LeftOutJson(left_out == meetings.left_out.end() ? LeftOutCounts{} : left_out->second)}};
  }
  Json messages = Json::array();
  for (const auto& [key, sums] : meetings.messages)
    messages.push_back({{"rank", key.rank},
                        {"other", key.other},
                        {"waits_with", key.sends ? "send" : "receive"},
                        {"ranges", key.ranges},
                        {"met", sums.met},
                        {"waited", sums.waited},
                        {"waited_ns", sums.waited_ns},
                        {"longest_ns", sums.longest_ns}});
  Json collectives = Json::array();
  for (const auto& [key, sums] : meetings.collectives) {
    Json late = Json::object();
    for (const auto& [rank, of] : sums.late)
      late[std::to_string(rank)] = {{"times", of.times}, {"waited_ns", of.waited_ns}};
    collectives.push_back({{"group", key.group},
                           {"operation", key.operation.name},
                           {"type", key.operation.type},
                           {"ranks", sums.ranks},
                           {"count", sums.count},
                           {"bytes", sums.bytes},
                           {"met", sums.met},
                           {"waited_ns", sums.waited_ns},
                           {"longest_ns", sums.longest_ns},
                           {"late", late}});
  }
  return {{"messages", messages},
          {"collectives", collectives},
          {"clock_error_ns", meetings.clock_error_ns},
          {"clock_offset_ns", meetings.clock_offset_ns},
          {"ranks", ranks}};
}

void TakeSums(const JsonValue& object, DurationSums* sums) {
  object["count"].Take(&sums->count);
  object["total_ns"].Take(&sums->total_ns);
  object["min_ns"].Take(&sums->min_ns);
  object["max_ns"].Take(&sums->max_ns);
  ColumnReader indices(object["bucket"].Raw());
  ColumnReader counts(object["in_bucket"].Raw());
  for (uint64_t index, count; indices.Next(&index) && counts.Next(&count);) {
    if (index < Sketch::kBuckets && count != 0)
      sums->sketch.AddTo(static_cast<uint32_t>(index), count);
  }
  TakeParts(object, &sums->in_steps);
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

Json RankJson(const RankPart& part, SumsWriter write) {
  Json devices = Json::array(), steps = Json::array();
  for (const DeviceUse& use : part.devices) devices.push_back(DeviceJson(use, write));
  for (const StepSeries& series : part.steps) steps.push_back(StepsJson(series));
  Json rank = ObjectOf(write, part);
  rank["clock"] = {{"machine", part.collectives.clock.machine},
                   {"offset_ns", part.collectives.clock.offset_ns},
                   {"error_ns", part.clock_error_ns}};
  rank["losses"] = part.losses;
  rank["coverage"] = ListJson(part.coverage, write);
  rank["endings"] = ListJson(part.endings, write);
  rank["devices"] = std::move(devices);
  rank["steps"] = std::move(steps);
  Json allocators = Json::array();
  for (const AllocatorUse& use : part.allocators) allocators.push_back(AllocatorJson(use));
  rank["allocators"] = std::move(allocators);
  rank["compile_steps"] = ListJson(part.compile_steps, write);
  rank["shares_ns"] = SharesJson(part.shares);
  rank["stages"] = ListJson(part.stages, write);
  rank["replay"] = ObjectOf(write, part.replay);
  rank["load"] = ObjectOf(write, part.load);
  rank["recording_costs"] = ListJson(part.recording_costs, write);
  rank["collectives"] = CollectivesJson(part);
  return rank;
}

void TakeRank(const JsonValue& object, RankPart* part) {
  TakeObject(object, part);
  const JsonValue clock = object["clock"];
  clock["machine"].Take(&part->collectives.clock.machine);
  clock["offset_ns"].Take(&part->collectives.clock.offset_ns);
  clock["error_ns"].Take(&part->clock_error_ns);
  part->collectives.clock.offset_ns =
      std::clamp(part->collectives.clock.offset_ns, -kLargestOffsetNs, kLargestOffsetNs);
  for (const JsonValue loss : object["losses"].Fields()) {
    if (uint64_t count = 0; loss.Take(&count)) part->losses[loss.Key()] = count;
  }
  TakeList(object["coverage"], SIZE_MAX, &part->coverage);
  TakeList(object["endings"], SIZE_MAX, &part->endings);
  for (const JsonValue use : object["devices"].Items()) part->devices.push_back(DeviceFrom(use));
  for (const JsonValue series : object["steps"].Items()) part->steps.push_back(StepsFrom(series));
  for (const JsonValue use : object["allocators"].Items()) {
    if (part->allocators.size() < kMostAllocatorUses)
      part->allocators.push_back(AllocatorFrom(use));
  }
  TakeList(object["compile_steps"], kMostCompileSteps, &part->compile_steps);
  TakeShares(object["shares_ns"], &part->shares);
  TakeList(object["stages"], kMostStagesOfRank, &part->stages);
  TakeList(object["recording_costs"], SIZE_MAX, &part->recording_costs);
  TakeObject(object["replay"], &part->replay);
  TakeObject(object["load"], &part->load);
  if (object["collectives"].IsObject()) TakeCollectives(object["collectives"], part);
}

}  // namespace syncline
