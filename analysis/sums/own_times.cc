// SPDX-License-Identifier: Apache-2.0
// Each range's length less what the ranges within it took.
#include "analysis/sums/own_times.h"

#include <algorithm>
#include <iterator>

namespace syncline {

OwnTimes::Thread& OwnTimes::ThreadOf(uint64_t stream, uint32_t tid) {
  if (thread_ == nullptr || stream_ != stream) {
    thread_ = &threads_[tid];
    stream_ = stream;
  }
  return *thread_;
}

OwnTime& OwnTimes::SumOf(uint32_t name) {
  if (name >= sums_.size()) sums_.resize(name + size_t{1});
  return sums_[name];
}

void OwnTimes::Cover(Thread* thread, uint64_t begin_ns, uint64_t end_ns, uint64_t covered_ns) {
  thread->first_ns = std::min(thread->first_ns, begin_ns);
  thread->last_ns = std::max(thread->last_ns, end_ns);
  thread->covered_ns += covered_ns;
}

void OwnTimes::Add(uint64_t stream, uint32_t tid, uint32_t name, uint32_t depth, uint64_t begin_ns,
                   uint64_t end_ns) {
  Thread& thread = ThreadOf(stream, tid);
  std::vector<uint64_t>& within = thread.within_ns;
  const uint64_t length = end_ns - begin_ns;
  if (within.size() < depth + size_t{2}) within.resize(depth + size_t{2});
  // What ended within it is at the next depth. Of a damaged spool that may be longer.
  const uint64_t inner = std::min(within[depth + 1], length);
  within[depth + 1] = 0;
  within[depth] += length;
  SumOf(name).Add(length - inner);
  if (depth != 0) return;
  Cover(&thread, begin_ns, end_ns, length);
  thread.pushed_ns += length;
  if (thread.pending.empty()) return;
  Settle(&thread, begin_ns);
  thread.pending.clear();
}

void OwnTimes::Settle(Thread* thread, uint64_t begin_ns) {
  for (const Pending& range : thread->pending) {
    if (range.begin_ns >= begin_ns) continue;
    SumOf(range.name).Add(range.own_ns);
    Cover(thread, range.begin_ns, range.end_ns, range.own_ns);
  }
}

void OwnTimes::Start(uint64_t stream, uint32_t tid, uint64_t id, uint32_t name, uint64_t begin_ns) {
  Thread& thread = ThreadOf(stream, tid);
  if (thread.open.size() < kMostOpen) thread.open.push_back({id, name, begin_ns, thread.pushed_ns});
}

void OwnTimes::End(uint64_t stream, uint32_t tid, uint64_t id, uint64_t end_ns) {
  Thread& thread = ThreadOf(stream, tid);
  const auto found = std::find_if(thread.open.rbegin(), thread.open.rend(),
                                  [id](const Started& range) { return range.id == id; });
  if (found == thread.open.rend()) return;
  const Started range = *found;
  thread.open.erase(std::next(found).base());
  const uint64_t length = end_ns - range.begin_ns;
  const uint64_t inner = thread.pushed_ns - range.pushed_ns + range.within_ns;
  const uint64_t own_ns = length - std::min(length, inner);
  for (Started& other : thread.open) {
    if (other.begin_ns <= range.begin_ns) other.within_ns += own_ns;
  }
  if (thread.pending.size() == kMostPending) {
    Settle(&thread, UINT64_MAX);
    thread.pending.clear();
  }
  thread.pending.push_back({range.name, range.begin_ns, end_ns, own_ns});
}

void OwnTimes::Finish() {
  for (auto& [tid, thread] : threads_) {
    Settle(&thread, UINT64_MAX);
    thread.pending.clear();
  }
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
