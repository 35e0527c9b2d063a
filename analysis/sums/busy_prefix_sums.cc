// SPDX-License-Identifier: Apache-2.0
// Running sums.
#include "analysis/sums/busy_prefix_sums.h"

#include <algorithm>

#include "base/gallop_search.h"

namespace syncline {

void SpellCurve::Add(uint64_t begin_ns, uint64_t end_ns, const std::vector<CoverageGap>& closed) {
  while (next_closed_ < closed.size() && closed[next_closed_].end_ns <= begin_ns) ++next_closed_;
  for (size_t i = next_closed_; i < closed.size() && closed[i].begin_ns < end_ns; ++i) {
    AddOpen(begin_ns, closed[i].begin_ns);
    begin_ns = std::max(begin_ns, closed[i].end_ns);
  }
  AddOpen(begin_ns, end_ns);
}

void SpellCurve::AddOpen(uint64_t begin_ns, uint64_t end_ns) {
  if (!spells_.empty()) begin_ns = std::max(begin_ns, spells_.back().begin_ns);
  if (begin_ns >= end_ns) return;
  if (!spells_.empty() && begin_ns <= spells_.back().end_ns) {
    Spell& last = spells_.back();
    if (end_ns <= last.end_ns) return;
    total_ns_ += end_ns - last.end_ns;
    last.end_ns = end_ns;
    return;
  }
  if (spells_.size() >= most_) Coarsen();
  spells_.push_back({begin_ns, end_ns, total_ns_});
  total_ns_ += end_ns - begin_ns;
}

// The last one stays as it is: it may still grow.
void SpellCurve::Coarsen() {
  const size_t pairs = (spells_.size() - 1) / 2;
  for (size_t i = 0; i < pairs; ++i) {
    const size_t first = 2 * i;
    const uint64_t taken = TakenBy(first) + TakenBy(first + 1);
    const Spell both{spells_[first].begin_ns, spells_[first + 1].end_ns, spells_[first].before_ns};
    const uint64_t length = both.end_ns - both.begin_ns;
    error_ns_ = std::max(error_ns_, std::min(taken, length - taken));
    spells_[i] = both;
  }
  const size_t rest = 2 * pairs;
  spells_.erase(spells_.begin() + static_cast<ptrdiff_t>(pairs),
                spells_.begin() + static_cast<ptrdiff_t>(rest));
}

uint64_t SpellCurve::Until(uint64_t ns, size_t* near) const {
  *near = PlaceNear(spells_.size(), *near, [&](size_t i) { return spells_[i].begin_ns <= ns; });
  if (*near == 0) return 0;
  const Spell& spell = spells_[*near - 1];
  const uint64_t taken = TakenBy(*near - 1);
  const uint64_t length = spell.end_ns - spell.begin_ns;
  const uint64_t within = ns - spell.begin_ns;
  if (within >= length) return spell.before_ns + taken;
  if (taken == length) return spell.before_ns + within;
  const double share = static_cast<double>(within) / static_cast<double>(length);
  return spell.before_ns + static_cast<uint64_t>(share * static_cast<double>(taken));
}

uint64_t SpellCurve::Between(uint64_t begin_ns, uint64_t end_ns) {
  if (spells_.empty()) return 0;
  const uint64_t until_end = Until(end_ns, &near_);
  size_t near = near_;
  return until_end - Until(begin_ns, &near);
}

}  // namespace syncline
