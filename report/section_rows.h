// SPDX-License-Identifier: Apache-2.0
// Fills sections with rows.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/stable_sort.h"
#include "model/findings/run_findings.h"
#include "report/report.h"
#include "report/section.h"

namespace syncline {

// Cells of the rows that `choice` wants; of those for few rows `few`. The order of `rows` counts,
// unless the costliest shall stand first, or a column is named.
template <typename Row, typename Cost, typename Cells>
void FillRows(const std::vector<Row>& rows, const RowChoice& choice, size_t few, const Cost& cost,
              const Cells& cells, Section* section) {
  std::vector<const Row*> order;
  order.reserve(rows.size());
  for (const Row& row : rows) order.push_back(&row);
  if (choice.costliest_first) {
    StableSort(&order, [&](const Row* a, const Row* b) { return cost(*a) > cost(*b); });
  }
  section->of = order.size();
  const size_t shown = std::min(order.size(), choice.few ? few : choice.most);
  const size_t column = ColumnNamed(*section, choice.sort_by);
  if (column == SIZE_MAX) order.resize(shown);
  for (const Row* row : order) section->rows.push_back(cells(*row));
  if (column == SIZE_MAX) return;
  SortRows(column, section);
  section->rows.resize(shown);
}

// With what the reader of the report wishes of its tables.
inline RowChoice Wished(const Report& report, RowChoice choice) {
  choice.sort_by = report.wish.column.c_str();
  if (report.wish.most == 0) return choice;
  choice.few = false;
  choice.most = report.wish.most;
  return choice;
}

// Of 1; nothing of nothing.
inline Value ShareOf(uint64_t part, uint64_t whole) {
  if (whole == 0) return Nothing{};
  return static_cast<double>(part) / static_cast<double>(whole);
}

template <typename Number>
Value IfKnown(Number value, bool known) {
  return known ? Value(value) : Value(Unknown{});
}

inline Value Quantile(const DurationSums& sums, double share) {
  return sums.count == 0 ? uint64_t{0} : sums.Quantile(share);
}

}  // namespace syncline
