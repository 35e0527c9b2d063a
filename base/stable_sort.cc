// SPDX-License-Identifier: Apache-2.0
// Places are sorted, rows are not moved.
#include "base/stable_sort.h"

#include <algorithm>
#include <numeric>

namespace syncline {

std::vector<size_t> StableOrder(size_t count, const std::function<bool(size_t, size_t)>& less) {
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(), [&less](size_t a, size_t b) { return less(a, b); });
  return order;
}

}  // namespace syncline
