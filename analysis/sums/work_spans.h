// SPDX-License-Identifier: Apache-2.0
// When a process's work was under way on one device, kept until it is known who else used that.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "analysis/sums/work_sweep.h"
#include "model/devices/coverage_gaps.h"

namespace syncline {

// One thread. Memory: 16 bytes a span, at most `most` spans of a kind: with more, what lies close
// together becomes one.
class WorkSpans {
 public:
  explicit WorkSpans(size_t most) : most_(most) {}

  // In the order of begins.
  void Add(uint64_t begin_ns, uint64_t end_ns, WorkKind kind);

  // Joined.
  const std::vector<CoverageGap>& Of(WorkKind kind) const {
    return lists_[static_cast<size_t>(kind)].spans;
  }
  // When anything ran, joined.
  std::vector<CoverageGap> Working() const;
  // When the device computed, or did what ends its last gaps (FindGaps): copies behind the last
  // of that. Joined.
  std::vector<CoverageGap> EndingGaps() const;
  // Pauses up to so long may be missing. 0: none.
  uint64_t error_ns() const;

 private:
  struct List {
    std::vector<CoverageGap> spans;
    uint64_t pause_ns = 0;  // shorter ones are none
  };
  static void Coarsen(List* list);

  const size_t most_;
  std::array<List, kWorkKinds> lists_;
};

}  // namespace syncline
