// SPDX-License-Identifier: Apache-2.0
// Durations of steps as a grid of ranks and steps, small enough for a page.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/report.h"

namespace syncline {

inline constexpr uint16_t kNoStepCell = 4095;

// Steps of one name. Cells are 12 bits: low_ns * (high_ns / low_ns)^(cell / 4094), off by at most
// a thousandth where the longest step is 1,000 times the shortest; kNoStepCell: none.
struct StepMap {
  std::string name;
  bool numbered = false;  // columns are numbers of steps; else they are counted from 0
  uint64_t first = 0;     // the first column's first step
  uint64_t steps = 0;     // from the first to the last
  uint64_t per = 1;       // steps of one cell
  uint64_t columns = 0;
  uint64_t rows_left_out = 0;
  uint64_t low_ns = 0;
  uint64_t high_ns = 0;
  std::vector<std::string> rows;
  std::vector<uint16_t> mean;     // rows.size() times `columns`
  std::vector<uint16_t> longest;  // empty if `per` is 1
};

// The costliest names first.
std::vector<StepMap> StepMaps(const Report& report);

// For the page's script.
std::string StepMapsJson(const std::vector<StepMap>& maps);

}  // namespace syncline
