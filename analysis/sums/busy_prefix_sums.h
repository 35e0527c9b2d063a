// SPDX-License-Identifier: Apache-2.0
// How much of the time until any moment was taken by spells of something: work of a device, waits
// of a thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/devices/coverage_gaps.h"

namespace syncline {

// One thread. At most kMostSpells are kept, 24 bytes each: with more, each two neighbours become
// one which is taken evenly.
class SpellCurve {
 public:
  static constexpr size_t kMostSpells = 1 << 20;

  explicit SpellCurve(size_t most = kMostSpells) : most_(most) {}

  // In the order of begins; they may overlap. What lies in `closed`, which is joined, is left out.
  void Add(uint64_t begin_ns, uint64_t end_ns, const std::vector<CoverageGap>& closed);

  // How much is taken between two moments. Quick where it is asked for nearly in order of ends.
  uint64_t Between(uint64_t begin_ns, uint64_t end_ns);

  uint64_t bytes() const { return spells_.size() * sizeof(Spell); }
  bool empty() const { return spells_.empty(); }
  uint64_t total_ns() const { return total_ns_; }
  uint64_t begin_ns() const { return empty() ? UINT64_MAX : spells_.front().begin_ns; }
  uint64_t end_ns() const { return empty() ? 0 : spells_.back().end_ns; }
  // Up to how much an answer is off for each of its two ends.
  uint64_t error_ns() const { return error_ns_; }

 private:
  struct Spell {
    uint64_t begin_ns;
    uint64_t end_ns;
    uint64_t before_ns;  // taken before it
  };

  void AddOpen(uint64_t begin_ns, uint64_t end_ns);
  void Coarsen();
  uint64_t TakenBy(size_t spell) const {
    const bool last = spell + 1 == spells_.size();
    return (last ? total_ns_ : spells_[spell + 1].before_ns) - spells_[spell].before_ns;
  }
  // Moves *near to the first spell that begins after `ns`.
  uint64_t Until(uint64_t ns, size_t* near) const;

  const size_t most_;
  std::vector<Spell> spells_;
  uint64_t total_ns_ = 0;
  uint64_t error_ns_ = 0;
  size_t near_ = 0;         // of the last answer's end
  size_t next_closed_ = 0;  // of Add
};

}  // namespace syncline
