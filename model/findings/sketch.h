// SPDX-License-Identifier: Apache-2.0
// How values are spread, in little memory: a histogram whose buckets grow with the values.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

namespace syncline {

// HdrHistogram's buckets (Gil Tene, https://github.com/HdrHistogram/HdrHistogram, "Iteration" and
// "Internal counters"): each power of two is divided into 64 equal parts, so a value's bucket is at
// most 1/64 of the value wide. Values below 128 have a bucket each. A quantile is given as the
// middle of its bucket: it is off by at most 1/128 (0.8 %) of itself. Buckets are the same
// everywhere and hold counts only, so that sketches can be added in any order with one result.
// 512 bytes for each power of two in use, at most 30 KiB.
class Sketch {
 public:
  struct Bucket {
    uint32_t index;
    uint64_t count;
    bool operator==(const Bucket&) const = default;
  };
  static constexpr uint32_t kPartBits = 6;
  static constexpr uint32_t kParts = 1u << kPartBits;
  static constexpr uint32_t kPages = 64 - kPartBits + 1;
  static constexpr uint32_t kBuckets = kPages * kParts;

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
  void AddTo(uint32_t index, uint64_t count) {
    std::unique_ptr<Page>& page = pages_[index / kParts];
    if (__builtin_expect(page == nullptr, 0)) page = std::make_unique<Page>();
    (*page)[index % kParts] += count;
  }
  void Add(const Sketch& other) {
    for (uint32_t page = 0; page < kPages; ++page) {
      if (other.pages_[page] == nullptr) continue;
      if (pages_[page] == nullptr) pages_[page] = std::make_unique<Page>();
      for (uint32_t part = 0; part < kParts; ++part)
        (*pages_[page])[part] += (*other.pages_[page])[part];
    }
  }

  // The value below which `share` (0 to 1) of the values lie; 0 without values.
  uint64_t Quantile(double share) const;
  // Those that have a count, by index.
  std::vector<Bucket> buckets() const;

  Sketch() = default;
  Sketch(Sketch&&) = default;
  Sketch& operator=(Sketch&&) = default;
  Sketch(const Sketch& other) { Add(other); }
  Sketch& operator=(const Sketch& other) {
    if (this != &other) *this = Sketch(other);
    return *this;
  }
  ~Sketch() = default;

  bool operator==(const Sketch& other) const { return buckets() == other.buckets(); }

 private:
  using Page = std::array<uint64_t, kParts>;  // the parts of one power of two

  std::array<std::unique_ptr<Page>, kPages> pages_;
};

inline std::vector<Sketch::Bucket> Sketch::buckets() const {
  std::vector<Bucket> buckets;
  for (uint32_t page = 0; page < kPages; ++page) {
    if (pages_[page] == nullptr) continue;
    for (uint32_t part = 0; part < kParts; ++part) {
      const uint64_t count = (*pages_[page])[part];
      if (count != 0) buckets.push_back({page * kParts + part, count});
    }
  }
  return buckets;
}

inline uint64_t Sketch::Quantile(double share) const {
  const std::vector<Bucket> all_buckets = buckets();
  uint64_t all = 0;
  for (const Bucket& bucket : all_buckets) all += bucket.count;
  const auto wanted = static_cast<uint64_t>(share * static_cast<double>(all));
  uint64_t before = 0;
  for (const Bucket& bucket : all_buckets) {
    before += bucket.count;
    if (before > wanted) return MiddleOf(bucket.index);
  }
  return all_buckets.empty() ? 0 : MiddleOf(all_buckets.back().index);
}

}  // namespace syncline
