// SPDX-License-Identifier: Apache-2.0
// Rings of a segment: taking one for a thread, growing it, giving it back.
#pragma once

#include "inject/runtime/process_state.h"

namespace syncline {

// Lays out an empty segment. `bytes` is the size of the mapping, `ring_limit` the largest ring.
void InitSegment(SegmentHeader* header, uint64_t bytes, uint64_t ring_limit);

// Creates pthread key and thread-end handling once; called when a session starts.
void PrepareThreadEnd();

// At exit of a process that outlived its launcher: what the rings hold will be drained by nobody.
// Counts it, in a segment of our own, so that the loss is told.
void CountAbandoned(ProcessState* process);

// Ends this thread's stream at its exit, or from the exit hook: open ranges are closed and marked.
void EndThread(ThreadLog& log);

}  // namespace syncline
