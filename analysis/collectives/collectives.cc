// SPDX-License-Identifier: Apache-2.0
// The n-th calls for a communicator belong together: NCCL demands one order of all its ranks.
#include "analysis/collectives/collectives.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "analysis/collectives/machine_clocks.h"
#include "model/devices/source_facts.h"

namespace syncline {
namespace {

// A kernel's library, and what of its name tells the collective: "AllReduce_Sum_f32_RING"; null: it
// is none's.
struct KernelWords {
  const CollectiveWords* words = nullptr;
  std::string_view rest;
};

KernelWords WordsOfKernel(std::string_view name) {
  for (size_t i = 0; i < kSourceFactsCount; ++i) {
    const CollectiveWords* const words = kSourceFacts[i]->collectives;
    if (words == nullptr) continue;
    const size_t library = name.find(words->library);
    const size_t kernel = name.find(words->kernel, library);
    if (library == std::string_view::npos || kernel == std::string_view::npos) continue;
    return {words, name.substr(kernel + words->kernel.size())};
  }
  return {};
}

// A graph waits inside, so it takes longer than that of the rank that came last; what else is in it
// may take longer too, and is no waiting then.
uint64_t WaitedInGraph(const Meeting& meeting, const MeetingTimes& times, size_t part,
                       uint64_t late_ns) {
  uint64_t shortest = UINT64_MAX;
  for (size_t i = 0; i < meeting.size(); ++i)
    shortest = std::min(shortest, times.end_ns[i] - times.begin_ns[i]);
  return std::min(late_ns, times.end_ns[part] - times.begin_ns[part] - shortest);
}

// False: these are not one collective.
bool Judge(const Meeting& meeting, const MeetingTimes& times, Meetings* found) {
  const auto arrival = [found](const Part& part) -> std::optional<Arrival>& {
    return found->arrivals[part.group][part.place];
  };
  uint64_t last_begin = 0, before_last = 0, first_end = UINT64_MAX;
  uint64_t error = 2 * times.machines_error_ns;  // of a difference of two clocks
  int last = -1;
  for (size_t i = 0; i < meeting.size(); ++i) {
    if (meeting[i].Done().kind != meeting[0].Done().kind) return false;
    if (meeting[i].Done().EndIsKnown()) first_end = std::min(first_end, times.end_ns[i]);
    error = std::max(error, 2 * (times.machines_error_ns + meeting[i].rank->error_ns));
    if (times.begin_ns[i] >= last_begin) {
      before_last = last_begin;
      last_begin = times.begin_ns[i];
      last = meeting[i].rank->rank;
    } else {
      before_last = std::max(before_last, times.begin_ns[i]);
    }
  }
  const uint64_t tolerance = 2 * times.machines_error_ns;
  const bool all = AllNeedAll(meeting[0].Done().kind);
  if (all && first_end != UINT64_MAX && last_begin > first_end + tolerance) return false;
  const bool clear = last_begin - before_last > error;
  uint64_t late_ns = UINT64_MAX;
  for (size_t i = 0; i < meeting.size(); ++i) {
    // A rank that was done before the last one came did not wait for it.
    const uint64_t begin = times.begin_ns[i];
    const bool was_there =
        meeting[i].Done().EndIsKnown() ? last_begin <= times.end_ns[i] + tolerance : all;
    const bool waited = last_begin > begin + error && was_there &&
                        last_begin - begin - error <= meeting[i].Done().may_wait_ns;
    uint64_t waited_ns = waited ? last_begin - begin : 0;
    if (meeting[i].Done().kind == CollectiveKind::kInGraph)
      waited_ns = WaitedInGraph(meeting, times, i, waited_ns);
    arrival(meeting[i]) = {clear ? last : -1, waited_ns};
    if (waited_ns != 0) late_ns = std::min(late_ns, waited_ns);
  }
  for (const auto& part : meeting) {
    if (clear && part.rank->rank == last && late_ns != UINT64_MAX) arrival(part)->late_ns = late_ns;
  }
  return true;
}

class Communicator {
 public:
  // One rank behind the other. `most`: ranks there are.
  void Add(uint32_t sequence, const Part& part, size_t most) {
    Meeting& meeting = MeetingOf(sequence);
    // A meeting has one part of each rank: where their number is told, memory is taken once.
    if (meeting.empty()) {
      const auto told = part.rank->sizes.find(part.Done().communicator);
      if (told != part.rank->sizes.end()) meeting.reserve(std::min<size_t>(told->second, most));
    }
    meeting.push_back(part);
    if (ranks_.empty() || ranks_.back() != part.rank) ranks_.push_back(part.rank);
  }

  void JudgeAll(uint64_t id, bool all_ranks, Meetings* found) const {
    const std::optional<LeftOut> none = WhyNone(id, all_ranks);
    MachineClocks clocks;
    if (!none) clocks.Align(meetings_, ranks_.size());
    bool mismatch = false;
    for (const auto& [sequence, meeting] : meetings_) {
      std::optional<LeftOut> why = none;
      if (!why && meeting.size() != ranks_.size()) why = LeftOut::kKernelMissing;
      if (!why && mismatch) why = LeftOut::kMismatch;
      const std::optional<MeetingTimes> times =
          why ? std::nullopt : clocks.TimesOf(sequence, meeting);
      if (!why && !times) why = LeftOut::kClocks;
      if (!why && !Judge(meeting, *times, found)) {
        mismatch = true;
        why = LeftOut::kMismatch;
      }
      if (why) CountAll(meeting, *why, found);
    }
    found->clock_error_ns = std::max(found->clock_error_ns, clocks.largest_error_ns());
    found->largest_offset_ns = std::max(found->largest_offset_ns, clocks.largest_offset_ns());
  }

 private:
  // A rank's collectives come in their order, so the next one is mostly behind the last one.
  Meeting& MeetingOf(uint32_t sequence) {
    if (last_ != meetings_.end()) ++last_;
    if (last_ == meetings_.end() || last_->first != sequence)
      last_ = meetings_.try_emplace(sequence).first;
    return last_->second;
  }

  // Why nothing can be said of any collective of this communicator.
  std::optional<LeftOut> WhyNone(uint64_t id, bool all_ranks) const {
    uint32_t size = 0;
    for (const RankCollectives* rank : ranks_) {
      if (!rank->complete) return LeftOut::kRecordsLost;
      const auto told = rank->sizes.find(id);
      if (told != rank->sizes.end()) size = std::max(size, told->second);
    }
    if (size == 0 && all_ranks) size = static_cast<uint32_t>(ranks_.size());
    if (size == 1) return LeftOut::kAlone;
    return size == ranks_.size() ? std::nullopt : std::optional(LeftOut::kRanksMissing);
  }

  static void CountAll(const Meeting& meeting, LeftOut why, Meetings* found) {
    for (const Part& part : meeting) ++found->left_out[part.group][static_cast<size_t>(why)];
  }

  std::map<uint32_t, Meeting> meetings_;  // by sequence
  std::map<uint32_t, Meeting>::iterator last_ = meetings_.end();
  std::vector<const RankCollectives*> ranks_;
};

}  // namespace

std::optional<CollectiveKind> CollectiveOfKernel(std::string_view name) {
  const KernelWords kernel = WordsOfKernel(name);
  if (kernel.words == nullptr) return std::nullopt;
  for (const auto& [begin, kind] : kernel.words->kinds) {
    if (kernel.rest.starts_with(begin)) return kind;
  }
  return std::nullopt;
}

std::optional<LeftOut> LeftOutOfKernel(std::string_view name) {
  const KernelWords kernel = WordsOfKernel(name);
  if (kernel.words == nullptr || kernel.rest.empty() || CollectiveOfKernel(name))
    return std::nullopt;
  return kernel.rest.starts_with(kernel.words->send_receive) ? LeftOut::kSendReceive
                                                             : LeftOut::kSeveralInOne;
}

std::string_view WordOfKernel(std::string_view name) {
  const KernelWords kernel = WordsOfKernel(name);
  if (kernel.words == nullptr) return {};
  const auto end = std::find_if_not(kernel.rest.begin(), kernel.rest.end(),
                                    [](unsigned char c) { return std::isalpha(c) != 0; });
  return kernel.rest.substr(0, static_cast<size_t>(end - kernel.rest.begin()));
}

Meetings FindArrivals(std::span<const RankCollectives> ranks, bool all_ranks) {
  Meetings found;
  for (const RankCollectives& rank : ranks) {
    found.arrivals.emplace_back(rank.done.size());
    found.left_out.push_back(rank.left_out);
  }
  // Launches of graphs are numbered apart from the communicator's other collectives.
  std::map<std::pair<uint64_t, bool>, Communicator> communicators;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    for (size_t i = 0; i < ranks[rank].done.size(); ++i) {
      const Collective& done = ranks[rank].done[i];
      communicators[{done.communicator, done.kind == CollectiveKind::kInGraph}].Add(
          done.sequence, {&ranks[rank], static_cast<uint32_t>(rank), static_cast<uint32_t>(i)},
          ranks.size());
    }
  }
  // Who misses calls may have been in a communicator without a trace of it.
  const bool all_known = all_ranks && std::all_of(ranks.begin(), ranks.end(),
                                                  [](const auto& rank) { return rank.complete; });
  for (const auto& [key, communicator] : communicators)
    communicator.JudgeAll(key.first, all_known, &found);
  return found;
}

}  // namespace syncline
