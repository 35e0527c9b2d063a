// SPDX-License-Identifier: Apache-2.0
// Every time a thread of the host waited for a device: docs/waits.md applied to what was recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "model/findings.h"
#include "model/gpu_records.h"

namespace syncline {

// Sorts `records` (ops and calls by correlation). Wait::op is an index into GpuRecords::ops in that
// order.
// Ordered by begin. O(n log n); 4 bytes an operation and one Wait each beyond the records.
//
// What is certain and what is measured. Explicit synchronisation and blocking copies give a record
// by their name, stream and memory kinds. Every other row gives one only if the call was held up:
// some of the work that it would wait for was pending at entry, all of it had ended at exit, and
// that explains the call's length (held_calls.h). Of calls that never returned only those two kinds
// are waits: what any other was doing, nobody can tell.
std::vector<Wait> FindWaits(GpuRecords& records);

}  // namespace syncline
