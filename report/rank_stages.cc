// SPDX-License-Identifier: Apache-2.0
// Each stage of each rank against the middle one of the others.
#include "report/rank_stages.h"

#include <algorithm>
#include <set>
#include <utility>

#include "base/stable_sort.h"
#include "base/text.h"
#include "model/run/losses.h"
#include "report/words.h"

namespace syncline {
namespace {

constexpr size_t kMostRows = 10'000;
constexpr size_t kMostRangeShares = 3;
constexpr double kLeastRangeShare = 0.01;
constexpr uint64_t kLeastEarlier = 100;  // a hundredth of its time

// A hundredth: less makes no difference between ranks.
bool LostRanges(const RankPart& part) {
  uint64_t lost = 0;
  for (const auto& [name, count] : part.losses) {
    const LossFacts* const facts = FindLoss(name);
    const bool of_devices = facts != nullptr && facts->of == LossOf::kDevices;
    if (name != kNoEnd && !of_devices) lost += count;
  }
  return lost * 100 > part.ranges;
}

bool IsComplete(const RankOfRun& rank) {
  const auto& [name, part] = rank;
  return part.complete && part.rank >= 0 && name == Text("rank-", part.rank) && !LostRanges(part);
}

// If all were ended together, none did less for that.
void LeaveLast(std::vector<const RankOfRun*>* ranks) {
  uint64_t last_ns = 0, longest_ns = 0;
  for (const RankOfRun* rank : *ranks) {
    const RankPart& part = rank->second;
    last_ns = std::max(last_ns, part.end_ns);
    longest_ns = std::max(longest_ns, part.end_ns - std::min(part.begin_ns, part.end_ns));
  }
  std::erase_if(*ranks, [&](const RankOfRun* rank) {
    return last_ns - rank->second.end_ns > longest_ns / kLeastEarlier;
  });
}

// Ranks that have a program in common do the same; of other ones the times say nothing together.
std::vector<std::vector<const RankOfRun*>> ByProgram(const std::vector<const RankOfRun*>& ranks) {
  struct Group {
    std::set<std::string> programs;
    std::vector<const RankOfRun*> ranks;
  };
  std::vector<Group> groups;
  for (const RankOfRun* rank : ranks) {
    Group whole{rank->second.programs, {}};
    std::erase_if(groups, [&](Group& group) {
      const bool is_same = whole.programs.empty() || group.programs.empty() ||
                           std::any_of(group.programs.begin(), group.programs.end(),
                                       [&](const std::string& program) {
                                         return rank->second.programs.contains(program);
                                       });
      if (!is_same) return false;
      whole.programs.merge(group.programs);
      whole.ranks.insert(whole.ranks.end(), group.ranks.begin(), group.ranks.end());
      return true;
    });
    whole.ranks.push_back(rank);
    groups.push_back(std::move(whole));
  }
  std::vector<std::vector<const RankOfRun*>> of_programs;
  for (Group& group : groups) of_programs.push_back(std::move(group.ranks));
  return of_programs;
}

}  // namespace

std::vector<std::vector<const RankOfRun*>> ComparableRanks(const RunFindings& findings) {
  std::vector<const RankOfRun*> ranks, ended_early;
  for (const RankOfRun& rank : findings.ranks) {
    const bool early = !rank.second.endings.empty() || rank.second.losses.contains(kNoEnd);
    if (IsComplete(rank)) (early ? ended_early : ranks).push_back(&rank);
  }
  LeaveLast(&ended_early);
  if (ranks.empty()) ranks = std::move(ended_early);
  StableSort(&ranks, [](const RankOfRun* a, const RankOfRun* b) {
    return a->second.rank < b->second.rank;
  });
  return ByProgram(ranks);
}

StagesOfRanks StagesSideBySide(const std::vector<const RankOfRun*>& ranks) {
  StagesOfRanks stages;
  for (size_t i = 0; i < ranks.size(); ++i) {
    for (const StageTime& stage : ranks[i]->second.stages) {
      std::vector<const StageTime*>& of = stages[stage.key];
      of.resize(ranks.size(), nullptr);
      of[i] = &stage;
    }
  }
  return stages;
}

uint64_t MedianOfOthers(const std::vector<uint64_t>& sorted, uint64_t own) {
  if (sorted.size() < 2) return 0;
  const size_t middle = (sorted.size() - 1) / 2;
  return sorted[sorted[middle] < own ? middle : middle + 1];
}

void AddRankStages(const RunFindings& findings, Report* report) {
  std::vector<const RankOfRun*> ranks;
  for (const RankOfRun& rank : findings.ranks) {
    if (rank.second.rank >= 0) ranks.push_back(&rank);
  }
  if (ranks.size() < 2) return;
  StableSort(&ranks, [](const RankOfRun* a, const RankOfRun* b) {
    return a->second.rank < b->second.rank;
  });
  struct Whole {
    uint64_t total_ns = 0;
    const std::vector<const StageTime*>* of = nullptr;
  };
  const StagesOfRanks stages = StagesSideBySide(ranks);
  std::vector<Whole> costliest;
  for (const auto& [key, of] : stages) {
    Whole whole{0, &of};
    for (const StageTime* stage : of) whole.total_ns += stage == nullptr ? 0 : stage->total_ns;
    costliest.push_back(whole);
  }
  StableSort(&costliest, [](const Whole& a, const Whole& b) { return a.total_ns > b.total_ns; });
  for (const Whole& whole : costliest) {
    std::vector<uint64_t> totals;
    for (const StageTime* stage : *whole.of)
      totals.push_back(stage == nullptr ? 0 : stage->total_ns);
    std::sort(totals.begin(), totals.end());
    for (size_t i = 0; i < ranks.size(); ++i) {
      const StageTime* const stage = (*whole.of)[i];
      if (stage == nullptr) continue;
      ++report->rank_stages_of;
      if (report->rank_stages.size() >= kMostRows) continue;
      const uint64_t others = MedianOfOthers(totals, stage->total_ns);
      report->rank_stages.push_back(
          {ranks[i]->first, *stage, stage->total_ns - std::min(stage->total_ns, others)});
    }
  }
}

void AddRangeShares(const RunFindings& findings, Report* report) {
  std::map<RangeKey, double> own;
  double whole = 0;
  for (const auto& [name, part] : findings.ranks) {
    for (const StageTime& stage : part.stages) {
      if (stage.key.name == kTrainingForward) return;  // a time that no range has would be missing
      own[stage.key] += static_cast<double>(stage.own_ns);
      whole += static_cast<double>(stage.own_ns);
    }
  }
  std::vector<std::pair<std::string, double>>& shares = report->range_shares;
  for (const auto& [key, ns] : own) {
    if (ns > whole * kLeastRangeShare)
      shares.emplace_back(key.name + OfProgram(key.program), ns / whole);
  }
  StableSort(&shares, [](const auto& a, const auto& b) { return a.second > b.second; });
  if (shares.size() > kMostRangeShares) shares.resize(kMostRangeShares);
}

}  // namespace syncline
