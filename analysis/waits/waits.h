// SPDX-License-Identifier: Apache-2.0
// Every time a thread of the host waited for a device. Applies a source's rules (those of CUDA:
// docs/waits.md) to what the source recorded.
#pragma once

#include <cstdint>
#include <vector>

#include "model/devices/gpu_records.h"
#include "model/findings/findings.h"
#include "model/findings/wait_rules.h"

namespace syncline {

// Sorts `records` (ops and calls by correlation); Wait::op is an index into GpuRecords::ops in that
// order. The waits are ordered by begin. O(n log n); takes 4 bytes an operation and one Wait each
// beyond the records.
//
// Explicit synchronisation and blocking copies are certain: role, stream and memory kinds decide
// that the call is a wait. Every other call of the rules is a wait only if it was held up:
// - some of the work that it would wait for was pending when it began;
// - all of that work had ended when it returned;
// - that explains the call's length (stalled_calls.h).
// A call that never returned is a wait only if it is of the two certain kinds: nobody can tell what
// any other call was doing.
std::vector<Wait> FindWaits(GpuRecords& records, const WaitRules& rules);

}  // namespace syncline
