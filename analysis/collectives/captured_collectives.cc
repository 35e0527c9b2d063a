// SPDX-License-Identifier: Apache-2.0
// By the order in which graphs were captured, made and launched.
#include "analysis/collectives/captured_collectives.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace syncline {
namespace {

constexpr size_t kMostCalls = 1 << 20;

}  // namespace

void CapturedCollectives::Captured(uint64_t communicator, bool all, uint64_t begin) {
  if (captured_.size() < kMostCalls) captured_.push_back({begin, communicator, all});
}

void CapturedCollectives::Launched(uint64_t key, uint64_t begin) {
  if (!empty() && begins_.size() < kMostCalls) begins_.emplace(key, begin);
}

void CapturedCollectives::Ran(uint64_t key, uint32_t graph, const Collective& whole) {
  if (!empty() && launches_.size() < kMostCalls) launches_.push_back({key, graph, whole});
}

std::vector<CapturedCollectives::Communicator> CapturedCollectives::OfMadeGraphs(
    const std::map<uint64_t, uint32_t>& sizes) {
  std::sort(made_.begin(), made_.end());
  std::sort(captured_.begin(), captured_.end(),
            [](const Call& a, const Call& b) { return a.begin < b.begin; });
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
  for (const Launch& launch : launches_) {
    const auto begin = begins_.find(launch.key);
    if (begin == begins_.end()) continue;
    const auto [known, is_new] = first.try_emplace(launch.graph, begin->second);
    if (!is_new) known->second = std::min(known->second, begin->second);
  }
  std::map<uint32_t, Communicator> of_graphs;
  size_t number = 0;
  for (const auto& [graph, begin] : first) {
    if (first.size() == made.size()) {
      of_graphs[graph] = made[number++];
      continue;
    }
    const auto before =
        static_cast<size_t>(std::lower_bound(made_.begin(), made_.end(), begin) - made_.begin());
    const bool alike =
        before != 0 && std::all_of(made.begin(), made.begin() + before,
                                   [&](const Communicator& each) { return each == made[0]; });
    if (alike) of_graphs[graph] = made[0];
  }
  return of_graphs;
}

std::vector<CapturedCollectives::Met> CapturedCollectives::Find(
    const std::map<uint64_t, uint32_t>& sizes) {
  std::vector<Met> met;
  if (empty()) return met;
  const std::map<uint32_t, Communicator> of_graphs = OfLaunchedGraphs(OfMadeGraphs(sizes));
  for (Launch& launch : launches_) {
    const auto begin = begins_.find(launch.key);
    const auto communicator = of_graphs.find(launch.graph);
    if (begin == begins_.end() || communicator == of_graphs.end() || !communicator->second)
      continue;
    launch.whole.communicator = *communicator->second;
    launch.whole.kind = CollectiveKind::kInGraph;
    met.push_back({launch.key, begin->second, launch.whole});
  }
  return met;
}

}  // namespace syncline
