// SPDX-License-Identifier: Apache-2.0
// Rings of a segment: laying out the segment, making rings, reusing those that threads left.
#pragma once

#include "inject/runtime/process_state.h"

namespace syncline {

inline constexpr uint64_t kRingGrowth =
    4;  // a ring that is too small is replaced by one so much larger

// Lays out an empty segment. `bytes` is the size of the mapping, `ring_limit` the largest ring.
// `notes`: where this process keeps for itself what it must not read back.
void InitSegment(SegmentHeader* header, uint64_t bytes, uint64_t ring_limit, RingNotes* notes);

// The largest ring that a thread may grow to, bytes.
uint64_t RingLimit(ProcessState* process, const SegmentHeader* header);

// A ring of at least `bytes` for the calling thread, an idle one if possible. Its index, or -1: the
// segment is full. Any thread.
int TakeRing(ProcessState* process, SegmentHeader* header, uint64_t bytes);

// An idle ring of at least `bytes`, with room for a thread to begin in it. Its index, or -1.
int ReuseRing(ProcessState* process, SegmentHeader* header, uint64_t bytes);

// Gives a ring back. What is in it will still be drained.
void LeaveRing(SegmentHeader* header, uint32_t index);

// Points the thread at ring `index`, whose open ranges it brings along.
void MoveInto(ProcessState* process, ThreadLog& log, SegmentHeader* header, uint32_t index);

// Begins (kStream) or ends (kStreamEnd) the thread's stream in its ring. False: no room.
bool EmitStream(ThreadLog& log, RecordKind kind);

}  // namespace syncline
