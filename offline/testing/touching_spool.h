// SPDX-License-Identifier: Apache-2.0
// A spool of slices that touch, nest with one end or begin, or have no length, on each kind of row.
#pragma once

#include <cstdint>
#include <string>

#include "offline/testing/trace_writing.h"

namespace syncline::testing {

struct TouchingSlices {
  uint64_t after_base_ns = 0;  // when the process began
  uint64_t step_ns = 1;        // of its clock
  uint32_t ranges = 40000;     // that touch, on one thread; a tenth as many on each other row
  uint32_t deep = 513;         // ranges in each other, on another
};

// Writes the spool to `path` and returns the job that makes its trace, of rank 0; `output` is left
// to the caller.
TraceJob WriteTouchingSpool(const TouchingSlices& wanted, const std::string& path);

}  // namespace syncline::testing
