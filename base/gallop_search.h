// SPDX-License-Identifier: Apache-2.0
// Looks for a place in a sorted row from where the last one was found: whoever asks in order is
// answered in constant time.
#pragma once

#include <algorithm>
#include <cstddef>

namespace syncline {

// The first of `size` places for which `before` is false; for those up to it `before` is true.
template <typename Before>
size_t PlaceNear(size_t size, size_t start, const Before& before) {
  size_t low = 0, high = size;  // the answer lies within
  start = std::min(start, size);
  if (start < size && before(start)) {
    low = start + 1;
    for (size_t step = 1; low < high; step *= 2) {
      const size_t at = std::min(low + step - 1, high - 1);
      if (!before(at)) {
        high = at;
        break;
      }
      low = at + 1;
    }
  } else {
    high = start;
    for (size_t step = 1; high > low; step *= 2) {
      const size_t at = high - std::min(step, high - low);
      if (before(at)) {
        low = at + 1;
        break;
      }
      high = at;
    }
  }
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if (before(middle)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace syncline
