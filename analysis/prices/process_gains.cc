// SPDX-License-Identifier: Apache-2.0
// Groups of processes that work at the same time, and when the last of each would have ended.
#include "analysis/prices/process_gains.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "base/stable_sort.h"
#include "model/devices/coverage_gaps.h"

namespace syncline {
namespace {

constexpr uint64_t kLeastAwaited = 100;  // a hundredth of a process's time: it depends on others

bool IsAwaiting(const PriceKey& key) {
  const bool is_wait = key.change == Change::kWaitsOfClass;
  return key.span == HostSpan::kAwaits || (is_wait && key.wait_class == WaitClass::kPeer);
}

uint64_t Less(uint64_t ns, uint64_t by_ns) { return ns - std::min(ns, by_ns); }

}  // namespace

void ProcessGains::Add(int32_t pid, const ReplayedTime& time,
                       const std::map<PriceKey, PriceSums>& prices,
                       std::vector<uint64_t> joint_ns) {
  Process process{pid, time, std::move(joint_ns)};
  for (const auto& [key, sums] : prices) {
    gains_[key].emplace_back(processes_.size(), sums.gain);
    process.awaits = process.awaits || (IsAwaiting(key) && sums.removed_ns * kLeastAwaited >=
                                                               time.end_ns - time.begin_ns);
  }
  processes_.push_back(std::move(process));
}

void ProcessGains::FindGroups() {
  std::vector<size_t> order(processes_.size());
  std::iota(order.begin(), order.end(), size_t{0});
  StableSort(&order, [this](size_t a, size_t b) {
    return processes_[a].time.begin_ns < processes_[b].time.begin_ns;
  });
  groups_.clear();
  for (const size_t i : order) {
    Process& process = processes_[i];
    const ReplayedTime& time = process.time;
    if (groups_.empty() || time.begin_ns >= groups_.back().end_ns)
      groups_.push_back({time.begin_ns, time.end_ns, false, {}});
    Group& group = groups_.back();
    const bool is_known =
        std::any_of(group.processes.begin(), group.processes.end(),
                    [&](size_t other) { return processes_[other].pid == process.pid; });
    group.end_ns = std::max(group.end_ns, time.end_ns);
    group.depend = group.depend || is_known || (process.awaits && !group.processes.empty());
    for (const size_t other : group.processes)
      group.depend = group.depend || processes_[other].awaits;
    process.group = groups_.size() - 1;
    group.processes.push_back(i);
  }
}

uint64_t ProcessGains::OfRank(const Gains& gains) const {
  std::set<size_t> changed;
  for (const auto& [process, ns] : gains) changed.insert(processes_[process].group);
  uint64_t sum_ns = 0;
  for (const size_t number : changed) {
    const Group& group = groups_[number];
    uint64_t end_ns = group.begin_ns, most_ns = 0;
    for (const size_t process : group.processes) {
      const auto its = gains.find(process);
      const ReplayedTime& time = processes_[process].time;
      const uint64_t ns =
          its == gains.end() ? 0 : std::min(its->second, time.end_ns - time.counts_ns);
      end_ns = std::max(end_ns, time.end_ns - ns);
      most_ns = std::max(most_ns, ns);
    }
    sum_ns += group.depend ? most_ns : group.end_ns - end_ns;
  }
  return sum_ns;
}

uint64_t ProcessGains::OfRank(const OfProcesses& of, uint64_t RankGain::*gain) const {
  Gains gains;
  for (const auto& [process, its] : of) gains[process] += its.*gain;
  return OfRank(gains);
}

// What a process did not try together with others counts as the best of them.
uint64_t ProcessGains::Together(const std::vector<Candidate>& changes, size_t set) const {
  Gains gains;
  std::map<size_t, uint32_t> joint;
  for (size_t i = 0; i < changes.size(); ++i) {
    if ((set >> i & 1) == 0) continue;
    for (const auto& [process, its] : *changes[i].of) {
      gains[process] = std::max(gains[process], its.gain_ns);
      joint[process] |= its.joint;
    }
  }
  for (auto& [process, ns] : gains) {
    const std::vector<uint64_t>& joint_ns = processes_[process].joint_ns;
    if (joint[process] < joint_ns.size()) ns = std::max(ns, joint_ns[joint[process]]);
  }
  return OfRank(gains);
}

std::vector<ProcessGains::Candidate> ProcessGains::Largest() const {
  std::map<std::vector<std::pair<size_t, uint32_t>>, Candidate> changes;
  for (const auto& [key, of] : gains_) {
    std::vector<std::pair<size_t, uint32_t>> items;
    for (const auto& [process, gain] : of) {
      if (gain.joint != 0) items.emplace_back(process, gain.joint);
    }
    if (items.empty()) continue;
    Candidate& change = changes[items];
    change.keys.push_back(&key);
    change.of = &of;
    change.gain_ns = OfRank(of, &RankGain::gain_ns);
  }
  std::vector<Candidate> largest;
  for (auto& [items, change] : changes) largest.push_back(std::move(change));
  // Of those that bring nothing by themselves, too: with others they may.
  const auto own_ns = [](const Candidate& change) {
    uint64_t sum_ns = 0;
    for (const auto& [process, gain] : *change.of) sum_ns += gain.gain_ns;
    return sum_ns;
  };
  StableSort(&largest, [&](const Candidate& a, const Candidate& b) {
    return std::pair(a.gain_ns, own_ns(a)) > std::pair(b.gain_ns, own_ns(b));
  });
  if (largest.size() > kMostJoint) largest.resize(kMostJoint);
  return largest;
}

void ProcessGains::Settle(std::map<PriceKey, PriceSums>* prices, std::vector<uint64_t>* joint_ns) {
  if (processes_.size() == 1) *joint_ns = processes_[0].joint_ns;
  if (processes_.size() < 2) return;
  FindGroups();
  for (const auto& [key, of] : gains_) {
    RankGain& gain = (*prices)[key].gain;
    gain = {OfRank(of, &RankGain::gain_ns), OfRank(of, &RankGain::ahead_ns), 0};
  }
  const std::vector<Candidate> changes = Largest();
  joint_ns->assign(size_t{1} << changes.size(), 0);
  for (size_t set = 1; set < joint_ns->size(); ++set) (*joint_ns)[set] = Together(changes, set);
  for (size_t i = 0; i < changes.size(); ++i) {
    for (const PriceKey* key : changes[i].keys) (*prices)[*key].gain.joint |= uint32_t{1} << i;
  }
}

uint64_t ProcessGains::TogetherNs() const {
  if (processes_.size() < 2) return 0;
  uint64_t together_ns = 0, of_ns = 0, seen_ns = 0;
  std::vector<CoverageGap> spans;
  for (const Process& process : processes_) {
    const ReplayedTime& time = process.time;
    spans.push_back({time.counts_ns, time.end_ns});
    of_ns += time.end_ns - time.counts_ns;
    seen_ns += Less(time.end_ns - time.counts_ns, time.unseen_ns);
  }
  JoinCoverageGaps(&spans);
  for (const CoverageGap& span : spans) together_ns += span.end_ns - span.begin_ns;
  if (of_ns == 0) return 0;
  return static_cast<uint64_t>(static_cast<double>(together_ns) * static_cast<double>(seen_ns) /
                               static_cast<double>(of_ns));
}

}  // namespace syncline
