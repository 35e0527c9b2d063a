// SPDX-License-Identifier: Apache-2.0
// The states of an event over time.
#include "tests/simulated_gpu/level_zero/event_line.h"

#include <algorithm>

namespace simgpu::level_zero {

void EventLine::Insert(const Change& change) {
  const auto behind =
      std::upper_bound(changes_.begin(), changes_.end(), change,
                       [](const Change& a, const Change& b) { return a.ns < b.ns; });
  changes_.insert(behind, change);
}

std::optional<Signal> EventLine::SignaledFrom(uint64_t ns) const {
  std::optional<Signal> holding;
  for (const Change& change : changes_) {
    if (change.ns > ns) {
      if (holding) break;
      if (change.signaled) return change.signal;
      continue;
    }
    if (change.signaled) {
      holding = change.signal;
    } else {
      holding.reset();
    }
  }
  return holding;
}

bool EventLine::SignaledAt(uint64_t ns) const {
  const std::optional<Signal> signal = SignaledFrom(ns);
  return signal && signal->ns <= ns;
}

std::optional<Signal> EventLine::TimesAt(uint64_t ns) const {
  std::optional<Signal> times = times_;
  for (const Change& change : changes_) {
    if (change.ns <= ns && change.signaled && change.signal.timed) times = change.signal;
  }
  return times;
}

void EventLine::Forget(uint64_t ns) {
  size_t past = 0;
  while (past < changes_.size() && changes_[past].ns <= ns) ++past;
  if (past < 2) return;
  times_ = TimesAt(ns);
  changes_.erase(changes_.begin(), changes_.begin() + static_cast<std::ptrdiff_t>(past - 1));
}

}  // namespace simgpu::level_zero
