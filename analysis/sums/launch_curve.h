// SPDX-License-Identifier: Apache-2.0
// What a thread launched, over time: how many operations, how long these ran, and of which kernels
// they were.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/sums/kernel_sums.h"
#include "model/findings/run_findings.h"

namespace syncline {

// One thread. Memory: 32 bytes for an operation that is kept, and as much again at most for sums of
// spells of them.
class LaunchCurve {
 public:
  static constexpr uint32_t kNoKernel = 0xffffffff;  // a copy

  struct Launch {
    uint64_t begin_ns;   // of the call
    uint64_t device_ns;  // of the operation; after Finish of all before
    uint64_t cpu_ns;     // of the call
    uint32_t kernel;     // a number; kNoKernel
    uint32_t next = 0;   // from here on nothing is taken
  };

  void Add(const Launch& launch) { launches_.push_back(launch); }
  // Of so many operations one is kept. Kernels are told if it is each.
  void Finish(size_t every);
  size_t size() const { return launches_.size(); }
  uint64_t bytes() const;

  // What was launched between two moments.
  void CountBetween(uint64_t begin_ns, uint64_t end_ns, StageWork* work);
  // By kernel, with nothing for copies.
  void TallyBetween(uint64_t begin_ns, uint64_t end_ns, KernelTally* tally);
  // The same without launches that were taken before. True: there are none.
  bool TakeBetween(uint64_t begin_ns, uint64_t end_ns, KernelTally* tally);

 private:
  // Of spells of launches one after the other, the sums by kernel.
  struct Spells {
    std::vector<uint32_t> begins{0};  // in `sums`
    std::vector<std::pair<uint32_t, LaunchSums>> sums;
  };

  void SumSpells();
  template <typename TallyOne>
  Spells SpellsOf(size_t count, size_t each, const TallyOne& tally_one) const;
  LaunchSums SumsOf(size_t launch) const;
  void TallyLaunches(size_t from, size_t to, KernelTally* tally) const;
  void TallySpells(size_t level, size_t from, size_t to, KernelTally* tally) const;
  std::pair<size_t, size_t> Places(uint64_t begin_ns, uint64_t end_ns);
  size_t Untaken(size_t launch);

  std::vector<Launch> launches_;
  size_t every_ = 1;
  size_t count_ = 0;
  uint64_t device_ns_ = 0;
  struct {
    uint64_t begin_ns = 0, end_ns = 0;
    size_t from = 0, to = 0;
  } asked_;                     // last
  std::vector<Spells> levels_;  // each of more launches than the one before
};

}  // namespace syncline
