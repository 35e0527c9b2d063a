// SPDX-License-Identifier: Apache-2.0
// From one moment at which work begins or ends to the next.
#include "analysis/sums/work_sweep.h"

#include <algorithm>

namespace syncline {
namespace {

constexpr unsigned Bit(WorkKind kind) { return 1u << static_cast<unsigned>(kind); }
constexpr unsigned kComputing = Bit(WorkKind::kKernels) | Bit(WorkKind::kSets);
constexpr unsigned kCommunicating = Bit(WorkKind::kCommunicating);
constexpr unsigned kCopying = Bit(WorkKind::kCopying);

}  // namespace

void WorkSweep::Add(uint64_t begin_ns, uint64_t end_ns, WorkKind kind) {
  AdvanceTo(begin_ns);
  uint64_t& until = until_[static_cast<size_t>(kind)];
  until = std::max(until, end_ns);
}

// The operation of a kind that ends last covers all the time from now until its end.
void WorkSweep::AdvanceTo(uint64_t to) {
  while (now_ < to) {
    unsigned works = 0;
    uint64_t next = to;
    for (size_t kind = 0; kind < kWorkKinds; ++kind) {
      if (until_[kind] <= now_) continue;
      works |= 1u << kind;
      next = std::min(next, until_[kind]);
    }
    times_[works] += next - now_;
    if (works == 0 && now_ != 0) unseen_ns_ += CoveredBy(closed_, now_, next);
    now_ = next;
  }
}

void WorkSweep::FillIn(DeviceUse* use) {
  AdvanceTo(*std::max_element(until_.begin(), until_.end()));
  use->unseen_ns = unseen_ns_;
  use->busy_ns = use->computing_ns = use->kernels_ns = use->communicating_ns = use->copying_ns = 0;
  for (unsigned works = 1; works < times_.size(); ++works) {
    use->busy_ns += times_[works];
    if ((works & kComputing) != 0) use->computing_ns += times_[works];
    if ((works & Bit(WorkKind::kKernels)) != 0) use->kernels_ns += times_[works];
    if ((works & kCommunicating) != 0) use->communicating_ns += times_[works];
    if ((works & kCopying) != 0) use->copying_ns += times_[works];
  }
  use->communicating_alone_ns = times_[kCommunicating] + times_[kCommunicating | kCopying];
  use->copying_alone_ns = times_[kCopying];
}

}  // namespace syncline
