// SPDX-License-Identifier: Apache-2.0
// Finds push/pop ranges that tasks of an event loop may have ended for each other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace syncline {

// Two names that stand within each other both ways on one thread, in one place: now the one, now
// the other is the outer one. Recursion does not do that: there the outer one is around both ways,
// or what is around them differs. Ranges come in the order of their ends. One thread. Memory: for
// each thread as much as ranges nest, and kMostNames names at each depth.
class SwappedRanges {
 public:
  static constexpr uint32_t kDeepest = 32;     // what is deeper is not looked at
  static constexpr size_t kMostNames = 64;     // more are not looked at
  static constexpr uint64_t kLeastTimes = 3;   // each way
  static constexpr uint64_t kLeastShare = 16;  // of the other way's, as a divisor

  struct Swap {
    uint32_t outer;  // more often than the other way
    uint32_t inner;
    uint64_t times;
    uint64_t other_way;
  };

  // `stream`: another number for each thread. `depth`: how many of its ranges were open around it.
  void Add(uint64_t stream, uint32_t name, uint32_t depth);
  // After the last range: the two that are swapped most often.
  std::optional<Swap> Most() const;

 private:
  static constexpr uint32_t kNothing = UINT32_MAX;  // around a range
  struct Nested {
    uint32_t around;
    uint32_t outer;
    uint32_t inner;
    auto operator<=>(const Nested&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  using Pair = std::pair<uint32_t, uint32_t>;  // outer, inner
  // Of ranges whose outer one is still to come.
  struct Level {
    std::set<uint32_t> names;
    std::map<Pair, uint64_t> pairs;      // of these names and what lies within: `around` is to come
    std::map<Nested, uint64_t> settled;  // deeper; what is around may still be the inner one
  };

  std::unordered_map<uint64_t, std::vector<Level>> threads_;
  // By thread: another thread's order says nothing.
  std::map<std::pair<uint64_t, Nested>, uint64_t> counts_;
};

}  // namespace syncline
