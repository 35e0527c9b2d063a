// SPDX-License-Identifier: Apache-2.0
// A level that a later one reaches is no peak of any time that ends now: what remains falls.
#include "launcher/record/memory_peaks.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr size_t kMostComing = 1 << 20;
constexpr size_t kMostLevels = 1 << 16;
constexpr size_t kMostDevices = 1024;  // a damaged record may name any

}  // namespace

void MemoryPeaks::Take(const MemoryRecord& record) {
  latest_ = std::max(latest_, record.ticks);
  if (coming_.size() >= kMostComing || record.ticks < passed_) {
    known_from_ = std::max({known_from_, passed_ + 1, record.ticks + 1});
    return;
  }
  coming_.push_back({record.ticks,
                     record.allocated,
                     {uint32_t{record.source} << 8 | record.device_type, record.device}});
}

void MemoryPeaks::PassTo(uint64_t ticks) {
  if (ticks <= passed_) return;
  const auto later = std::stable_partition(
      coming_.begin(), coming_.end(), [ticks](const Change& one) { return one.ticks <= ticks; });
  std::stable_sort(coming_.begin(), later,
                   [](const Change& a, const Change& b) { return a.ticks < b.ticks; });
  for (auto change = coming_.begin(); change != later; ++change) Pass(*change);
  coming_.erase(coming_.begin(), later);
  passed_ = ticks;
}

void MemoryPeaks::Pass(const Change& change) {
  if (devices_.size() >= kMostDevices && !devices_.contains(change.device)) return;
  uint64_t& allocated = devices_[change.device];
  total_ += change.allocated - allocated;
  allocated = change.allocated;
  if (!levels_.empty()) levels_.back().until = change.ticks;
  while (!levels_.empty() && levels_.back().allocated <= total_) levels_.pop_back();
  levels_.push_back({UINT64_MAX, total_});
  if (levels_.size() <= kMostLevels) return;
  known_from_ = std::max(known_from_, levels_[kMostLevels / 2 - 1].until);
  levels_.erase(levels_.begin(), levels_.begin() + kMostLevels / 2);
}

std::optional<uint64_t> MemoryPeaks::Since(uint64_t begin) const {
  if (levels_.empty() || begin < known_from_) return std::nullopt;
  return std::partition_point(levels_.begin(), levels_.end(),
                              [begin](const Level& one) { return one.until <= begin; })
      ->allocated;
}

}  // namespace syncline
