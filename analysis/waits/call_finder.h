// SPDX-License-Identifier: Apache-2.0
// The call that submitted an operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/gallop_search.h"
#include "model/devices/gpu_records.h"

namespace syncline {

// `calls` must be sorted by correlation, as FindWaits leaves them. Quick where correlations are
// asked for nearly in order.
class CallFinder {
 public:
  explicit CallFinder(const std::vector<SourceCall>& calls) : calls_(calls) {}

  // The outermost one; null: it was not recorded.
  const SourceCall* Find(uint32_t correlation) {
    if (correlation == last_) return found_;
    last_ = correlation;
    near_ = PlaceNear(calls_.size(), near_,
                      [&](size_t i) { return calls_[i].correlation < correlation; });
    for (size_t i = near_; i < calls_.size() && calls_[i].correlation == correlation; ++i) {
      if (!calls_[i].inner) return found_ = &calls_[i];
    }
    return found_ = nullptr;
  }

 private:
  const std::vector<SourceCall>& calls_;
  size_t near_ = 0;
  uint32_t last_ = 0;  // of the last question; of 0 there is no call
  const SourceCall* found_ = nullptr;
};

}  // namespace syncline
