// SPDX-License-Identifier: Apache-2.0
// Copy engines and kernel slots.
#include "tests/simulated_gpu/engine/lanes.h"

#include <algorithm>

namespace simgpu {

uint64_t CopyEngine::Place(uint64_t ready, uint64_t length, uint64_t now) {
  while (!busy_.empty() && busy_.begin()->second <= now) busy_.erase(busy_.begin());
  uint64_t start = ready;
  auto next = busy_.upper_bound(ready);
  if (next != busy_.begin()) start = std::max(start, std::prev(next)->second);
  while (next != busy_.end() && next->first < start + length) {
    start = std::max(start, next->second);
    ++next;
  }
  busy_[start] = std::max(start + length, start + 1);
  return start;
}

uint64_t KernelSlots::Place(uint64_t ready, uint64_t length) {
  // The slot that became free last before `ready` leaves the others for kernels that are ready
  // earlier.
  size_t best = 0, earliest = 0;
  bool fits = false;
  for (size_t i = 0; i < free_at_.size(); ++i) {
    const uint64_t free_at = free_at_[i];
    if (free_at <= ready && (!fits || free_at > free_at_[best])) {
      best = i;
      fits = true;
      if (free_at == ready) break;
    }
    if (free_at < free_at_[earliest]) earliest = i;
  }
  if (!fits) best = earliest;
  const uint64_t start = std::max(ready, free_at_[best]);
  free_at_[best] = start + length;
  return start;
}

}  // namespace simgpu
