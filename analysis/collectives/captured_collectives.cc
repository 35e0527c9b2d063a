// SPDX-License-Identifier: Apache-2.0
// By the order in which graphs were captured, made and launched.
#include "analysis/collectives/captured_collectives.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "base/stable_sort.h"

namespace syncline {
namespace {

constexpr size_t kMostCalls = 1 << 20;

}  // namespace

void CapturedCollectives::Captured(uint64_t communicator, bool all, uint64_t begin) {
  if (captured_.size() >= kMostCalls) full_ = true;
  if (!full_) captured_.push_back({begin, communicator, all});
}

void CapturedCollectives::Instantiated(uint64_t begin) {
  if (made_.size() >= kMostCalls) full_ = true;
  if (!full_) made_.push_back(begin);
}

void CapturedCollectives::Launched(uint64_t key, uint64_t begin) {
  if (begins_.size() >= kMostCalls) full_ = true;
  if (!full_) begins_.emplace_back(key, begin);
}

void CapturedCollectives::Ran(uint64_t key, uint32_t graph, const Collective& whole) {
  if (captured_.empty()) {
    before_.try_emplace(graph, key);
    return;
  }
  if (launches_.size() >= kMostCalls) full_ = true;
  if (!full_) launches_.push_back({key, graph, whole});
}

const uint64_t* CapturedCollectives::BeginOf(uint64_t key) const {
  const auto found = std::lower_bound(begins_.begin(), begins_.end(), std::pair(key, uint64_t{0}));
  return found != begins_.end() && found->first == key ? &found->second : nullptr;
}

std::vector<CapturedCollectives::Communicator> CapturedCollectives::OfMadeGraphs(
    const std::map<uint64_t, uint32_t>& sizes) {
  std::sort(made_.begin(), made_.end());
  StableSort(&captured_, [](const Call& a, const Call& b) { return a.begin < b.begin; });
  std::vector<Communicator> made(made_.size());
  size_t next = 0;
  for (size_t graph = 0; graph < made_.size(); ++graph) {
    std::map<uint64_t, uint32_t> calls;  // by communicator
    for (; next < captured_.size() && captured_[next].begin < made_[graph]; ++next) {
      if (captured_[next].all) ++calls[captured_[next].communicator];
    }
    const auto weight = [&sizes](const auto& each) {
      const auto size = sizes.find(each.first);
      return std::make_tuple(size == sizes.end() ? 0u : size->second, each.second);
    };
    const auto most =
        std::max_element(calls.begin(), calls.end(),
                         [&weight](const auto& a, const auto& b) { return weight(a) < weight(b); });
    if (most != calls.end()) made[graph] = most->first;
  }
  return made;
}

std::map<uint32_t, CapturedCollectives::Communicator> CapturedCollectives::OfLaunchedGraphs(
    const std::vector<Communicator>& made) const {
  std::map<uint32_t, uint64_t> first;  // launch, by graph
  const auto note = [&](uint32_t graph, uint64_t key) {
    const uint64_t* const begin = BeginOf(key);
    if (begin == nullptr) return;
    const auto [known, is_new] = first.try_emplace(graph, *begin);
    if (!is_new) known->second = std::min(known->second, *begin);
  };
  for (const auto& [graph, key] : before_) note(graph, key);
  for (const Launch& launch : launches_) note(launch.graph, launch.key);
  const auto other = std::find_if(made.begin(), made.end(),
                                  [&](const Communicator& each) { return each != made[0]; });
  const auto alike = static_cast<size_t>(other - made.begin());  // so many from the first one on
  std::map<uint32_t, Communicator> of_graphs;
  size_t number = 0;
  for (const auto& [graph, begin] : first) {
    if (first.size() == made.size()) {
      of_graphs[graph] = made[number++];
      continue;
    }
    const auto before =
        static_cast<size_t>(std::lower_bound(made_.begin(), made_.end(), begin) - made_.begin());
    if (before != 0 && before <= alike) of_graphs[graph] = made[0];
  }
  return of_graphs;
}

std::vector<CapturedCollectives::Met> CapturedCollectives::Find(
    const std::map<uint64_t, uint32_t>& sizes) {
  std::vector<Met> met;
  if (captured_.empty() || full_) return met;
  std::sort(begins_.begin(), begins_.end());
  const std::map<uint32_t, Communicator> of_graphs = OfLaunchedGraphs(OfMadeGraphs(sizes));
  for (Launch& launch : launches_) {
    const uint64_t* const begin = BeginOf(launch.key);
    const auto communicator = of_graphs.find(launch.graph);
    if (begin == nullptr || communicator == of_graphs.end() || !communicator->second) continue;
    launch.whole.communicator = *communicator->second;
    launch.whole.kind = CollectiveKind::kInGraph;
    met.push_back({launch.key, *begin, launch.whole});
  }
  return met;
}

}  // namespace syncline
