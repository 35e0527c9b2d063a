// SPDX-License-Identifier: Apache-2.0
// What a process computed, over time, as far as its operators tell.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/findings/operator_sums.h"

namespace syncline {

// One thread. Memory: 32 bytes for an operator that computes, up to kMost; beyond, each neighbours
// of one format are one, so that the end of a time is off by a few of them.
class FlopCurve {
 public:
  static constexpr size_t kMost = 1 << 21;
  explicit FlopCurve(size_t most = kMost) : most_(most) {}

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
  struct Point {
    uint64_t ns;
    double flops;
    uint8_t format;
    bool on_device;
  };
  void Sort();
  void Join();

  const size_t most_;
  std::vector<Point> points_;
  ByFormat all_{};
};

}  // namespace syncline
