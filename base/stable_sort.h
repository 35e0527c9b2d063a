// SPDX-License-Identifier: Apache-2.0
// Puts rows in order that are few, whatever they are: the sort itself is there once, and not for
// each type of row, of which there are a hundred.
#pragma once

#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

namespace syncline {

// The places of `count` rows in the order of `less`, which is asked of two places; equal rows stay
// as they are.
std::vector<size_t> StableOrder(size_t count, const std::function<bool(size_t, size_t)>& less);

// As std::stable_sort of all `rows`, in the time of that and a call for each comparison.
template <typename Row, typename Less>
void StableSort(std::vector<Row>* rows, const Less& less) {
  const std::vector<size_t> order =
      StableOrder(rows->size(), [&](size_t a, size_t b) { return less((*rows)[a], (*rows)[b]); });
  std::vector<Row> sorted;
  sorted.reserve(rows->size());
  for (const size_t place : order) sorted.push_back(std::move((*rows)[place]));
  *rows = std::move(sorted);
}

}  // namespace syncline
