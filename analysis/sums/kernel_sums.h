// SPDX-License-Identifier: Apache-2.0
// Sums by kernel: a table for one range, and a list for all ranges of one name.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "model/findings/run_findings.h"

namespace syncline {

// Kernels have small numbers. Emptying it costs what was put in. One thread.
class KernelTally {
 public:
  void Add(uint32_t kernel, const LaunchSums& sums) {
    if (kernel >= of_.size()) of_.resize(kernel + size_t{1});
    if (of_[kernel].launches == 0) kernels_.push_back(kernel);
    of_[kernel].Add(sums);
  }
  void Clear() {
    for (const uint32_t kernel : kernels_) of_[kernel] = {};
    kernels_.clear();
  }
  // Those with launches, in the order in which they came.
  const std::vector<uint32_t>& kernels() const { return kernels_; }
  const LaunchSums& Of(uint32_t kernel) const { return of_[kernel]; }

 private:
  std::vector<LaunchSums> of_;
  std::vector<uint32_t> kernels_;
};

// Many of them share the room for so many kernels; what has no room goes to kOtherKernels, which
// takes none. One thread.
class KernelSums {
 public:
  static constexpr uint32_t kOtherKernels = 0xffffffff;
  using Entry = std::pair<uint32_t, StageKernel>;

  void Add(uint32_t kernel, const StageKernel& sums, size_t* room) {
    auto at = PlaceOf(kernel);
    if (at == entries_.end() || at->first != kernel) {
      if (kernel != kOtherKernels && *room == 0) return Add(kOtherKernels, sums, room);
      if (kernel != kOtherKernels) --*room;
      at = entries_.insert(at, {kernel, {}});
    }
    at->second.Add(sums);
  }
  // All of `other`, which has nothing then and gives its room back.
  void Take(KernelSums* other, size_t* room) {
    const KernelSums taken = std::exchange(*other, {});
    *room += taken.TakenRoom();
    for (const auto& [kernel, sums] : taken.entries_) Add(kernel, sums, room);
  }
  void Clear(size_t* room) {
    *room += TakenRoom();
    entries_.clear();
  }
  const std::vector<Entry>& entries() const { return entries_; }  // by number

 private:
  std::vector<Entry>::iterator PlaceOf(uint32_t kernel) {
    return std::lower_bound(entries_.begin(), entries_.end(), kernel,
                            [](const Entry& entry, uint32_t of) { return entry.first < of; });
  }
  size_t TakenRoom() const {
    const bool others = !entries_.empty() && entries_.back().first == kOtherKernels;
    return entries_.size() - (others ? 1 : 0);
  }

  std::vector<Entry> entries_;
};

}  // namespace syncline
