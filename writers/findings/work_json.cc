// SPDX-License-Identifier: Apache-2.0
// A row for each key.
#include "writers/findings/work_json.h"

#include "writers/findings/findings_json.h"

namespace syncline {
namespace {

void TakeStage(const Json& object, RunFindings* findings) {
  RangeKey key;
  TakeField(object, "source", &key.source);
  TakeField(object, "domain", &key.domain);
  TakeField(object, "name", &key.name);
  StageWork work;
  TakeField(object, "blocked_ns", &work.blocked_ns);
  TakeField(object, "launched", &work.launched);
  TakeField(object, "device_ns", &work.device_ns);
  TakeField(object, "busy_ns", &work.busy_ns);
  TakeField(object, "busy_of_ns", &work.busy_of_ns);
  TakeField(object, "memory_peak", &work.memory_peak);
  findings->stages[key].Add(work);
}

void TakeStarved(const Json& object, RunFindings* findings) {
  OpKey key;
  TakeField(object, "source", &key.source);
  TakeField(object, "name", &key.name);
  StarvedSums sums;
  TakeField(object, "count", &sums.count);
  TakeField(object, "idle_ns", &sums.idle_ns);
  findings->starved[key].Add(sums);
}

// Of a change or class that is not known nothing can be told.
void TakePrice(const Json& object, RunFindings* findings) {
  PriceKey key;
  if (!TakeEnum(object, "change", kChanges, ChangeName, &key.change)) return;
  if (!TakeEnum(object, "class", kWaitClasses, WaitClassName, &key.wait_class)) return;
  TakeField(object, "source", &key.source);
  TakeField(object, "call", &key.call);
  TakeField(object, "ranges", &key.ranges);
  TakeField(object, "where", &key.where);
  TakeField(object, "before", &key.before);
  TakeField(object, "late_rank", &key.late_rank);
  PriceSums sums;
  TakeField(object, "ranks", &sums.ranks);
  TakeField(object, "count", &sums.count);
  TakeField(object, "removed_ns", &sums.removed_ns);
  TakeField(object, "gain_ns", &sums.gain_ns);
  TakeField(object, "worst_rank", &sums.worst_rank);
  TakeField(object, "read_backs", &sums.read_backs);
  if (!sums.worst_rank.empty()) TakeField(object, "worst_gain_ns", &sums.worst_gain_ns);
  findings->prices[key].Add(sums);
}

}  // namespace

Json StageJson(const RangeKey& key, const StageWork& work) {
  return {{"source", key.source},
          {"domain", key.domain},
          {"name", key.name},
          {"blocked_ns", work.blocked_ns},
          {"launched", work.launched},
          {"device_ns", work.device_ns},
          {"busy_ns", work.busy_ns},
          {"busy_of_ns", work.busy_of_ns},
          {"memory_peak", work.memory_peak}};
}

Json StarvedJson(const OpKey& key, const StarvedSums& sums) {
  return {
      {"source", key.source}, {"name", key.name}, {"count", sums.count}, {"idle_ns", sums.idle_ns}};
}

Json PriceJson(const PriceKey& key, const PriceSums& sums) {
  return {{"source", key.source},
          {"change", ChangeName(key.change)},
          {"class", WaitClassName(key.wait_class)},
          {"call", key.call},
          {"ranges", key.ranges},
          {"where", key.where},
          {"before", key.before},
          {"late_rank", key.late_rank},
          {"ranks", sums.ranks},
          {"count", sums.count},
          {"removed_ns", sums.removed_ns},
          {"gain_ns", sums.gain_ns},
          {"read_backs", sums.read_backs},
          {"worst_gain_ns", sums.worst_gain_ns},
          {"worst_rank", sums.worst_rank}};
}

Json StageTimesJson(const std::vector<StageTime>& stages) {
  Json array = Json::array();
  for (const StageTime& stage : stages) {
    array.push_back({{"source", stage.key.source},
                     {"domain", stage.key.domain},
                     {"name", stage.key.name},
                     {"count", stage.count},
                     {"total_ns", stage.total_ns},
                     {"device_ns", stage.device_ns}});
  }
  return array;
}

Json ReplayJson(const ReplayFacts& facts) {
  return {{"whole_ns", facts.whole_ns},
          {"replayed_ns", facts.replayed_ns},
          {"windows", facts.windows},
          {"unpriced", facts.unpriced},
          {"ungrouped", facts.ungrouped}};
}

void TakeWork(const Json& document, RunFindings* findings) {
  for (const Json& object : ArrayOf(document, "stages")) TakeStage(object, findings);
  for (const Json& object : ArrayOf(document, "starved")) TakeStarved(object, findings);
  for (const Json& object : ArrayOf(document, "prices")) TakePrice(object, findings);
}

void TakeStageTime(const Json& object, std::vector<StageTime>* stages) {
  if (stages->size() >= kMostStagesOfRank) return;
  StageTime stage;
  TakeField(object, "source", &stage.key.source);
  TakeField(object, "domain", &stage.key.domain);
  TakeField(object, "name", &stage.key.name);
  TakeField(object, "count", &stage.count);
  TakeField(object, "total_ns", &stage.total_ns);
  TakeField(object, "device_ns", &stage.device_ns);
  stages->push_back(std::move(stage));
}

void TakeReplay(const Json& object, ReplayFacts* facts) {
  TakeField(object, "whole_ns", &facts->whole_ns);
  TakeField(object, "replayed_ns", &facts->replayed_ns);
  TakeField(object, "windows", &facts->windows);
  TakeField(object, "unpriced", &facts->unpriced);
  TakeField(object, "ungrouped", &facts->ungrouped);
}

}  // namespace syncline
