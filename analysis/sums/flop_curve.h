// SPDX-License-Identifier: Apache-2.0
// What a process computed, over time, as far as its operators tell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/findings/operator_sums.h"

namespace syncline {

// One thread. Memory: 32 bytes for an operator that computes, up to kMost; beyond, so many of one
// format are one as is needed, by which the ends of a time are off.
class FlopCurve {
 public:
  static constexpr size_t kMost = 1 << 21;
  explicit FlopCurve(size_t most = kMost) : most_(most) { last_.fill(kNone); }

  // `ns`: when it was called, in any order.
  void Add(uint64_t ns, double flops, NumberFormat format, bool on_device);
  // After the last Add, and before Between.
  void Finish();
  bool empty() const { return points_.empty(); }
  // Adds what was called between two moments.
  void AddBetween(uint64_t begin_ns, uint64_t end_ns, StepWork* work) const;
  // All of it on devices.
  const ByFormat& all() const { return all_; }

 private:
  static constexpr size_t kKinds = 2 * kNumberFormats;
  static constexpr size_t kNone = SIZE_MAX;
  struct Point {
    uint64_t ns;  // of the first call
    double flops;
    uint32_t calls;
    uint8_t kind;  // 2 * format; 1 more: on a device
  };
  // Adds it to the last one of its kind, if there is room in that; else behind all.
  void Put(const Point& point, std::vector<Point>* points);
  void Sort();
  void Join();

  const size_t most_;
  std::vector<Point> points_;
  uint32_t calls_of_point_ = 1;
  std::array<size_t, kKinds> last_;  // in points_, by kind
  ByFormat all_{};
};

}  // namespace syncline
