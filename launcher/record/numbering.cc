// SPDX-License-Identifier: Apache-2.0
// Kinds of launchers, and who started whom.
#include "launcher/record/numbering.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <tuple>

namespace syncline {
namespace {

constexpr int kMostAncestors = 64;

bool IsOf(const JobMember& member, LauncherKind kind) {
  return member.rank.launcher == static_cast<uint32_t>(kind);
}

// torchrun and its kind say more than these variables, which a program may set for its child.
bool IsSetByAnybody(const JobMember& member) {
  return member.rank.rank >= 0 && member.rank.starter == 0 &&
         (IsOf(member, LauncherKind::kTorchrun) || IsOf(member, LauncherKind::kByHand));
}

class Numbering {
 public:
  explicit Numbering(std::vector<JobMember>* members) : members_(*members) {
    for (JobMember& member : members_) {
      if (member.own_pid == 0) continue;
      parent_of_[member.own_pid] = member.parent_pid;
      if (!IsOfLauncher(member)) continue;
      ranks_.emplace(member.own_pid, &member);
      const auto [known, first] = by_child_.try_emplace(member.parent_pid, &member);
      if (!first && known->second != nullptr && known->second->rank.rank != member.rank.rank)
        known->second = nullptr;
    }
  }

  void Choose() {
    std::vector<JobMember*> doubtful;
    for (JobMember& member : members_) {
      if (IsSetByAnybody(member)) doubtful.push_back(&member);
      // A launcher that says who it is has such ranks: the others are of it.
      if (member.rank.rank >= 0 && member.rank.starter != 0) return;
    }
    if (ranks_.empty() || AreRanks(doubtful)) return;
    for (JobMember* member : doubtful) {
      const JobMember* of = RankThatStarted(*member);
      member->rank.rank = -1;
      if (of != nullptr) member->rank = of->rank;
    }
  }

 private:
  static bool IsOfLauncher(const JobMember& member) {
    return member.rank.rank >= 0 && member.rank.launcher != 0 && !IsSetByAnybody(member);
  }

  // The processes with a launcher's number that it comes from, the nearest one first; it may have
  // been that one.
  std::vector<const JobMember*> StartersOf(const JobMember& member) const {
    std::vector<const JobMember*> starters;
    int pid = member.own_pid;
    for (int level = 0; level < kMostAncestors && pid > 1; ++level) {
      const auto rank = ranks_.find(pid);
      if (rank != ranks_.end()) starters.push_back(rank->second);
      const auto parent = parent_of_.find(pid);
      pid = parent != parent_of_.end() ? parent->second : 0;
    }
    return starters;
  }

  // A shell that became the child (exec) is known by the rank that its other children have.
  const JobMember* RankThatStarted(const JobMember& member) const {
    const std::vector<const JobMember*> starters = StartersOf(member);
    if (!starters.empty()) return starters.front();
    const auto child = by_child_.find(member.own_pid);
    return child != by_child_.end() ? child->second : nullptr;
  }

  bool AreRanks(const std::vector<JobMember*>& doubtful) const {
    std::map<std::tuple<int, int, int>, int> started_by;  // number -> rank of the outer launcher
    std::set<int> agents;
    for (const JobMember* member : doubtful) {
      for (const JobMember* starter : StartersOf(*member)) agents.insert(starter->own_pid);
      const JobMember* of = RankThatStarted(*member);
      if (of == nullptr) continue;
      const RankFacts& rank = member->rank;
      const int outer = of->rank.rank;
      const auto [known, first] =
          started_by.try_emplace({rank.rank, rank.world_size, rank.attempt}, outer);
      if (known->second != outer) return false;
    }
    return std::all_of(members_.begin(), members_.end(), [&](const JobMember& member) {
      return !member.recorded || !IsOfLauncher(member) || agents.contains(member.own_pid);
    });
  }

  std::vector<JobMember>& members_;
  std::map<int, int> parent_of_;              // by pid
  std::map<int, const JobMember*> ranks_;     // that a launcher numbered, by pid
  std::map<int, const JobMember*> by_child_;  // by parent's pid, one of these; null: several ranks
};

}  // namespace

void ChooseNumbers(std::vector<JobMember>* members) { Numbering(members).Choose(); }

}  // namespace syncline
