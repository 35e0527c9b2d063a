// SPDX-License-Identifier: Apache-2.0
// Bounds of differences, narrowed by one collective after the other.
#include "analysis/collectives/machine_clocks.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr int64_t kWindowNs = 10'000'000'000;

// Without overflow, whatever a damaged file says.
int64_t Difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}

}  // namespace

bool AllNeedAll(CollectiveKind kind) {
  return kind != CollectiveKind::kBroadcast && kind != CollectiveKind::kReduce &&
         kind != CollectiveKind::kGather && kind != CollectiveKind::kScatter;
}

size_t MachineClocks::MachineOf(const RankCollectives& rank) const {
  return machines_.size() == 1 ? 0 : machines_.at(rank.clock.machine);
}

int64_t MachineClocks::OnMachine(const RankCollectives& rank, uint64_t ns) const {
  return Difference(static_cast<int64_t>(ns),
                    Difference(rank.clock.offset_ns, offsets_[MachineOf(rank)]));
}

std::vector<MachineClocks::Span> MachineClocks::SpansOf(const Meeting& meeting) const {
  std::vector<Span> spans(machines_.size());
  for (const Part& part : meeting) {
    Span& span = spans[MachineOf(*part.rank)];
    span.latest_begin = std::max(span.latest_begin, OnMachine(*part.rank, part.Done().begin_ns));
    const int64_t end = OnMachine(*part.rank, part.Done().end_ns);
    span.earliest_end = std::min(span.earliest_end, end);
    span.latest_end = std::max(span.latest_end, end);
  }
  return spans;
}

void MachineClocks::Bound(const Meeting& meeting, const std::vector<Span>& spans,
                          Window* window) const {
  const bool whole = std::all_of(meeting.begin(), meeting.end(), [&](const Part& part) {
    return part.Done().kind == meeting[0].Done().kind && part.Done().EndIsKnown();
  });
  if (!whole || !AllNeedAll(meeting[0].Done().kind)) return;
  uint64_t shortest = UINT64_MAX;
  for (const Part& part : meeting)
    shortest = std::min(shortest, part.Done().end_ns - part.Done().begin_ns);
  const auto moving = static_cast<int64_t>(shortest);
  const Span& first = spans[0];
  for (size_t machine = 1; machine < spans.size(); ++machine) {
    const Span& span = spans[machine];
    MachineBounds& bounds = window->machines[machine];
    bounds.certain.Narrow(Difference(span.latest_begin, first.earliest_end),
                          Difference(span.earliest_end, first.latest_begin));
    if (meeting[0].Done().kind == CollectiveKind::kInGraph) continue;  // more is behind them there
    bounds.by_ends.Narrow(Difference(Difference(span.latest_end, first.earliest_end), moving),
                          Difference(Difference(span.earliest_end, first.latest_end), -moving));
  }
}

MachineClocks::Bounds MachineClocks::MachineBounds::Both() const {
  Bounds both = certain;
  both.Narrow(by_ends.least, by_ends.most);
  return both.Known() ? both : certain;
}

void MachineClocks::Align(const std::map<uint32_t, Meeting>& meetings, size_t ranks) {
  for (const auto& [sequence, meeting] : meetings) {
    for (const Part& part : meeting) {
      if (machines_.try_emplace(part.rank->clock.machine, machines_.size()).second)
        offsets_.push_back(part.rank->clock.offset_ns);
    }
  }
  if (machines_.size() < 2) return;
  int64_t window_begin = 0;
  for (const auto& [sequence, meeting] : meetings) {
    if (meeting.size() != ranks) continue;
    const std::vector<Span> spans = SpansOf(meeting);
    if (windows_.empty() || Difference(spans[0].latest_begin, window_begin) > kWindowNs) {
      windows_.push_back({sequence, std::vector<MachineBounds>(machines_.size())});
      window_begin = spans[0].latest_begin;
    }
    Bound(meeting, spans, &windows_.back());
  }
  for (const Window& window : windows_) Note(window);
}

void MachineClocks::Note(const Window& window) {
  for (size_t machine = 1; machine < window.machines.size(); ++machine) {
    const Bounds bounds = window.machines[machine].Both();
    if (!bounds.Known()) continue;
    largest_error_ns_ = std::max(largest_error_ns_, bounds.ErrorNs());
    const auto ahead = static_cast<uint64_t>(bounds.Middle());
    largest_offset_ns_ = std::max(largest_offset_ns_, bounds.Middle() < 0 ? 0 - ahead : ahead);
  }
}

std::optional<MeetingTimes> MachineClocks::TimesOf(uint32_t sequence,
                                                   const Meeting& meeting) const {
  const Window* window = nullptr;
  if (machines_.size() > 1) {
    const auto after =
        std::upper_bound(windows_.begin(), windows_.end(), sequence,
                         [](uint32_t a, const Window& b) { return a < b.first_sequence; });
    if (after == windows_.begin()) return std::nullopt;
    window = &*(after - 1);
  }
  MeetingTimes times;
  times.begin_ns.reserve(meeting.size());
  times.end_ns.reserve(meeting.size());
  for (const Part& part : meeting) {
    const size_t machine = MachineOf(*part.rank);
    int64_t ahead = 0;
    if (machine != 0) {
      const Bounds bounds = window->machines[machine].Both();
      if (!bounds.Known()) return std::nullopt;
      ahead = bounds.Middle();
      times.machines_error_ns = std::max(times.machines_error_ns, bounds.ErrorNs());
    }
    times.begin_ns.push_back(
        static_cast<uint64_t>(Difference(OnMachine(*part.rank, part.Done().begin_ns), ahead)));
    times.end_ns.push_back(
        static_cast<uint64_t>(Difference(OnMachine(*part.rank, part.Done().end_ns), ahead)));
  }
  return times;
}

}  // namespace syncline
