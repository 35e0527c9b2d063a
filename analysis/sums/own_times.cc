// SPDX-License-Identifier: Apache-2.0
// Each range's length less what the ranges within it took.
#include "analysis/sums/own_times.h"

#include <algorithm>

namespace syncline {

void OwnTimes::Add(uint64_t stream, uint32_t tid, uint32_t name, uint32_t depth, uint64_t begin_ns,
                   uint64_t end_ns) {
  if (thread_ == nullptr || stream_ != stream) {
    thread_ = &threads_[tid];
    stream_ = stream;
  }
  std::vector<uint64_t>& within = thread_->within_ns;
  const uint64_t length = end_ns - begin_ns;
  if (within.size() < depth + size_t{2}) within.resize(depth + size_t{2});
  // What ended within it is at the next depth. Of a damaged spool that may be longer.
  const uint64_t inner = std::min(within[depth + 1], length);
  within[depth + 1] = 0;
  within[depth] += length;
  if (name >= sums_.size()) sums_.resize(name + size_t{1});
  sums_[name].Add(length - inner);
  if (depth != 0) return;
  thread_->first_ns = std::min(thread_->first_ns, begin_ns);
  thread_->last_ns = std::max(thread_->last_ns, end_ns);
  thread_->covered_ns += length;
}

uint64_t OwnTimes::BetweenNs() const {
  const Thread* most = nullptr;
  for (const auto& [tid, thread] : threads_) {
    if (most == nullptr || thread.covered_ns > most->covered_ns) most = &thread;
  }
  if (most == nullptr || most->covered_ns == 0) return 0;
  const uint64_t span = most->last_ns - most->first_ns;
  return span - std::min(span, most->covered_ns);
}

}  // namespace syncline
