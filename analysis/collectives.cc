// SPDX-License-Identifier: Apache-2.0
// The n-th calls for a communicator belong together: NCCL demands one order of all its ranks.
#include "analysis/collectives.h"

#include <algorithm>
#include <set>
#include <utility>

namespace syncline {
namespace {

// In NCCL's words.
constexpr std::pair<std::string_view, CollectiveKind> kKinds[] = {
    {"AllGather_", CollectiveKind::kAllGather},
    {"AllReduce_", CollectiveKind::kAllReduce},
    {"ReduceScatter_", CollectiveKind::kReduceScatter},
    {"Broadcast_", CollectiveKind::kBroadcast},
    {"Reduce_", CollectiveKind::kReduce}};

using Arrivals = std::vector<std::vector<std::optional<Arrival>>>;

// Nobody's part of these is over before everybody's has begun. (A root's may be: what it sends fits
// into buffers.)
bool AllNeedAll(CollectiveKind kind) {
  return kind != CollectiveKind::kBroadcast && kind != CollectiveKind::kReduce;
}

// What the ranks did for one call.
struct Part {
  const RankCollectives* rank;
  const Collective* done;
  std::optional<Arrival>* arrival;
};
using Meeting = std::vector<Part>;

// False: these are not one collective.
bool Judge(const Meeting& meeting) {
  uint64_t last_begin = 0, before_last = 0, first_end = UINT64_MAX, error = 0;
  int last = -1;
  for (const Part& part : meeting) {
    if (part.done->kind != meeting[0].done->kind) return false;
    first_end = std::min(first_end, part.done->end_ns);
    error = std::max(error, 2 * part.rank->error_ns);  // of a difference of two clocks
    if (part.done->begin_ns >= last_begin) {
      before_last = last_begin;
      last_begin = part.done->begin_ns;
      last = part.rank->rank;
    } else {
      before_last = std::max(before_last, part.done->begin_ns);
    }
  }
  if (AllNeedAll(meeting[0].done->kind) && last_begin > first_end) return false;
  const bool clear = last_begin - before_last > error;
  for (const Part& part : meeting) {
    // Who was done before the last one came did not wait for it.
    const bool waited = last_begin > part.done->begin_ns + error && last_begin <= part.done->end_ns;
    *part.arrival = {clear ? last : -1, waited ? last_begin - part.done->begin_ns : 0};
  }
  return true;
}

class Communicator {
 public:
  void Add(uint32_t sequence, const Part& part) {
    meetings_[sequence].push_back(part);
    ranks_.insert(part.rank);
  }

  // All ranks of it are there, and more than one.
  bool Complete(uint64_t id) const {
    return ranks_.size() > 1 &&
           std::all_of(ranks_.begin(), ranks_.end(), [&](const RankCollectives* rank) {
             const auto size = rank->sizes.find(id);
             return rank->complete && size != rank->sizes.end() && size->second == ranks_.size();
           });
  }

  void JudgeAll() const {
    for (const auto& [sequence, meeting] : meetings_) {
      if (meeting.size() == ranks_.size() && !Judge(meeting)) return;
    }
  }

 private:
  std::map<uint32_t, Meeting> meetings_;  // by sequence
  std::set<const RankCollectives*> ranks_;
};

}  // namespace

std::optional<CollectiveKind> CollectiveOfKernel(std::string_view name) {
  static constexpr std::string_view kKernel = "Kernel_";  // ncclDevKernel_, ncclSymkDevKernel_
  const size_t nccl = name.find("nccl");
  const size_t kernel = name.find(kKernel, nccl);
  if (nccl == std::string_view::npos || kernel == std::string_view::npos) return std::nullopt;
  name.remove_prefix(kernel + kKernel.size());
  for (const auto& [word, kind] : kKinds) {
    if (name.starts_with(word)) return kind;
  }
  return std::nullopt;
}

Arrivals FindArrivals(std::span<const RankCollectives> ranks) {
  Arrivals arrivals;
  for (const RankCollectives& rank : ranks) arrivals.emplace_back(rank.done.size());
  std::map<uint64_t, Communicator> communicators;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    for (size_t i = 0; i < ranks[rank].done.size(); ++i) {
      const Collective& done = ranks[rank].done[i];
      communicators[done.communicator].Add(done.sequence,
                                           {&ranks[rank], &done, &arrivals[rank][i]});
    }
  }
  for (const auto& [id, communicator] : communicators) {
    if (communicator.Complete(id)) communicator.JudgeAll();
  }
  return arrivals;
}

}  // namespace syncline
