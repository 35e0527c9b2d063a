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

inline constexpr uint32_t kMaxLogs = kMaxRings;
inline constexpr uint32_t kLogsPerPiece = 16;

// What this process knows of a segment that it made. The segment says most of it too, for its
// consumer; this process believes only its own notes, because whoever holds the segment's memory
// can write to it. Never unmapped.
struct SegmentNotes {
  SegmentHeader* header;
  ProcessFacts facts;
  uint64_t segment_bytes;
  uint64_t ring_limit;  // largest ring, bytes; a power of two
  char path[256];       // file that holds it, by which rings are reserved; "" if none does

  // A segment is mapped whole, or piece by piece where address space is limited. `piece` is where
  // [piece_begin, piece_end) of it lies. These are changed under `making`.
  std::atomic<uint32_t> making;    // a lock
  std::atomic<bool> making_hangs;  // a thread waited for the lock in vain: none waits any more
  char* piece;
  uint64_t piece_begin;
  uint64_t piece_end;
  uint64_t reserved_end;             // of the file
  std::atomic<uint64_t> bytes_used;  // header and rings so far

  // A row is written by the thread that makes the ring, before others can see the ring.
  struct Place {
    RingControl* control;
    uint64_t data_bytes;  // size of the ring, a power of two; 0: not made
  };
  std::atomic<uint32_t> count;             // rings made
  std::atomic<uint32_t> idle[kRingSizes];  // rings that nobody owns, by RingSize
  Place places[kMaxRings];
};

struct InProcessConsumer;

// The segment that threads record into.
struct Session {
  std::atomic<SegmentHeader*> header;
  uint64_t bytes;
  std::atomic<Doorbell*> doorbell;  // null: nobody to wake
  std::atomic<SegmentNotes*> notes;
  std::atomic<bool> handed_over;             // a launcher drains the segment
  std::atomic<bool> taking_over;             // a thread sees whether that launcher is gone
  std::atomic<InProcessConsumer*> consumer;  // null: none of this process's
};

// Private, anonymous, MADV_WIPEONFORK. Made at the first record, or before it where a collector
// starts before it, and leaked. All fields zero at birth.
struct ProcessState {
  std::atomic<SessionState> state;
  std::atomic<uint32_t> starter;         // tid of the thread that starts the session
  std::atomic<bool> starts_slowly;       // a thread has waited for it in vain: none waits any more
  std::atomic<uint32_t> started;         // collectors whose start was called: 1 << source
  std::atomic<uint64_t> libraries_seen;  // libraries ever loaded, as of the last look at them
  Session session;
  std::atomic<uint32_t> log_count;    // logs ever used
  std::atomic<uint32_t> free_logs;    // of these, without an owner
  std::atomic<uint32_t> left;         // counts the threads and rings that became free
  std::atomic<uint32_t> reap_at;      // the log at which the next look for dead threads begins
  std::atomic<uint64_t> retry_ns;     // when a refused thread asked again last
  std::atomic<uint64_t> reap_all_ns;  // when all dead threads were looked for last
  std::atomic<ThreadLog*> log_pieces[kMaxLogs / kLogsPerPiece];  // MADV_WIPEONFORK as well
  std::atomic<uint32_t> log_owner[kMaxLogs];                     // tid, 0: free
};

// Null: not made yet.
inline ThreadLog* LogAt(ProcessState* process, uint32_t index) {
  ThreadLog* piece = process->log_pieces[index / kLogsPerPiece].load(std::memory_order_acquire);
  return piece == nullptr ? nullptr : piece + index % kLogsPerPiece;
}

inline uint32_t LogCount(const ProcessState* process) {
  const uint32_t count = process->log_count.load(std::memory_order_acquire);
  return count < kMaxLogs ? count : kMaxLogs;
}

// The state of this process, made if needed. Null: no memory for it, nothing can be recorded.
ProcessState* GetProcess();
// The same if it exists already.
ProcessState* FindProcess();

}  // namespace syncline
