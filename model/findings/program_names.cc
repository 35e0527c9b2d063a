// SPDX-License-Identifier: Apache-2.0
// Which keys say their program: those of what several programs call by one name.
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "model/findings/run_findings.h"

namespace syncline {
namespace {

// By what people see of a key: of ranges source, domain and name; of the rest the function of its
// line, else the ranges.
using Label = std::tuple<std::string, std::string, std::string>;

Label LabelOf(const RangeKey& key) { return {key.source, key.domain, key.name}; }
Label LabelOfPlace(const std::string& where, const std::string& ranges) {
  if (where.empty()) return {"in", "", ranges};
  const std::string function = WithoutLine(where);
  return {"at", "", function.empty() ? where : function};
}
Label LabelOf(const WaitKey& key) { return LabelOfPlace(key.where, key.ranges); }
Label LabelOf(const PriceKey& key) { return LabelOfPlace(key.where, key.ranges); }
Label LabelOf(const HostWorkKey& key) { return LabelOfPlace(key.where, ""); }
Label LabelOf(const GapKey& key) { return LabelOfPlace(key.lines.next, key.ranges); }

class Programs {
 public:
  template <typename Map>
  void See(const Map& sums) {
    for (const auto& [key, value] : sums) of_labels_[LabelOf(key)].insert(key.program);
  }

  template <typename Key>
  void Settle(Key* key) const {
    const auto programs = of_labels_.find(LabelOf(*key));
    if (programs == of_labels_.end() || programs->second.size() < 2) key->program.clear();
  }

  template <typename Key, typename Sums>
  void SettleAll(std::map<Key, Sums>* sums) const {
    std::map<Key, Sums> settled;
    for (auto& [key, value] : std::exchange(*sums, {})) {
      Key shown = key;
      Settle(&shown);
      settled[std::move(shown)].Add(value);
    }
    *sums = std::move(settled);
  }

 private:
  std::map<Label, std::set<std::string>> of_labels_;
};

template <typename Key, typename Sums>
void SettleCalls(const Programs& ranges_of, std::map<Key, Sums>* sums) {
  for (auto& [key, value] : std::exchange(*sums, {})) {
    Key shown = key;
    ranges_of.Settle(&shown.of);
    const auto [at, is_new] = sums->try_emplace(std::move(shown), value);
    if (!is_new) at->second.Add(value);
  }
}

}  // namespace

void RunFindings::NamePrograms() {
  Programs ranges_of, operators_of, modules_of, places_of;
  ranges_of.See(ranges);
  places_of.See(waits);
  places_of.See(gaps);
  places_of.See(prices);
  places_of.See(host_work);
  operators_of.See(operators);
  operators_of.SettleAll(&operators);
  modules_of.See(modules);
  modules_of.SettleAll(&modules);
  for (auto* groups : {&operator_shapes, &operator_lines}) {
    for (auto& [key, sums] : std::exchange(*groups, {})) {
      OperatorGroup shown = key;
      operators_of.Settle(&shown.of);
      (*groups)[std::move(shown)].Add(sums);
    }
  }
  SettleCalls(ranges_of, &labels);
  SettleCalls(ranges_of, &signatures);
  ranges_of.SettleAll(&ranges);
  ranges_of.SettleAll(&stages);
  ranges_of.SettleAll(&own_times);
  stage_kernels.Rename([&](RangeKey* key) { ranges_of.Settle(key); });
  for (auto& [name, part] : ranks) {
    const bool is_first = part.programs.empty();
    for (StageTime& stage : part.stages) {
      if (is_first) part.programs.insert(stage.key.program);
      ranges_of.Settle(&stage.key);
    }
  }
  places_of.SettleAll(&waits);
  places_of.SettleAll(&gaps);
  places_of.SettleAll(&prices);
  places_of.SettleAll(&host_work);
  for (LongWait& wait : longest_waits) places_of.Settle(&wait.what);
}

}  // namespace syncline
