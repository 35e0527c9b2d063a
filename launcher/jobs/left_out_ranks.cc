// SPDX-License-Identifier: Apache-2.0
// The list of --ranks, asked again of what the processes told of themselves.
#include "launcher/jobs/left_out_ranks.h"

#include <algorithm>

#include "inject/core/options.h"
#include "inject/core/rank_list.h"
#include "launcher/host/files.h"
#include "launcher/host/shell_text.h"
#include "offline/rank_paths.h"

namespace syncline {
namespace {

const char* List() { return OptionText(OptionIndex("ranks")); }

bool IsLeftOut(const RankFacts& own_rank, const RankGroup& group) {
  if (group.rank < 0) return false;
  RankFacts facts = {group.rank, -1, -1, -1, -1, 0, -1, -1, 0, 0};
  if (own_rank.rank == group.rank) facts = own_rank;
  for (const ProcessInput& input : group.inputs) {
    if (!input.spool.empty()) return false;
    if (input.note != nullptr && input.note->facts.rank.rank == group.rank)
      facts = input.note->facts.rank;
  }
  return ChooseRank(List(), facts) == RankChoice::kLeftOut;
}

}  // namespace

std::set<int> TakeLeftOutRanks(const RankFacts& own_rank, std::vector<RankGroup>* groups) {
  std::set<int> ranks;
  if (*List() == '\0') return ranks;
  std::erase_if(*groups, [&](const RankGroup& group) {
    const bool left_out = IsLeftOut(own_rank, group);
    if (left_out) ranks.insert(group.rank);
    return left_out;
  });
  return ranks;
}

void MarkLeftOut(const std::string& directory, const std::set<int>& ranks) {
  for (const int rank : ranks)
    CreateExclusively(LeftOutPath(directory, rank), Text("--ranks ", List(), "\n"));
}

}  // namespace syncline
