// SPDX-License-Identifier: Apache-2.0
// Plays a part of a process's life again with one thing changed: when would it have ended?
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/prices/replay_graph.h"
#include "model/findings/price_sums.h"

namespace syncline {

// Which of the things of one kind are changed, by their numbers; those beyond its end are not.
using ItemSet = std::vector<bool>;
inline bool Has(const ItemSet& set, uint32_t item) { return item < set.size() && set[item]; }

// What is changed, all at once.
struct Scenario {
  ItemSet waits;           // in Findings::waits: the host does not wait; what they send is pinned
  ItemSet allocations;     // in ReplayGraph::allocations: the call is not made
  ItemSet gaps;            // in Findings::gaps: the host's work before their end takes no time ...
  bool ahead = false;      // ... or one other thread does it beforehand
  ItemSet functions;       // in Findings::host_functions: they take no time in their streams
  ItemSet communications;  // in ReplayGraph: what is communicated so keeps nothing waiting
  bool copies = false;     // of the whole process, as the changes of these names
  bool launches = false;
  bool default_stream = false;

  void Join(const Scenario& more);
  bool operator==(const Scenario&) const = default;
};

// What a replay tells.
struct Replayed {
  uint64_t end_ns = 0;      // of the last operation, as recorded: what the host does then is over
  uint64_t new_end_ns = 0;  // with the change
  int64_t before_ns = 0;    // so much of the gain was there when the steps began
  int64_t gain_ns() const { return static_cast<int64_t>(end_ns - new_end_ns) - before_ns; }
};

// With a scenario no other rank comes late to a collective: one that changes nothing tells how long
// this rank waited for others.
//
// The host's work between two points takes as long as it took. An operation begins when its call
// was made and what it stands behind has ended, and takes as long as it took. A wait ends when what
// it waits for ends, and the host goes on after as long as it took to go on. Without a scenario the
// end is the recorded one. Buffers are kept for the next replay. One thread.
class Replay {
 public:
  // `steps_ns`: when the first step began; what is gained before does not count. 0: all counts.
  Replayed Run(const ReplayWindow& window, const Scenario* scenario, uint64_t steps_ns = 0);

  // Makes the window what it would have been had recording a call not taken its thread `call_ns`
  // longer, from `from_ns` on. So much earlier its operations end. (recording_cost.cc)
  uint64_t TakeOutCost(uint64_t call_ns, uint64_t from_ns, ReplayWindow* window);

 private:
  struct Clock {
    int64_t ahead_ns = 0;        // earlier than recorded
    uint64_t busy_until_ns = 0;  // end of its last point, as recorded
    const ReplayPoint* last = nullptr;
    uint64_t removed_until_ns = 0;  // end of what was taken out before; 0: nothing was
    bool submits = false;
  };

  struct HostCost {
    int64_t before_ns = 0;
    int64_t within_ns = 0;
  };

  void Begin(const ReplayWindow& window);
  HostCost CostOf(const ReplayPoint& point, uint64_t call_ns, uint64_t from_ns);
  void TakeOutWork(Clock* clock, uint64_t from_ns, uint64_t to_ns, bool ahead);
  void Submit(const ReplayPoint& point, const Scenario* scenario);
  void Wait(const ReplayPoint& point, bool removed);
  int64_t DurationOf(const ReplayOp& op, const Scenario* scenario, bool is_pinned) const;
  void Place(uint32_t index, int64_t host_ns, const Scenario* scenario, bool is_pinned);
  void PlaceBeside(uint32_t index, int64_t host_ns, int64_t duration);
  void PlaceHidden(uint32_t index, int64_t ready, int64_t duration);
  int64_t EndOfAwaited(const ReplayPoint& point) const;
  void Note(uint32_t index, int64_t end_ns);
  int64_t GainBefore(const Clock& clock, uint64_t at_ns) const;

  const ReplayWindow* window_ = nullptr;
  std::vector<int64_t> begins_, ends_;  // by op
  std::vector<int64_t> stream_ends_;
  struct Context {
    int64_t all = 0, default_stream = 0, gathered = 0;
    int64_t copies_in = 0, copies_out = 0;  // queues of their own
  };
  std::vector<Context> contexts_;
  std::vector<Clock> clocks_;
  int64_t communicated_ns_ = 0;  // end of what keeps nothing waiting, one after the other
  int64_t worker_ns_ = 0;        // the thread that prepares the host's work beforehand is free then
  bool worker_works_ = false;    // it has begun
  int64_t last_ns_ = 0;          // end of all that was submitted so far
  int64_t recorded_ns_ = 0;      // ... as recorded
};

}  // namespace syncline
