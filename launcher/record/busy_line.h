// SPDX-License-Identifier: Apache-2.0
// When some device of a process was busy, of operations as they come. Bounded: the newest stretches
// as they are, older ones ever coarser, so that what is asked for up to now is right to half a
// percent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline {

class BusyLine {
 public:
  void Add(uint64_t begin, uint64_t end);

  // How long it was busy between the two.
  uint64_t Within(uint64_t begin, uint64_t end) const;

  // An operation came so late that a part of it may be missing before this; 0: none did.
  uint64_t spoiled_until() const { return spoiled_until_; }

 private:
  static constexpr size_t kMost = 8192;
  struct Stretch {
    uint64_t begin;
    uint64_t end;
    uint64_t busy;  // as long as it is, unless it is a coarse one
  };

  void Coarsen();

  std::vector<Stretch> stretches_;  // by begin, apart from each other
  uint64_t exact_from_ = 0;
  uint64_t spoiled_until_ = 0;
};

}  // namespace syncline
