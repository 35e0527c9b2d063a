// SPDX-License-Identifier: Apache-2.0
// The most that a process's allocators had given out between two moments, all devices together.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "inject/core/record.h"

namespace syncline {

class MemoryPeaks {
 public:
  // In any order among what has not been passed.
  void Take(const MemoryRecord& record);

  // All records up to `ticks` were taken; later ones may have been, too.
  void PassTo(uint64_t ticks);
  // Between `begin` and the moment that was passed. Nothing: unknown, or there is no allocator.
  std::optional<uint64_t> Since(uint64_t begin) const;

  uint64_t passed() const { return passed_; }
  uint64_t latest() const { return latest_; }  // of the records that were taken

 private:
  struct Change {
    uint64_t ticks;
    uint64_t allocated;  // of the device
    std::pair<uint32_t, uint32_t> device;
  };
  struct Level {
    uint64_t until;  // when the next change came
    uint64_t allocated;
  };

  void Pass(const Change& change);

  std::vector<Change> coming_;
  std::map<std::pair<uint32_t, uint32_t>, uint64_t> devices_;
  uint64_t total_ = 0;
  std::vector<Level> levels_;  // each lower than those before it: what is not may be forgotten
  uint64_t passed_ = 0;
  uint64_t latest_ = 0;
  uint64_t known_from_ = 0;
};

}  // namespace syncline
