// SPDX-License-Identifier: Apache-2.0
// How long devices were busy, of operations that come in any order: where two of a device overlap
// the time counts once. Bounded: no heap.
#pragma once

#include <cstdint>
#include <cstring>

namespace syncline {

// All zeros: nothing yet. One thread at a time.
class BusyTime {
 public:
  // So many stretches without a gap are remembered. When there are more, the oldest are closed.
  static constexpr uint32_t kStretches = 256;

  // False: it began before what is closed already, so that part of it may be missing in the sum.
  bool Add(uint32_t device, uint64_t begin, uint64_t end) {
    const bool known = begin >= closed_until_;
    if (!known) begin = closed_until_;
    if (end <= begin) return known;
    if (count_ == kStretches) CloseOldest();
    const Stretch whole = Unite({begin, end, device, 0});
    uint32_t at = count_;
    while (at > 0 && stretches_[at - 1].begin > whole.begin) --at;
    std::memmove(stretches_ + at + 1, stretches_ + at, (count_ - at) * sizeof(Stretch));
    stretches_[at] = whole;
    ++count_;
    ns_ += whole.end - whole.begin;
    return known;
  }

  uint64_t ns() const { return ns_; }

  void Clear() { ns_ = closed_until_ = count_ = 0; }

 private:
  struct Stretch {
    uint64_t begin;
    uint64_t end;
    uint32_t device;
    uint32_t reserved;
  };

  // Takes out all that the stretch touches, and gives the stretch that has all of it.
  Stretch Unite(Stretch whole) {
    for (uint32_t at = count_; at-- > 0;) {
      const Stretch& other = stretches_[at];
      if (other.device != whole.device || other.begin > whole.end) continue;
      if (other.end < whole.begin) break;  // those of a device do not overlap
      ns_ -= other.end - other.begin;
      if (other.begin < whole.begin) whole.begin = other.begin;
      if (other.end > whole.end) whole.end = other.end;
      --count_;
      std::memmove(stretches_ + at, stretches_ + at + 1, (count_ - at) * sizeof(Stretch));
    }
    return whole;
  }

  void CloseOldest() {
    constexpr uint32_t kAtOnce = kStretches / 4;
    for (uint32_t i = 0; i < kAtOnce; ++i)
      if (stretches_[i].end > closed_until_) closed_until_ = stretches_[i].end;
    count_ -= kAtOnce;
    std::memmove(stretches_, stretches_ + kAtOnce, count_ * sizeof(Stretch));
  }

  uint64_t ns_;
  uint64_t closed_until_;
  uint32_t count_;
  Stretch stretches_[kStretches];  // by begin
};

}  // namespace syncline
