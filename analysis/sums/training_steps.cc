// SPDX-License-Identifier: Apache-2.0
// Whether an optimizer's step was the last one of its step is known with the next fetch, or with
// the next of an optimizer.
#include "analysis/sums/training_steps.h"

#include <utility>

namespace syncline {

void TrainingSteps::EndStep(uint32_t tid, Thread* thread) {
  const uint64_t end_ns = std::exchange(thread->pending_ns, 0);
  if (end_ns == 0) return;
  const uint64_t begin_ns = std::exchange(thread->before_ns, end_ns);
  if (begin_ns == 0) return;
  if (rows_.size() < kMost) {
    rows_.push_back({tid, begin_ns, end_ns});
  } else {
    ++left_out_;
  }
}

void TrainingSteps::OptimizerEnds(uint32_t tid, uint64_t end_ns) {
  Thread& thread = threads_[tid];
  if (!thread.fetches) EndStep(tid, &thread);
  thread.pending_ns = end_ns;
}

void TrainingSteps::Fetches(uint32_t tid) {
  Thread& thread = threads_[tid];
  thread.fetches = true;
  EndStep(tid, &thread);
}

std::vector<TrainingSteps::Row> TrainingSteps::Take() {
  for (auto& [tid, thread] : threads_) EndStep(tid, &thread);
  threads_.clear();
  return std::exchange(rows_, {});
}

}  // namespace syncline
