// SPDX-License-Identifier: Apache-2.0
// Ids by the keys of what they stand for.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace syncline::stacks {

// Remembers ids by 64-bit keys. Ids of an epoch grow. Of the keys that share a set the oldest is
// forgotten, and then recorded again under a new id.
template <size_t kSets>
class KnownIds {
 public:
  // 0: unknown.
  uint32_t Find(uint64_t key, uint32_t epoch) const {
    for (const Entry& entry : entries_[key % kSets]) {
      if (entry.key == key && entry.epoch == epoch) return entry.id;
    }
    return 0;
  }
  void Keep(uint64_t key, uint32_t epoch, uint32_t id) {
    Entry& entry = Oldest(entries_[key % kSets], epoch);
    entry.epoch = 0;  // a handler may leave this by a jump
    std::atomic_signal_fence(std::memory_order_seq_cst);
    entry.key = key;
    entry.id = id;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    entry.epoch = epoch;
  }

 private:
  static constexpr size_t kWays = 4;
  struct Entry {
    uint64_t key;
    uint32_t epoch;  // 0: empty
    uint32_t id;
  };
  // Or one of another epoch.
  static Entry& Oldest(Entry (&set)[kWays], uint32_t epoch) {
    Entry* oldest = set;
    for (Entry& entry : set) {
      if (entry.epoch != epoch) return entry;
      if (entry.id < oldest->id) oldest = &entry;
    }
    return *oldest;
  }

  Entry entries_[kSets][kWays];
};

}  // namespace syncline::stacks
