// SPDX-License-Identifier: Apache-2.0
// A device at a time: gaps, waits, then what is told of it.
#include "analysis/device_sharing.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace syncline {
namespace {

using Spans = std::vector<CoverageGap>;

// What a gap mostly begins with comes first.
constexpr GapCause kOrderInGap[] = {GapCause::kHostWaited,    GapCause::kHostBusy,
                                    GapCause::kFirstUse,      GapCause::kCopy,
                                    GapCause::kOtherDevice,   GapCause::kHostFunction,
                                    GapCause::kLaunchLatency, GapCause::kNothingLeft};
static_assert(std::size(kOrderInGap) == kGapCauses);

// When the last one ends that begins before `ns`; 0: none does. Of joined spans.
uint64_t LastEnd(const Spans& spans, uint64_t ns) {
  const auto next = std::partition_point(
      spans.begin(), spans.end(), [ns](const CoverageGap& span) { return span.begin_ns < ns; });
  return next == spans.begin() ? 0 : std::prev(next)->end_ns;
}

void Clip(Gap* gap, uint64_t begin_ns, uint64_t shortest_ns) {
  begin_ns = std::clamp(begin_ns, gap->begin_ns, gap->end_ns);
  if (gap->end_ns - begin_ns < std::max<uint64_t>(shortest_ns, 1)) begin_ns = gap->end_ns;
  uint64_t cut = begin_ns - gap->begin_ns;
  for (const GapCause cause : kOrderInGap) {
    uint64_t& part = gap->parts_ns[static_cast<size_t>(cause)];
    const uint64_t taken = std::min(cut, part);
    part -= taken;
    cut -= taken;
  }
  gap->begin_ns = begin_ns;
  if (gap->begin_ns == gap->end_ns) gap->host_from_ns = gap->host_until_ns = 0;  // HostWorked
}

// While another process's copies ran the device copied, whatever this one's host did.
void CountCopies(Gap* gap, uint64_t copying_ns) {
  uint64_t& copy = gap->parts_ns[static_cast<size_t>(GapCause::kCopy)];
  uint64_t more = std::min(copying_ns, gap->end_ns - gap->begin_ns - copy);
  for (const GapCause cause : kOrderInGap) {
    uint64_t& part = gap->parts_ns[static_cast<size_t>(cause)];
    if (cause == GapCause::kCopy) continue;
    const uint64_t taken = std::min(more, part);
    part -= taken;
    copy += taken;
    more -= taken;
  }
}

bool AreAtOneTime(const DeviceUse& a, const DeviceUse& b) {
  return a.begin_ns < b.end_ns && b.begin_ns < a.end_ns;
}

// Of several processes on one device.
void MergeUse(const DeviceUse& from, DeviceUse* into) {
  into->processes += from.processes;
  into->begin_ns = std::min(into->begin_ns, from.begin_ns);
  into->end_ns = std::max(into->end_ns, from.end_ns);
  into->operations += from.operations;
  into->launch_delay.Add(from.launch_delay);
  into->queued_ns += from.queued_ns;
  for (size_t cause = 0; cause < kGapCauses; ++cause) into->gaps_ns[cause] += from.gaps_ns[cause];
  if (from.memory_peak_bytes <= into->memory_peak_bytes) return;
  into->memory_peak_bytes = from.memory_peak_bytes;
  into->memory_peak_at_ns = from.memory_peak_at_ns;
}

struct Member {
  size_t rank;  // in RankDevices
  DeviceWork* work;
  DeviceUse* use;
};

// One device and those who used it.
class Sharing {
 public:
  Sharing(std::vector<Member> members, uint64_t shortest_gap_ns)
      : members_(std::move(members)), shortest_gap_ns_(shortest_gap_ns) {
    for (const Member& member : members_) {
      working_.push_back(member.work->spans.Working());
      ending_.push_back(member.work->spans.EndingGaps());
    }
  }

  // Adds to *merged those that are part of another one now.
  void Settle(std::set<const DeviceUse*>* merged) {
    NoteTail();
    for (size_t i = 0; i < members_.size(); ++i) {
      ClipGaps(i);
      ClipWaits(i);
    }
    for (const std::vector<size_t>& together : UsesOfRanks()) Merge(together, merged);
  }

 private:
  using IsOther = std::function<bool(size_t)>;  // of a place in members_

  Spans JoinedOf(const std::vector<Spans>& lists, const IsOther& is_other) const {
    Spans joined;
    for (size_t i = 0; i < members_.size(); ++i) {
      if (!is_other(i)) continue;
      joined.insert(joined.end(), lists[i].begin(), lists[i].end());
      const Spans& closed = members_[i].work->closed;
      joined.insert(joined.end(), closed.begin(), closed.end());
    }
    JoinCoverageGaps(&joined);
    return joined;
  }

  void NoteTail();
  void ClipGaps(size_t of);
  void ClipWaits(size_t of);
  std::vector<std::vector<size_t>> UsesOfRanks() const;
  void Merge(const std::vector<size_t>& together, std::set<const DeviceUse*>* merged);
  void Sweep(const std::vector<size_t>& together, const Spans& closed, DeviceUse* use) const;
  void NoteOthers(const std::vector<size_t>& together, const Spans& closed, DeviceUse* use) const;

  const std::vector<Member> members_;
  const uint64_t shortest_gap_ns_;
  std::vector<Spans> working_, ending_;  // of each member
  std::set<uint64_t> ends_;              // of gaps: work of two processes may begin at one moment
  size_t last_ = 0;                      // the member after whose work nothing is left
};

// Of what is left when nothing follows, the longest.
void Sharing::NoteTail() {
  uint64_t end_ns = 0;
  for (size_t i = 0; i < members_.size(); ++i) {
    for (const Gap& gap : members_[i].work->source->findings.gaps) {
      if (gap.device != members_[i].work->device || gap.cause != GapCause::kNothingLeft ||
          gap.end_ns <= end_ns)
        continue;
      end_ns = gap.end_ns;
      last_ = i;
    }
  }
}

void Sharing::ClipGaps(size_t of) {
  const Member& member = members_[of];
  const auto is_other = [of](size_t i) { return i != of; };
  const Spans others = JoinedOf(ending_, is_other);
  Spans copies;
  for (size_t i = 0; i < members_.size(); ++i) {
    const Spans& own = members_[i].work->spans.Of(WorkKind::kCopying);
    if (is_other(i)) copies.insert(copies.end(), own.begin(), own.end());
  }
  JoinCoverageGaps(&copies);
  std::fill(std::begin(member.use->gaps_ns), std::end(member.use->gaps_ns), 0);
  for (Gap& gap : member.work->source->findings.gaps) {
    if (gap.device != member.work->device) continue;
    if (gap.cause == GapCause::kNothingLeft) {
      const uint64_t until = others.empty() ? 0 : others.back().end_ns;
      Clip(&gap, of == last_ ? until : gap.end_ns, shortest_gap_ns_);
    } else {
      Clip(&gap, LastEnd(others, gap.end_ns), shortest_gap_ns_);
      if (gap.begin_ns < gap.end_ns && !ends_.insert(gap.end_ns).second)
        Clip(&gap, gap.end_ns, shortest_gap_ns_);
      CountCopies(&gap, CoveredBy(copies, gap.begin_ns, gap.end_ns));
      const auto most = std::max_element(std::begin(gap.parts_ns), std::end(gap.parts_ns));
      if (*most != 0) gap.cause = static_cast<GapCause>(most - std::begin(gap.parts_ns));
    }
    if (!member.work->limits.Hold(gap.begin_ns, gap.end_ns)) continue;
    for (size_t cause = 0; cause < kGapCauses; ++cause)
      member.use->gaps_ns[cause] += gap.parts_ns[cause];
  }
}

void Sharing::ClipWaits(size_t of) {
  const Spans others = JoinedOf(working_, [of](size_t i) { return i != of; });
  for (Wait& wait : members_[of].work->source->findings.waits) {
    if (wait.device != members_[of].work->device || wait.gpu_idle_after_ns == kNothingFollows)
      continue;
    const auto next =
        std::partition_point(others.begin(), others.end(),
                             [&](const CoverageGap& span) { return span.end_ns <= wait.end_ns; });
    if (next == others.end()) continue;
    const uint64_t begin_ns = std::max(next->begin_ns, wait.end_ns);
    wait.gpu_idle_after_ns = std::min(wait.gpu_idle_after_ns, begin_ns - wait.end_ns);
  }
}

// Those of one rank that used the device at one time, together.
std::vector<std::vector<size_t>> Sharing::UsesOfRanks() const {
  std::vector<size_t> order(members_.size());
  for (size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(), [this](size_t a, size_t b) {
    const auto key = [this](size_t i) {
      return std::make_pair(members_[i].rank, members_[i].use->begin_ns);
    };
    return key(a) < key(b);
  });
  std::vector<std::vector<size_t>> uses;
  uint64_t until_ns = 0;
  for (const size_t i : order) {
    const bool joins = !uses.empty() && members_[uses.back()[0]].rank == members_[i].rank &&
                       members_[i].use->begin_ns < until_ns;
    if (!joins) {
      uses.emplace_back();
      until_ns = 0;
    }
    uses.back().push_back(i);
    until_ns = std::max(until_ns, members_[i].use->end_ns);
  }
  return uses;
}

void Sharing::Merge(const std::vector<size_t>& together, std::set<const DeviceUse*>* merged) {
  DeviceUse* const use = members_[together[0]].use;
  Spans closed;
  for (const size_t i : together) {
    const Spans& own = members_[i].work->closed;
    closed.insert(closed.end(), own.begin(), own.end());
    if (members_[i].use == use) continue;
    MergeUse(*members_[i].use, use);
    merged->insert(members_[i].use);
  }
  JoinCoverageGaps(&closed);
  if (together.size() > 1) Sweep(together, closed, use);
  NoteOthers(together, closed, use);
  for (const size_t i : together)
    members_[i].work->is_shared = together.size() > 1 || use->other_ranks != 0;
}

void Sharing::Sweep(const std::vector<size_t>& together, const Spans& closed,
                    DeviceUse* use) const {
  std::vector<std::pair<CoverageGap, WorkKind>> spans;
  for (size_t kind = 0; kind < kWorkKinds; ++kind) {
    for (const size_t i : together) {
      for (const CoverageGap& span : members_[i].work->spans.Of(static_cast<WorkKind>(kind)))
        spans.emplace_back(span, static_cast<WorkKind>(kind));
    }
  }
  std::stable_sort(spans.begin(), spans.end(), [](const auto& a, const auto& b) {
    return a.first.begin_ns < b.first.begin_ns;
  });
  WorkSweep sweep(closed);
  for (const auto& [span, kind] : spans) sweep.Add(span.begin_ns, span.end_ns, kind);
  sweep.FillIn(use);
}

void Sharing::NoteOthers(const std::vector<size_t>& together, const Spans& closed,
                         DeviceUse* use) const {
  const std::set<size_t> own(together.begin(), together.end());
  const Spans others = JoinedOf(working_, [&own](size_t i) { return !own.contains(i); });
  Spans worked;
  for (const size_t i : together)
    worked.insert(worked.end(), working_[i].begin(), working_[i].end());
  JoinCoverageGaps(&worked);
  uint64_t idle_ns = 0;
  for (size_t i = 1; i < worked.size(); ++i) {
    const uint64_t end_ns = worked[i].begin_ns;
    const uint64_t begin_ns = std::max(worked[i - 1].end_ns, LastEnd(others, end_ns));
    if (begin_ns < end_ns) idle_ns += end_ns - begin_ns - CoveredBy(closed, begin_ns, end_ns);
  }
  std::set<size_t> ranks;
  for (size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].rank != members_[together[0]].rank && AreAtOneTime(*members_[i].use, *use))
      ranks.insert(members_[i].rank);
  }
  use->other_ranks = ranks.size();
  use->others_ns = ranks.empty() ? 0 : use->IdleNs() - std::min(use->IdleNs(), idle_ns);
}

// Of one rank. Uses of one device have the same, for it is the device's.
void NoteBeside(const RankDevices& rank) {
  std::map<std::tuple<Source, std::string, uint32_t>, Spans> computing;
  const auto key = [](const DeviceWork& work) {
    return std::make_tuple(work.source->source, work.id, work.id.empty() ? work.device : 0);
  };
  for (const DeviceWork& work : *rank.works) {
    Spans& of_device = computing[key(work)];
    for (const WorkKind kind : {WorkKind::kKernels, WorkKind::kSets}) {
      const Spans& spans = work.spans.Of(kind);
      of_device.insert(of_device.end(), spans.begin(), spans.end());
    }
  }
  if (computing.size() < 2) return;
  for (auto& [id, spans] : computing) JoinCoverageGaps(&spans);
  for (const DeviceWork& work : *rank.works) {
    Spans others;
    for (const auto& [id, spans] : computing) {
      if (id != key(work)) others.insert(others.end(), spans.begin(), spans.end());
    }
    JoinCoverageGaps(&others);
    uint64_t& beside_ns = rank.part->devices[work.use].beside_ns;
    beside_ns = 0;
    for (const CoverageGap& span : computing[key(work)])
      beside_ns += CoveredBy(others, span.begin_ns, span.end_ns);
  }
}

}  // namespace

void ShareDevices(const std::vector<RankDevices>& ranks, uint64_t shortest_gap_ns) {
  std::map<std::pair<Source, std::string>, std::vector<Member>> devices;
  for (size_t rank = 0; rank < ranks.size(); ++rank) {
    for (DeviceWork& work : *ranks[rank].works) {
      if (!work.id.empty())
        devices[{work.source->source, work.id}].push_back(
            {rank, &work, &ranks[rank].part->devices[work.use]});
    }
  }
  for (const RankDevices& rank : ranks) NoteBeside(rank);
  std::set<const DeviceUse*> merged;
  for (auto& [id, members] : devices) {
    if (members.size() > 1) Sharing(std::move(members), shortest_gap_ns).Settle(&merged);
  }
  for (const RankDevices& rank : ranks) {
    std::vector<DeviceUse> kept;
    for (DeviceUse& use : rank.part->devices) {
      if (!merged.contains(&use)) kept.push_back(std::move(use));
    }
    rank.part->devices = std::move(kept);
  }
}

}  // namespace syncline
