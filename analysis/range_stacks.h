// SPDX-License-Identifier: Apache-2.0
// Which ranges were open on a thread at some moments.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/record_sink.h"
#include "model/timeline.h"

namespace syncline {

// Ask for all moments, read the spool, then look at the stacks. One thread.
class RangeStacks : public RecordSink {
 public:
  // Ranges that never ended end at `end_ns`, when their process ended.
  RangeStacks(Timeline* host, uint64_t end_ns) : host_(host), end_ns_(end_ns) {}

  // Returns the moment's number. `at_ns`: on the job's line.
  size_t Ask(uint32_t tid, uint64_t at_ns);
  bool empty() const { return stacks_.empty(); }

  unsigned Interests() const override { return kRanges; }
  void OnRange(const RangeEvent& event) override;
  void OnOpenRange(const RangeEvent& event) override;
  void OnRangeAround(const RangeEvent& event) override;

  // "step 3 > backward"; empty: outside of all ranges.
  std::string StackOf(size_t moment);

 private:
  // Begin, depth, name: ranges that were begun while nothing was recorded may have one begin.
  using Named = std::tuple<uint64_t, uint16_t, std::string>;
  struct Moments {
    std::vector<std::pair<uint64_t, size_t>> at;  // when, its number
    bool sorted = false;
  };

  void Add(const RangeEvent& event, uint64_t end);

  Timeline* host_;
  uint64_t end_ns_;
  std::map<uint32_t, Moments> of_threads_;
  std::vector<std::vector<Named>> stacks_;
};

}  // namespace syncline
