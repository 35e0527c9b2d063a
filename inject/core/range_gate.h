// SPDX-License-Identifier: Apache-2.0
// Opens and closes the gate: by stages, steps, the program's calls of a profiler.
#pragma once

#include <atomic>
#include <cstdint>

#include "inject/core/gate.h"

namespace syncline {

// The gate of a process that begins to record: its options are read, a fork's child goes on with
// its parent's. `start_ns`: MONOTONIC of the process's start. Call it before the first name is
// looked up.
void PrepareGate(SegmentHeader* header, uint64_t start_ns);

// Whether nothing of this thread is recorded now, while the process's gate is open.
bool IsOutsideStage();

// A new log of a thread that is inside a stage of its own already (a fork's child).
void TellStageOfThread(ThreadLog& log);

// All below: inside a HookScope. A range's begin is taken after Enter, so that a stage is recorded
// itself; its end's record is written before Leave. Enter gives what Leave is to be given, by
// whichever thread: the RangeMarks that counted. `nests`: a range of the thread's stack, not one
// that any thread may end, which is no stage of a thread's own gate.
uint8_t EnterMarked(ThreadLog& log, uint8_t marks, bool nests);
void LeaveMarked(ThreadLog& log, uint8_t marks);

// The program asks a profiler to begin or to end (cudaProfilerStart, cudaProfilerStop). Nothing
// happens unless --gate names that.
void SetProfiled(ThreadLog& log, bool profiled);
bool ProfilerGates();

// The program itself asks for nothing to be recorded, or for recording again. False: --gate does
// not name that, and nothing happens.
bool SetPaused(ThreadLog& log, bool paused);

// Whether what begins on this thread now is recorded, as far as the gate goes; before the process
// has recorded anything, whether it would be. Any thread.
bool IsRecordingNow();

// Whether nothing more is recorded, whatever the process does: its last step that was to be
// recorded is over, or its time (--duration) is. Any thread.
bool RecordingIsOver();

// Whether what begins now in this process is left out until one of its own threads opens the gate,
// or for good: then a collector may stay away, and come back when it is told. Not while --delay
// alone keeps the gate closed, which the consumer opens. Any thread.
bool IsShut();

// `opens` is called whenever that has ended, by the thread that has ended it, in the middle of its
// hook: no heap, and no lock but one that is held for a moment. One collector.
void WhenOpened(void (*opens)());

// A collector whose presence made the program slower has left it, for that reason: the steps that
// begin from now on are told, so that a reader can compare them with those that were recorded.
// False: something else makes it slower now.
void TellBareSteps(bool bare);

}  // namespace syncline
