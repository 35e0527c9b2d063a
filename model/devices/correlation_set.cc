// SPDX-License-Identifier: Apache-2.0
// Pages come when they are first needed.
#include "model/devices/correlation_set.h"

namespace syncline {
namespace {

constexpr size_t kMaxCorrelationPages = 1 << 12;

}  // namespace

void CorrelationSet::Add(uint32_t correlation) {
  if (correlation == 0) return;
  auto page = pages_.find(correlation / kPageBits);
  if (page == pages_.end()) {
    if (pages_.size() >= kMaxCorrelationPages || room_->pages == 0) return;
    --room_->pages;
    page = pages_.emplace(correlation / kPageBits, new std::bitset<kPageBits>).first;
  }
  page->second->set(correlation % kPageBits);
}

uint64_t CorrelationSet::CountWithout(const CorrelationSet& other) const {
  uint64_t count = 0;
  for (const auto& [number, page] : pages_) {
    const auto there = other.pages_.find(number);
    count += (there == other.pages_.end() ? *page : *page & ~*there->second).count();
  }
  return count;
}

}  // namespace syncline
