// SPDX-License-Identifier: Apache-2.0
// How much was recorded of GPUs, and when: all, or why less.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "inject/core/record.h"
#include "model/timeline.h"

namespace syncline {

// As it was recorded: from `ticks` on.
struct GpuModeChange {
  uint64_t ticks = 0;
  GpuMode mode = GpuMode::kAll;
  std::string why;  // a call's name, or a sentence; empty: none
};

// The same, placed in time. For a process that never used a GPU there is none.
struct GpuPeriod {
  uint64_t begin_ns = 0;
  uint64_t end_ns = 0;
  GpuMode mode = GpuMode::kAll;
  std::string why;
};

// "cupti", "left to another client", "calls only", "nothing".
const char* GpuModeName(GpuMode mode);
bool GpuModeFrom(std::string_view name, GpuMode* mode);

// `line` is valid; the last period ends at `end_ns`.
std::vector<GpuPeriod> GpuPeriods(std::vector<GpuModeChange> changes, Timeline* line,
                                  uint64_t end_ns);

}  // namespace syncline
