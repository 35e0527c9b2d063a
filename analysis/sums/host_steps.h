// SPDX-License-Identifier: Apache-2.0
// In which ranges a step's thread was, and how long: of the longest steps, and of all together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace syncline {

// Push/pop ranges come in the order of their ends. What lies between a step and the next one of its
// series counts to it, as in StepRows. A step within another one is one range of that. One thread.
// Memory: for each thread as much as ranges nest, and the names within kMostKept steps of a series.
class HostSteps {
 public:
  static constexpr size_t kMostKept = 16;
  static constexpr uint32_t kDeepest = 64;  // what is deeper counts to the range around it

  using Costs = std::unordered_map<uint32_t, uint64_t>;  // ns by the number of a name
  struct Kept {
    uint64_t begin_ns;
    uint64_t duration_ns;
    Costs costs;  // of each range its own time: in no range within
  };
  struct Series {
    Costs all;
    uint64_t count = 0;
    std::vector<Kept> longest;  // in no order
  };

  // `stream`: another number for each thread. `depth`: how many of its ranges were open around it.
  // `step`: the name of its series; empty: it is no step.
  void Add(uint64_t stream, uint32_t name, uint32_t depth, uint64_t begin_ns, uint64_t end_ns,
           std::string_view step);
  // After the last range; nothing is added then.
  void Finish();
  // Null: none of them was seen.
  const Series* Of(const std::string& step) const;

 private:
  // The last step of a series at some depth: what follows may still be its own.
  struct Last {
    Series* series;
    uint64_t begin_ns;
    uint64_t end_ns;
    Costs within;
    Costs behind{};
  };
  struct Level {
    Costs costs;  // of ranges whose outer one is still to come
    uint64_t covered_ns = 0;
    std::vector<Last> lasts;
  };

  std::vector<Level>& LevelsOf(uint64_t stream);
  static void Count(Series* series, uint64_t begin_ns, uint64_t end_ns, Costs costs);
  static void End(Level* level);
  void AddStep(Level* level, uint32_t name, uint64_t begin_ns, uint64_t end_ns,
               std::string_view step, Costs within);

  std::map<std::string, Series, std::less<>> series_;
  std::unordered_map<uint64_t, std::vector<Level>> threads_;
  std::vector<Level>* levels_ = nullptr;  // of the stream seen last
  uint64_t stream_ = 0;
};

}  // namespace syncline
