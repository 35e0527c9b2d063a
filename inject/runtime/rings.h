// SPDX-License-Identifier: Apache-2.0
// Rings of a segment: laying out the segment, making rings, reusing those that threads left.
#pragma once

#include "inject/runtime/process_state.h"
#include "inject/runtime/segment_maker.h"

namespace syncline {

// A ring that is too small is replaced by one that is this many times as large.
inline constexpr uint64_t kRingGrowth = 4;

// Lays out an empty segment in `memory`, of which at most RingLimit bytes go to one ring. Null: no
// memory for what this process keeps of it for itself.
SegmentNotes* InitSegment(const SegmentMemory& memory, uint64_t ring_limit);

// What this process knows of the segment; null: not one that it made.
SegmentNotes* NotesOf(ProcessState* process);

// The largest ring that a thread may grow to, bytes.
uint64_t RingLimit(ProcessState* process);

// A ring of at least `bytes`, a power of two, for the calling thread, an idle one if possible. Its
// index, or -1: the segment is full. Any thread; signals are blocked.
int TakeRing(ProcessState* process, uint64_t bytes);

// An idle ring of at least `bytes`, with room for a thread to begin in it. Its index, or -1.
int ReuseRing(ProcessState* process, uint64_t bytes);

// The process is about to end: what its threads hold goes to the consumer. Any thread.
void PublishAllHeld(ProcessState* process);

// Gives a ring back. What is in it will still be drained.
void LeaveRing(ProcessState* process, uint32_t index);

// Where a ring of the segment lies in this process; null: there is none of this size. `notes` is a
// SegmentNotes.
RingControl* LocateRing(void* notes, uint32_t index, uint64_t data_bytes);
// How many rings it has. `notes` as above.
uint32_t CountRings(void* notes);

// Points the thread at ring `index`, whose open ranges it brings along.
void MoveInto(ProcessState* process, ThreadLog& log, uint32_t index);

// Begins (kStream) or ends (kStreamEnd) the thread's stream in its ring. False: no room.
bool EmitStream(ThreadLog& log, RecordKind kind);

}  // namespace syncline
