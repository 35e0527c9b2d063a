// SPDX-License-Identifier: Apache-2.0
// Sums and words.
#include "model/findings/price_sums.h"

#include <algorithm>

namespace syncline {

const char* ChangeName(Change change) {
  static constexpr const char* kNames[kChanges] = {
      "waits_of_line",     "waits_of_call",  "waits_of_class", "waits_of_range", "waits_of_caller",
      "waits_of_function", "allocations",    "host_work",      "copies",         "launches",
      "host_functions",    "default_stream", "communication"};
  return kNames[static_cast<size_t>(change)];
}

void PriceSums::Add(const PriceSums& other) {
  count += other.count;
  known_ns += other.known_ns;
  read_ns += other.read_ns;
  send_ns += other.send_ns;
  read_backs += other.read_backs;
  pinned_reads += other.pinned_reads;
  read_bytes += other.read_bytes;
  sends += other.sends;
  pinned_sends += other.pinned_sends;
  sent_faster += other.sent_faster;
  removed_ns += other.removed_ns;
  gain.Add(other.gain);
  for (const auto& [rank, its] : other.of_ranks) of_ranks[rank].Add(its);
}

const std::pair<const std::string, RankGain>* PriceSums::Worst() const {
  const auto worst = std::max_element(
      of_ranks.begin(), of_ranks.end(),
      [](const auto& a, const auto& b) { return a.second.gain_ns < b.second.gain_ns; });
  return worst == of_ranks.end() ? nullptr : &*worst;
}

}  // namespace syncline
