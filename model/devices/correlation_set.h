// SPDX-License-Identifier: Apache-2.0
// Which correlation ids were seen.
#pragma once

#include <bitset>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>

namespace syncline {

// What all sources of a spool may take together, however many it says that it has: 200 MiB.
struct SurveyRoom {
  size_t pages = 3 << 12;  // of correlations, of 8 KiB
  size_t event_records = 1 << 22;
  size_t memory_changes = 1 << 21;
  size_t readings = 1 << 20;
};

// A set of correlation ids, which are dense: pages of 65,536, at most 2^12 of them, 32 MiB. What
// is beyond, or has no room, is not in the set.
class CorrelationSet {
 public:
  explicit CorrelationSet(std::shared_ptr<SurveyRoom> room = std::make_shared<SurveyRoom>())
      : room_(std::move(room)) {}
  void Add(uint32_t correlation);
  // How many are here and not there.
  uint64_t CountWithout(const CorrelationSet& other) const;
  bool Has(uint32_t correlation) const {
    const auto page = pages_.find(correlation / kPageBits);
    return page != pages_.end() && (*page->second)[correlation % kPageBits];
  }

 private:
  static constexpr uint32_t kPageBits = 1 << 16;
  std::shared_ptr<SurveyRoom> room_;
  std::unordered_map<uint32_t, std::unique_ptr<std::bitset<kPageBits>>> pages_;
};

}  // namespace syncline
