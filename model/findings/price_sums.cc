// SPDX-License-Identifier: Apache-2.0
// Sums and words.
#include "model/findings/price_sums.h"

#include <utility>

namespace syncline {

const char* ChangeName(Change change) {
  static constexpr const char* kNames[kChanges] = {
      "waits_of_line",   "waits_of_call",     "waits_of_class", "waits_of_range",
      "waits_of_caller", "waits_of_function", "allocations",    "host_work",
      "copies",          "launches",          "default_stream", "late_rank"};
  return kNames[static_cast<size_t>(change)];
}

// Of two ranks that gain the same, the one whose name comes first: the order does not matter.
void PriceSums::Add(const PriceSums& other) {
  ranks += other.ranks;
  count += other.count;
  known += other.known;
  read_backs += other.read_backs;
  read_bytes += other.read_bytes;
  sends += other.sends;
  pinned_sends += other.pinned_sends;
  removed_ns += other.removed_ns;
  gain_ns += other.gain_ns;
  if (other.worst_rank.empty()) return;
  const bool worse = other.worst_gain_ns > worst_gain_ns ||
                     (other.worst_gain_ns == worst_gain_ns && other.worst_rank < worst_rank);
  if (!worse && !worst_rank.empty()) return;
  worst_gain_ns = other.worst_gain_ns;
  worst_rank = other.worst_rank;
}

}  // namespace syncline
