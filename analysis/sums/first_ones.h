// SPDX-License-Identifier: Apache-2.0
// The first ones of each name with their moments. Only at the end of a reading is it known from
// when on steps count: these say what came before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "model/findings/step_parts.h"

namespace syncline {

// Names have small numbers. One thread. Memory: 24 bytes for each that is kept.
class FirstOnes {
 public:
  static constexpr size_t kMostOfName = 1 << 10;
  static constexpr size_t kMostInAll = 1 << 19;

  void Add(uint32_t name, uint64_t at_ns, uint64_t ns, uint64_t device_ns = 0) {
    if (__builtin_expect(name < full_.size() && full_[name], 1)) return;
    Keep(name, {at_ns, ns, device_ns});
  }

  // What of `all` of a name does not begin before a moment. Where nobody knows, as the moment is
  // among the last ones that had room, all of it.
  StepPart Without(uint32_t name, uint64_t before_ns, const StepPart& all) const {
    if (name >= kept_.size()) return all;
    StepPart early;
    for (const One& one : kept_[name]) {
      if (one.at_ns < before_ns) early.Add({1, one.ns, one.device_ns});
    }
    if (full_[name] && 2 * early.count > kept_[name].size()) return all;
    return {all.count - early.count, all.total_ns - early.total_ns,
            all.device_ns - early.device_ns};
  }

 private:
  struct One {
    uint64_t at_ns, ns, device_ns;
  };

  [[gnu::noinline]] void Keep(uint32_t name, const One& one) {
    if (name >= kept_.size()) {
      kept_.resize(name + size_t{1});
      full_.resize(name + size_t{1});
    }
    if (kept_[name].size() >= kMostOfName || count_ >= kMostInAll) {
      full_[name] = true;
      return;
    }
    kept_[name].push_back(one);
    ++count_;
  }

  std::vector<std::vector<One>> kept_;  // by name
  std::vector<char> full_;              // by name: more came
  size_t count_ = 0;
};

}  // namespace syncline
