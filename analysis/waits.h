// SPDX-License-Identifier: Apache-2.0
// Every time a thread of the host waited for a device: a source's rules (of CUDA: docs/waits.md)
// applied to what it recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "model/findings.h"
#include "model/gpu_records.h"
#include "model/wait_rules.h"

namespace syncline {

// Sorts `records` (ops and calls by correlation). Wait::op is an index into GpuRecords::ops in that
// order.
// Ordered by begin. O(n log n); 4 bytes an operation and one Wait each beyond the records.
//
// What is certain and what is measured. Explicit synchronisation and blocking copies give a record
// by their role, stream and memory kinds. Every other row gives one only if the call was held up:
// some of the work that it would wait for was pending at entry, all of it had ended at exit, and
// that explains the call's length (held_calls.h). Of calls that never returned only those two kinds
// are waits: what any other was doing, nobody can tell.
std::vector<Wait> FindWaits(GpuRecords& records, const WaitRules& rules);

}  // namespace syncline
