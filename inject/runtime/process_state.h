// SPDX-License-Identifier: Apache-2.0
// All that the injected library knows about its process, in one mapping that reads as zero in a
// fork's child.
#pragma once

#include <atomic>
#include <cstdint>

#include "inject/core/segment.h"
#include "inject/core/thread_log.h"

namespace syncline {

enum class SessionState : uint32_t {
  kOff = 0,       // nothing was recorded yet (also: a fork's child, whose mapping was wiped)
  kStarting = 1,  // one thread makes the segment
  kOn = 2,
  kRefused = 3,  // disabled, refused or failed: hooks return at once
};

// The file that holds a segment, by which its rings are reserved. Written before its segment can be
// seen, never changed: threads go on in an old segment while another takes its place.
struct SegmentFile {
  std::atomic<const SegmentHeader*> header;
  char path[256];
};
inline constexpr uint32_t kMaxSegmentFiles =
    8;  // one at the start and one for each dead consumer; then none is taken over

// Where the rings of a segment are. The segment says it too, for its consumer; this process
// believes only its own notes, because whoever holds the segment's memory can write to it. A row is
// written by the thread that makes the ring, before others can see the ring.
struct RingNotes {
  struct Place {
    uint64_t offset;      // of the RingControl, from the start of the segment
    uint64_t data_bytes;  // size of the ring, a power of two; 0: not made
  };
  std::atomic<const SegmentHeader*> header;  // set last
  uint64_t segment_bytes;
  uint64_t ring_limit;               // largest ring, bytes
  std::atomic<uint64_t> bytes_used;  // header and rings so far
  std::atomic<uint32_t> count;       // rings ever made
  Place places[kMaxRings];
};

// The segment that threads record into. Never unmapped: a thread may still be writing to it.
struct Session {
  std::atomic<SegmentHeader*> header;
  uint64_t bytes;
  std::atomic<Doorbell*> doorbell;   // null: nobody to wake
  std::atomic<uint64_t> generation;  // 1, 2, ...: counts the segments of this process
  std::atomic<uint64_t> anchor_ns;   // when the last anchor was taken
  SegmentFile files[kMaxSegmentFiles];
  RingNotes notes[kMaxSegmentFiles];
  std::atomic<bool> handed_over;  // a launcher owns the segment
};

// Private, anonymous, MADV_WIPEONFORK. Made at the first record and leaked. All fields zero at
// birth.
struct ProcessState {
  std::atomic<SessionState> state;
  std::atomic<uint32_t> starter;    // tid of the thread that starts the session
  std::atomic<bool> starts_slowly;  // a thread has waited for it in vain: none waits any more
  Session session;
  uint32_t log_count;  // rows of `logs`; less than kMaxRings under a tight ulimit -v
  std::atomic<uint32_t> log_owner[kMaxRings];  // tid, 0: free
  alignas(64) ThreadLog logs[1];               // log_count of them
};

// The state of this process, made if needed. Null: no memory for it, nothing can be recorded.
ProcessState* GetProcess();
// The same if it exists already.
ProcessState* FindProcess();

}  // namespace syncline
