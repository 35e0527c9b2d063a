// SPDX-License-Identifier: Apache-2.0
// Until when devices were at work on what a thread submitted at some time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline {

// One thread. Memory: 16 bytes for an operation, up to a number of them; beyond, each two
// neighbours are one, which ends with the later.
class SubmittedEnds {
 public:
  static constexpr size_t kMost = 1 << 20;

  explicit SubmittedEnds(size_t most = kMost) : most_(most) {}

  // In any order. `begin_ns`: of the call; `end_ns`: of the operation.
  void Add(uint64_t begin_ns, uint64_t end_ns);
  // After the last one.
  void Finish();
  // The latest end, up to `most_ns`, of what was submitted between two moments; 0: there is none.
  uint64_t LatestBetween(uint64_t begin_ns, uint64_t end_ns, uint64_t most_ns) const;

  uint64_t bytes() const { return submitted_.size() * sizeof(Submitted); }

 private:
  struct Submitted {
    uint64_t begin_ns;
    uint64_t end_ns;
  };

  const size_t most_;
  std::vector<Submitted> submitted_;
};

}  // namespace syncline
