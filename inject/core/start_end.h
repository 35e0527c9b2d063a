// SPDX-License-Identifier: Apache-2.0
// Start/end ranges: process-wide ids, and rows ("lanes") in which ranges never overlap.
#pragma once

#include <cstdint>

namespace syncline {

inline constexpr uint32_t kMaxOpen = 4096;  // start/end ranges open at once in a process

// Any thread, no lock, signal-safe. An id is never 0 and never used twice in a process: it holds
// the lane and how often that lane was used, so a stale or repeated end is found out.

// Claims the lowest free lane and gives its id. Take the range's begin after this. 0: all are in
// use.
uint64_t ClaimRange(uint16_t* lane);

// The lane of an id that ClaimRange gave.
uint16_t LaneOfRange(uint64_t id);

// An id for a range that could not be recorded: its end does nothing.
uint64_t UnrecordedRange();
bool IsUnrecorded(uint64_t id);

// Marks an open range as one that was not recorded after all.
void ForgetRange(uint64_t id);

// What LeaveMarked is to be given at the range's end (RangeMark).
void SetMarks(uint64_t id, uint8_t marks);

enum class EndResult { kRecorded, kForgotten, kUnknown };
// Ends the range and frees its lane. Take the range's end before this. kUnknown: not open (ended
// before, or never begun). `*marks`: as set, 0 without.
EndResult ReleaseRange(uint64_t id, uint8_t* marks);

// The id that a user's own NVTX tool gave to the range; 0 without one.
void SetToolRange(uint64_t id, uint64_t tool_id);
uint64_t ToolRange(uint64_t id);

// In a fork's child: nothing is open; ids of the parent are unknown.
void ForgetAllRanges();

}  // namespace syncline
