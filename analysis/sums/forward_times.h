// SPDX-License-Identifier: Apache-2.0
// When a training went forward: no framework says it, but what comes before and after is known.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace syncline {

// Forward begins where the thread last fetched data, went backward or changed the model, and ends
// where it goes backward. Of a thread, ranges come in the order of their ends.
class ForwardTimes {
 public:
  // What is not forward has ended.
  void Ends(uint32_t tid, uint64_t end_ns) { ends_[tid] = end_ns; }

  // When the forward before that began; nothing: nobody knows.
  std::optional<uint64_t> Before(uint32_t tid, uint64_t backward_ns) const {
    const auto found = ends_.find(tid);
    if (found == ends_.end() || found->second >= backward_ns) return std::nullopt;
    return found->second;
  }

 private:
  std::unordered_map<uint32_t, uint64_t> ends_;
};

}  // namespace syncline
