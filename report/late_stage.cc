// SPDX-License-Identifier: Apache-2.0
// Each stage of the rank beside the same one of the others.
#include "report/late_stage.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "report/job_gain.h"

namespace syncline {
namespace {

constexpr uint64_t kLeastPart = 8;

struct Beside {
  std::vector<uint64_t> host_ns, device_ns;  // of the other ranks
};

uint64_t MedianOf(std::vector<uint64_t>* values) {
  if (values->empty()) return 0;
  const auto middle = values->begin() + static_cast<ptrdiff_t>(values->size() / 2);
  std::nth_element(values->begin(), middle, values->end());
  return *middle;
}

uint64_t Beyond(uint64_t own, uint64_t others) { return own > others ? own - others : 0; }

const StageTime* FindStage(const RankPart& part, const RangeKey& key) {
  const auto found =
      std::find_if(part.stages.begin(), part.stages.end(), [&](const StageTime& stage) {
        // Names differ most, and sooner than domains.
        return stage.key.name == key.name && stage.key == key;
      });
  return found == part.stages.end() ? nullptr : &*found;
}

}  // namespace

LateStage LateStageOf(const RunFindings& findings, const std::string& rank, uint64_t waited_ns) {
  const auto own = findings.ranks.find(rank);
  if (own == findings.ranks.end()) return {};
  std::vector<std::pair<uint64_t, const StageTime*>> stages;  // by what they are longer
  uint64_t most = 0;
  for (const StageTime& stage : own->second.stages) {
    Beside others;
    for (const auto& [name, part] : findings.ranks) {
      if (name == rank || part.rank < 0) continue;
      const StageTime* const same = FindStage(part, stage.key);
      others.host_ns.push_back(same == nullptr ? 0 : same->total_ns);
      others.device_ns.push_back(same == nullptr ? 0 : same->device_ns);
    }
    if (others.host_ns.empty()) return {};
    const uint64_t excess = std::max(Beyond(stage.total_ns, MedianOf(&others.host_ns)),
                                     Beyond(stage.device_ns, MedianOf(&others.device_ns)));
    stages.emplace_back(excess, &stage);
    most = std::max(most, excess);
  }
  uint64_t others = 0;
  for (const auto& [name, part] : findings.ranks) others += name != rank && part.rank >= 0 ? 1 : 0;
  const uint64_t least = waited_ns / std::max<uint64_t>(others, 1) / kLeastPart;
  LateStage late;
  uint64_t shortest = UINT64_MAX;
  for (const auto& [excess, stage] : stages) {
    const uint64_t length = std::max(stage->total_ns, stage->device_ns);
    if (excess == 0 || excess < least || excess < most / 2 || length >= shortest) continue;
    shortest = length;
    late = {stage->key.name, excess};
  }
  return late;
}

const std::pair<const PriceKey, PriceSums>* HostWorkOfRank(const RunFindings& findings,
                                                           const std::string& rank,
                                                           uint64_t least_ns) {
  const std::pair<const PriceKey, PriceSums>* most = nullptr;
  for (const auto& price : findings.prices) {
    const auto& [key, sums] = price;
    const auto* const worst = sums.Worst();
    const bool is_its = key.change == Change::kHostWork && worst != nullptr &&
                        worst->first == rank && !key.where.empty() && key.where != kOtherLines &&
                        IsOfOneRank(sums);
    if (!is_its || sums.removed_ns < least_ns) continue;
    if (most == nullptr || sums.gain.gain_ns > most->second.gain.gain_ns) most = &price;
  }
  return most;
}

std::string LineOfRankAlone(const RunFindings& findings, const std::string& rank,
                            uint64_t least_ns) {
  std::string line;
  uint64_t most_ns = 0;
  for (const auto& [key, sums] : findings.prices) {
    const bool is_its = key.change == Change::kWaitsOfLine && sums.of_ranks.size() == 1 &&
                        sums.of_ranks.begin()->first == rank && !key.where.empty() &&
                        key.where != kOtherLines;
    if (!is_its || sums.removed_ns < least_ns || sums.removed_ns <= most_ns) continue;
    most_ns = sums.removed_ns;
    line = key.where;
  }
  return line;
}

}  // namespace syncline
