// SPDX-License-Identifier: Apache-2.0
// The n-th collectives of a communicator belong together: NCCL demands one order of all its ranks.
#include "analysis/collectives.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace syncline {
namespace {

// In NCCL's words; the longest of those that begin alike first.
constexpr std::pair<std::string_view, CollectiveKind> kKinds[] = {
    {"AllGather_", CollectiveKind::kAllGather},
    {"AllReduce_", CollectiveKind::kAllReduce},
    {"ReduceScatter_", CollectiveKind::kReduceScatter},
    {"Broadcast_", CollectiveKind::kBroadcast},
    {"Reduce_", CollectiveKind::kReduce}};

// Nobody's part of these can be over before everybody's has begun. (A root's can: what it sends
// fits into buffers.)
bool AllNeedAll(CollectiveKind kind) {
  return kind != CollectiveKind::kBroadcast && kind != CollectiveKind::kReduce;
}

// One rank's collectives of one communicator.
struct Part {
  size_t rank;               // index of those given
  std::vector<size_t> done;  // indices into the rank's
};

class Communicator {
 public:
  void Add(size_t rank, size_t index) {
    if (parts_.empty() || parts_.back().rank != rank) parts_.push_back({rank, {}});
    parts_.back().done.push_back(index);
  }

  // Whether all ranks of it are there, and more than one.
  bool Complete(uint64_t id, std::span<const RankCollectives> ranks) const {
    return parts_.size() > 1 && std::all_of(parts_.begin(), parts_.end(), [&](const Part& part) {
             const auto size = ranks[part.rank].sizes.find(id);
             return size != ranks[part.rank].sizes.end() && size->second == parts_.size();
           });
  }

  void Judge(std::span<const RankCollectives> ranks,
             std::vector<std::vector<std::optional<Arrival>>>* arrivals) const {
    size_t count = SIZE_MAX;
    for (const Part& part : parts_) count = std::min(count, part.done.size());
    for (size_t n = 0; n < count; ++n) {
      if (!JudgeOne(ranks, n, arrivals)) return;
    }
  }

 private:
  // False: these are not one collective.
  bool JudgeOne(std::span<const RankCollectives> ranks, size_t n,
                std::vector<std::vector<std::optional<Arrival>>>* arrivals) const {
    const auto at = [&](const Part& part) -> const Collective& {
      return ranks[part.rank].done[part.done[n]];
    };
    uint64_t first_begin = UINT64_MAX, last_begin = 0, first_end = UINT64_MAX, error = 0;
    size_t last = 0;
    for (const Part& part : parts_) {
      const Collective& done = at(part);
      if (done.kind != at(parts_[0]).kind) return false;
      first_begin = std::min(first_begin, done.begin_ns);
      first_end = std::min(first_end, done.end_ns);
      error = std::max(error, ranks[part.rank].error_ns);
      if (done.begin_ns < last_begin) continue;
      last_begin = done.begin_ns;
      last = part.rank;
    }
    error *= 2;  // of a difference of two clocks
    if (AllNeedAll(at(parts_[0]).kind) && last_begin > first_end + error) return false;
    const bool together = last_begin - first_begin <= error;
    for (const Part& part : parts_) {
      const Collective& done = at(part);
      const uint64_t until = std::min(last_begin, done.end_ns);
      Arrival arrival{static_cast<uint32_t>(n), together ? -1 : ranks[last].rank, 0};
      if (!together && until > done.begin_ns) arrival.waited_ns = until - done.begin_ns;
      (*arrivals)[part.rank][part.done[n]] = arrival;
    }
    return true;
  }

  std::vector<Part> parts_;
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

std::vector<std::vector<std::optional<Arrival>>> FindArrivals(
    std::span<const RankCollectives> ranks) {
  std::vector<std::vector<std::optional<Arrival>>> arrivals;
  std::map<uint64_t, Communicator> communicators;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    arrivals.emplace_back(ranks[rank].done.size());
    for (size_t i = 0; i < ranks[rank].done.size(); ++i)
      communicators[ranks[rank].done[i].communicator].Add(rank, i);
  }
  for (const auto& [id, communicator] : communicators) {
    if (communicator.Complete(id, ranks)) communicator.Judge(ranks, &arrivals);
  }
  return arrivals;
}

}  // namespace syncline
