// SPDX-License-Identifier: Apache-2.0
// That devices work for little of the time is said by the line that takes most of it.
#pragma once

#include <cstdint>
#include <vector>

#include "report/report.h"

namespace syncline {

struct WorkedTime {
  uint64_t busy_ns = 0;  // of seen_ns
  uint64_t seen_ns = 0;
  uint64_t whole_ns = 0;  // of all ranks
  uint64_t ranks = 1;
};

// Of findings that have their gains and are not in order yet. Nothing where devices work, or where
// no line takes half of the time, again and again.
void TellThatDevicesHardlyWork(const WorkedTime& time, std::vector<ReportFinding>* found);

}  // namespace syncline
