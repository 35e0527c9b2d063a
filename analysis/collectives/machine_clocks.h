// SPDX-License-Identifier: Apache-2.0
// Lays the clocks of several machines side by side, from what their ranks did together.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analysis/collectives/collectives.h"

namespace syncline {

// What one rank did for one call: of a job with a thousand ranks there are millions.
struct Part {
  const RankCollectives* rank;
  uint32_t group;  // of the rank, as given
  uint32_t place;  // in what it did

  const Collective& Done() const { return rank->done[place]; }
};
using Meeting = std::vector<Part>;

// Nobody's part of these is over before everybody's has begun. (A root's may be: what it sends fits
// into buffers.)
bool AllNeedAll(CollectiveKind kind);

// The times of a meeting's parts on one line.
struct MeetingTimes {
  std::vector<uint64_t> begin_ns;
  std::vector<uint64_t> end_ns;
  uint64_t machines_error_ns = 0;  // of the line of a part against the first machine's
};

// Of the ranks of one communicator. Within one machine the ranks' lines differ by what ClockLine
// says. Between machines, each collective in which all need all bounds the difference twice:
//  1. Nobody's part ends before everybody's has begun. Clock B is ahead of clock A by no more than
//     B's earliest end less A's latest begin, and by no less than B's latest begin less A's
//     earliest end. That is certain, and wide where the same machine always comes last.
//  2. The shortest part is that of the rank that came last, which waited for nobody: the time that
//     moving the data takes. No two parts end further apart than that. That is how rings and trees
//     work, and no promise of NCCL's.
// All collectives of ten seconds together leave a range; its middle is taken, and half of its width
// is the error. Where both kinds of bounds contradict each other, the first kind alone counts;
// where that leaves no range (a clock that was set, or drifts), nothing is said. One thread.
class MachineClocks {
 public:
  // `meetings` by sequence; those with fewer than `ranks` parts are passed by.
  void Align(const std::map<uint32_t, Meeting>& meetings, size_t ranks);
  // Empty: the clocks cannot be compared at that time.
  std::optional<MeetingTimes> TimesOf(uint32_t sequence, const Meeting& meeting) const;

  uint64_t largest_error_ns() const { return largest_error_ns_; }
  uint64_t largest_offset_ns() const { return largest_offset_ns_; }

 private:
  // How far a machine's clock is ahead of the first machine's.
  struct Bounds {
    int64_t least = INT64_MIN;
    int64_t most = INT64_MAX;

    void Narrow(int64_t new_least, int64_t new_most) {
      least = std::max(least, new_least);
      most = std::min(most, new_most);
    }
    bool Known() const { return least <= most && least != INT64_MIN; }
    uint64_t Width() const { return static_cast<uint64_t>(most) - static_cast<uint64_t>(least); }
    int64_t Middle() const { return least + static_cast<int64_t>(Width() / 2); }
    uint64_t ErrorNs() const { return Width() / 2 + 1; }
  };
  struct MachineBounds {
    Bounds certain;  // by 1.
    Bounds by_ends;  // by 2.
    Bounds Both() const;
  };
  struct Window {
    uint32_t first_sequence = 0;
    std::vector<MachineBounds> machines;
  };
  struct Span {
    int64_t latest_begin = INT64_MIN;
    int64_t earliest_end = INT64_MAX;
    int64_t latest_end = INT64_MIN;
  };

  size_t MachineOf(const RankCollectives& rank) const;
  int64_t OnMachine(const RankCollectives& rank, uint64_t ns) const;
  std::vector<Span> SpansOf(const Meeting& meeting) const;
  void Bound(const Meeting& meeting, const std::vector<Span>& spans, Window* window) const;
  void Note(const Window& window);

  std::map<std::string, size_t> machines_;  // numbers
  std::vector<int64_t> offsets_;            // of the first rank's line on each machine
  std::vector<Window> windows_;             // by first_sequence
  uint64_t largest_error_ns_ = 0;
  uint64_t largest_offset_ns_ = 0;
};

}  // namespace syncline
