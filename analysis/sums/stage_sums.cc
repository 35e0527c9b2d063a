// SPDX-License-Identifier: Apache-2.0
// What a range holds of its own name is taken off again.
#include "analysis/sums/stage_sums.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr uint32_t kFewNames = 1024;
constexpr size_t kMostInside = 64;  // of a name; only a damaged spool has more

// In a damaged spool what is within may be more than what is around it.
void TakeOff(const StageWork& inner, StageWork* sum) {
  for (uint64_t StageWork::*part :
       {&StageWork::blocked_ns, &StageWork::launched, &StageWork::device_ns, &StageWork::busy_ns,
        &StageWork::busy_of_ns}) {
    sum->*part -= std::min(sum->*part, inner.*part);
  }
}

}  // namespace

uint32_t StageSums::Thread::DepthOf(const Inside& inside) const {
  const auto since = std::partition_point(
      last.begin(), last.end(), [&](const Close& close) { return close.number <= inside.closes; });
  return since == last.end() ? inside.depth : std::min(inside.depth, since->depth);
}

void StageSums::Thread::End(uint32_t depth) {
  while (!last.empty() && last.back().depth >= depth) last.pop_back();
  last.push_back({depth, ++closes});
}

std::vector<StageSums::Inside>& StageSums::Thread::Of(uint32_t name) {
  if (name >= kFewNames) return more[name];
  if (name >= few.size()) few.resize(name + 1);
  return few[name];
}

StageSums::Thread& StageSums::ThreadOf(uint64_t stream, uint32_t tid) {
  if (thread_ != nullptr && stream_ == stream) return *thread_;
  const auto [found, added] = threads_.try_emplace(tid);
  thread_ = &found->second;
  stream_ = stream;
  if (added) thread_->work = curves_->ThreadOf(tid);
  return *thread_;
}

StageWork& StageSums::SumOf(uint32_t name) {
  if (name >= sums_.size()) sums_.resize(name + 1);
  return sums_[name];
}

void StageSums::AddNested(uint64_t stream, uint32_t tid, uint32_t name, uint32_t depth,
                          uint64_t begin_ns, uint64_t end_ns) {
  Thread& thread = ThreadOf(stream, tid);
  const StageWork work = curves_->Between(thread.work, begin_ns, end_ns);
  StageWork& sum = SumOf(name);
  sum.Add(work);
  std::vector<Inside>& insides = thread.Of(name);
  size_t kept = 0;
  for (Inside& inside : insides) {
    inside.depth = thread.DepthOf(inside);
    inside.closes = thread.closes;
    if (inside.depth == 0) continue;  // nothing is around it any more
    if (inside.depth > depth && inside.begin_ns >= begin_ns) {
      TakeOff(inside.work, &sum);
    } else if (kept != 0 && insides[kept - 1].depth == inside.depth) {
      insides[kept - 1].work.Add(inside.work);
    } else {
      insides[kept++] = inside;
    }
  }
  insides.resize(kept);
  thread.End(depth);
  if (depth == 0) return;
  if (kept != 0 && insides[kept - 1].depth == depth) {
    insides[kept - 1].work.Add(work);
    insides[kept - 1].closes = thread.closes;
  } else if (kept < kMostInside) {
    insides.push_back({depth, begin_ns, thread.closes, work});
  }
}

void StageSums::AddStarted(uint32_t tid, uint32_t name, uint64_t begin_ns, uint64_t end_ns) {
  SumOf(name).Add(curves_->Between(curves_->ThreadOf(tid), begin_ns, end_ns));
}

}  // namespace syncline
