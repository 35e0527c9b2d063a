// SPDX-License-Identifier: Apache-2.0
// Each range hands what lies within it to the range around it.
#include "analysis/sums/host_steps.h"

#include <algorithm>
#include <utility>

namespace syncline {
namespace {

void AddAll(const HostSteps::Costs& more, HostSteps::Costs* costs) {
  for (const auto& [name, ns] : more) (*costs)[name] += ns;
}

}  // namespace

std::vector<HostSteps::Level>& HostSteps::LevelsOf(uint64_t stream) {
  if (levels_ == nullptr || stream_ != stream) {
    levels_ = &threads_[stream];
    stream_ = stream;
  }
  return *levels_;
}

// Most ranges have none within: one addition for each.
void HostSteps::Add(uint64_t stream, uint32_t name, uint32_t depth, uint64_t begin_ns,
                    uint64_t end_ns, std::string_view step) {
  if (depth >= kDeepest) return;
  std::vector<Level>& levels = LevelsOf(stream);
  if (levels.size() < depth + size_t{2}) levels.resize(depth + size_t{2});
  Level& inner = levels[depth + 1];
  Level& level = levels[depth];
  const uint64_t length = end_ns - begin_ns;
  const uint64_t own_ns = length - std::min(length, std::exchange(inner.covered_ns, 0));
  level.covered_ns += length;
  Costs within;
  if (!inner.costs.empty()) within.swap(inner.costs);
  if (!inner.lasts.empty()) End(&inner);
  if (!step.empty()) return AddStep(&level, name, begin_ns, end_ns, step, std::move(within));
  level.costs[name] += own_ns;
  AddAll(within, &level.costs);
  for (Last& last : level.lasts) {
    last.behind[name] += own_ns;
    AddAll(within, &last.behind);
  }
}

void HostSteps::AddStep(Level* level, uint32_t name, uint64_t begin_ns, uint64_t end_ns,
                        std::string_view step, Costs within) {
  auto found = series_.find(step);
  if (found == series_.end()) found = series_.emplace(step, Series()).first;
  Series* const series = &found->second;
  Last* before = nullptr;
  for (Last& last : level->lasts) {
    if (last.series == series)
      before = &last;
    else
      last.behind[name] += end_ns - begin_ns;
  }
  level->costs[name] += end_ns - begin_ns;
  Last next{series, begin_ns, end_ns, std::move(within)};
  if (before == nullptr) {
    level->lasts.push_back(std::move(next));
    return;
  }
  Last last = std::exchange(*before, std::move(next));
  AddAll(last.behind, &last.within);
  Count(series, last.begin_ns, std::max(begin_ns, last.end_ns), std::move(last.within));
}

// The loop is over: what came behind its last step is no step's.
void HostSteps::End(Level* level) {
  for (Last& last : level->lasts)
    Count(last.series, last.begin_ns, last.end_ns, std::move(last.within));
  level->lasts.clear();
}

void HostSteps::Count(Series* series, uint64_t begin_ns, uint64_t end_ns, Costs costs) {
  AddAll(costs, &series->all);
  ++series->count;
  Kept kept{begin_ns, end_ns - begin_ns, std::move(costs)};
  std::vector<Kept>& longest = series->longest;
  if (longest.size() < kMostKept) return longest.push_back(std::move(kept));
  const auto least =
      std::min_element(longest.begin(), longest.end(),
                       [](const Kept& a, const Kept& b) { return a.duration_ns < b.duration_ns; });
  if (least->duration_ns < kept.duration_ns) *least = std::move(kept);
}

void HostSteps::Finish() {
  for (auto& [stream, levels] : threads_) {
    for (Level& level : levels) End(&level);
  }
  threads_.clear();
}

const HostSteps::Series* HostSteps::Of(const std::string& step) const {
  const auto found = series_.find(step);
  return found == series_.end() ? nullptr : &found->second;
}

}  // namespace syncline
