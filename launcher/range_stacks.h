// SPDX-License-Identifier: Apache-2.0
// Which ranges were open on a thread at some moments.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "writers/derived.h"
#include "writers/record_sink.h"

namespace syncline {

// Ask for all moments, read the spool, then look at the stacks.
class RangeStacks : public RecordSink {
 public:
  explicit RangeStacks(const DeriveRequest& request) : request_(request) {}

  // The moment's number. Nanoseconds on the job's line.
  size_t Ask(uint32_t tid, uint64_t at_ns);
  bool empty() const { return stacks_.empty(); }

  void OnRange(const RangeEvent& event) override;
  void OnOpenRange(const RangeEvent& event) override;
  bool OnBlockDone(uint64_t, uint64_t) override { return !request_.Stopped(); }

  // "step 3 > backward"; empty: outside of all ranges.
  std::string StackOf(size_t moment);

 private:
  using Named = std::pair<uint64_t, std::string>;  // begin, name
  struct Moments {
    std::vector<std::pair<uint64_t, size_t>> at;  // when, its number
    bool sorted = false;
  };

  void Add(const RangeEvent& event, uint64_t end);

  const DeriveRequest& request_;
  std::map<uint32_t, Moments> of_threads_;
  std::vector<std::vector<Named>> stacks_;
};

}  // namespace syncline
