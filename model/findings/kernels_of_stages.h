// SPDX-License-Identifier: Apache-2.0
// Which kernels were launched in ranges of each name. Names of kernels are long, and those of all
// ranks are the same: they have numbers here.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "model/findings/name_keys.h"

namespace syncline {

// Operations that were launched: how many, how long they took on their devices, and how long the
// calls took. A call of several operations is shared out among them.
struct LaunchSums {
  uint64_t launches = 0;
  uint64_t device_ns = 0;
  uint64_t cpu_ns = 0;

  void Add(const LaunchSums& other);
  bool operator==(const LaunchSums&) const = default;
};

// A kernel in the ranges of one name.
struct StageKernel {
  LaunchSums all;
  LaunchSums own;  // of all: in no push/pop range within

  void Add(const StageKernel& other);
  bool operator==(const StageKernel&) const = default;
};

// By number, each once.
struct KernelList {
  std::vector<std::pair<uint32_t, StageKernel>> kernels;

  void Add(const KernelList& other);
};

class KernelsOfStages {
 public:
  uint32_t NumberOf(const OpKey& kernel);
  // With numbers of NumberOf, in any order.
  void Add(const RangeKey& stage, KernelList list);
  void Add(KernelsOfStages&& other);
  // As RunFindings::FoldNames.
  void FoldNames();
  // `settle` takes what is not to be told apart from each key.
  template <typename Settle>
  void Rename(const Settle& settle) {
    for (auto& [stage, list] : std::exchange(stages_, {})) {
      RangeKey key = stage;
      settle(&key);
      Add(key, std::move(list));
    }
  }

  bool empty() const { return stages_.empty(); }
  // All of it, in an order that tells nothing of the numbers.
  std::map<RangeKey, std::map<OpKey, StageKernel>> ByName() const;

 private:
  std::map<OpKey, uint32_t> numbers_;
  std::map<RangeKey, KernelList> stages_;
};

}  // namespace syncline
