// SPDX-License-Identifier: Apache-2.0
// Puts records in the order of their correlations, which is that of submission. Those of one
// correlation stay in the order in which they were.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace syncline {

// Where each row belongs, if correlations are dense enough to be counted; else empty. Takes 8 bytes
// a row and 4 bytes for each correlation between the least and the largest.
template <typename Row>
std::vector<uint32_t> PlacesByCorrelation(const std::vector<Row>& rows) {
  constexpr size_t kSparse = 4;
  const auto before = [](const Row& a, const Row& b) { return a.correlation < b.correlation; };
  const auto [least, most] = std::minmax_element(rows.begin(), rows.end(), before);
  const uint32_t first = least->correlation;
  const size_t range = size_t{most->correlation} - first + 1;
  if (range / kSparse > rows.size() || rows.size() > UINT32_MAX) return {};
  std::vector<uint32_t> next(range + 1);
  for (const Row& row : rows) ++next[row.correlation - first + 1];
  for (size_t i = 1; i <= range; ++i) next[i] += next[i - 1];
  std::vector<uint32_t> places(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) places[i] = next[rows[i].correlation - first]++;
  return places;
}

template <typename Row>
void SortByCorrelation(std::vector<Row>* rows) {
  const auto before = [](const Row& a, const Row& b) { return a.correlation < b.correlation; };
  if (std::is_sorted(rows->begin(), rows->end(), before)) return;
  std::vector<uint32_t> places = PlacesByCorrelation(*rows);
  if (places.empty()) {
    std::stable_sort(rows->begin(), rows->end(), before);
    return;
  }
  // Each swap puts one row where it belongs.
  for (uint32_t i = 0; i < places.size(); ++i) {
    while (places[i] != i) {
      const uint32_t place = places[i];
      std::swap((*rows)[i], (*rows)[place]);
      std::swap(places[i], places[place]);
    }
  }
}

}  // namespace syncline
