// SPDX-License-Identifier: Apache-2.0
// How values are spread, in little memory: a histogram whose buckets grow with the values.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace syncline {

// HdrHistogram's buckets (Gil Tene, https://github.com/HdrHistogram/HdrHistogram, "Iteration" and
// "Internal counters"): each power of two is divided into 64 equal parts, so a value's bucket is at
// most 1/64 of the value wide. Values below 128 have a bucket each. A quantile is given as the
// middle of its bucket: it is off by at most 1/128 (0.8 %) of itself. Buckets are the same
// everywhere and hold counts only, so that sketches can be added in any order with one result.
// 16 bytes a bucket in use, at most 3,776 buckets. One thread.
class Sketch {
 public:
  struct Bucket {
    uint32_t index;
    uint64_t count;
    bool operator==(const Bucket&) const = default;
  };
  static constexpr uint32_t kPartBits = 6;
  static constexpr uint32_t kParts = 1u << kPartBits;
  static constexpr uint32_t kBuckets = (64 - kPartBits) * kParts + kParts;

  static uint32_t IndexOf(uint64_t value) {
    const int bits = static_cast<int>(std::bit_width(value));
    const uint32_t shift =
        bits <= static_cast<int>(kPartBits) + 1 ? 0 : static_cast<uint32_t>(bits) - (kPartBits + 1);
    return shift * kParts + static_cast<uint32_t>(value >> shift);
  }
  // The middle of a bucket; `index` below kBuckets.
  static uint64_t MiddleOf(uint32_t index) {
    if (index < 2 * kParts) return index;
    const uint32_t shift = index / kParts - 1;
    return (uint64_t{index - shift * kParts} << shift) + (uint64_t{1} << (shift - 1));
  }

  void Add(uint64_t value) { AddTo(IndexOf(value), 1); }
  // `index` below kBuckets.
  void AddTo(uint32_t index, uint64_t count);
  void Add(const Sketch& other);

  // The value below which `share` (0 to 1) of the values lie; 0 without values.
  uint64_t Quantile(double share) const;
  // By index; none has a count of 0.
  const std::vector<Bucket>& buckets() const { return buckets_; }

  bool operator==(const Sketch& other) const { return buckets_ == other.buckets_; }

 private:
  std::vector<Bucket> buckets_;
  size_t last_ = 0;  // where the last value was added: the next one is often near
};

inline void Sketch::AddTo(uint32_t index, uint64_t count) {
  if (last_ < buckets_.size() && buckets_[last_].index == index) {
    buckets_[last_].count += count;
    return;
  }
  const auto at = std::lower_bound(buckets_.begin(), buckets_.end(), index,
                                   [](const Bucket& a, uint32_t b) { return a.index < b; });
  last_ = static_cast<size_t>(at - buckets_.begin());
  if (at != buckets_.end() && at->index == index) {
    at->count += count;
  } else {
    buckets_.insert(at, {index, count});
  }
}

inline void Sketch::Add(const Sketch& other) {
  for (const Bucket& bucket : other.buckets_) AddTo(bucket.index, bucket.count);
}

inline uint64_t Sketch::Quantile(double share) const {
  uint64_t all = 0;
  for (const Bucket& bucket : buckets_) all += bucket.count;
  const auto wanted = static_cast<uint64_t>(share * static_cast<double>(all));
  uint64_t before = 0;
  for (const Bucket& bucket : buckets_) {
    before += bucket.count;
    if (before > wanted) return MiddleOf(bucket.index);
  }
  return buckets_.empty() ? 0 : MiddleOf(buckets_.back().index);
}

}  // namespace syncline
