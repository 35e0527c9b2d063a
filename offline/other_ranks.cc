// SPDX-License-Identifier: Apache-2.0
// Files in run/, looked for by name.
#include "offline/other_ranks.h"

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <utility>

#include "base/text.h"
#include "inject/core/options.h"
#include "inject/core/rank_list.h"
#include "offline/rank_paths.h"
#include "writers/findings/findings_file.h"

namespace syncline {
namespace {

constexpr long kPollMs = 10;

bool Exists(const std::string& path) {
  std::error_code error;
  return std::filesystem::exists(std::filesystem::symlink_status(path, error));
}

}  // namespace

bool IsLeftOut(const std::string& directory, int rank) {
  const char* const list = OptionText(OptionIndex("ranks"));
  return (*list != '\0' &&
          ChooseRank(list, {rank, -1, -1, -1, -1, 0, -1, -1, 0, 0}) == RankChoice::kLeftOut) ||
         Exists(LeftOutPath(directory, rank));
}

void OtherRanks::Offer(const std::string& name, const RankPart& part) {
  offered_.emplace_back(name, &part);
  if (part.rank < 0) return;
  world_size_ = std::max(world_size_, part.world_size);
  if (std::find(known_.begin(), known_.end(), part.rank) == known_.end())
    known_.push_back(part.rank);
}

std::vector<int> OtherRanks::Missing() const {
  std::vector<int> missing;
  for (int rank = 0; rank < world_size_; ++rank) {
    if (std::find(known_.begin(), known_.end(), rank) == known_.end() &&
        !IsLeftOut(directory_, rank))
      missing.push_back(rank);
  }
  return missing;
}

void OtherRanks::Gather(int wait_ms, const std::function<bool()>& stopped) {
  const bool met_others =
      std::any_of(offered_.begin(), offered_.end(), [this](const auto& offered) {
        const std::map<uint64_t, uint32_t>& sizes = offered.second->collectives.sizes;
        return !offered.second->collectives.done.empty() &&
               (sizes.empty() || std::any_of(sizes.begin(), sizes.end(), [this](const auto& size) {
                  return size.second > known_.size();
                }));
      });
  if (!met_others || world_size_ > kMostRanks) return;
  for (const auto& [name, part] : offered_) {
    RunFindings findings;
    findings.ranks[name] = *part;
    (void)WriteFindings(FindingsPath(directory_, name), findings);
  }
  std::vector<int> missing = Missing();
  for (int waited = 0; !missing.empty() && !stopped(); waited += kPollMs) {
    std::erase_if(missing, [this](int rank) {
      const std::string name = Text("rank-", rank);
      RunFindings findings;
      if (IsLeftOut(directory_, rank)) return true;
      if (!Exists(FindingsPath(directory_, name)) ||
          !ReadFindings(FindingsPath(directory_, name), &findings).ok() ||
          !findings.ranks.contains(name))
        return false;
      found_.push_back(std::move(findings.ranks[name].collectives));
      known_.push_back(rank);
      return true;
    });
    if (missing.empty() || waited >= wait_ms) break;
    constexpr timespec kStep = {0, kPollMs * 1'000'000};
    nanosleep(&kStep, nullptr);
  }
}

}  // namespace syncline
