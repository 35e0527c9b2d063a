// SPDX-License-Identifier: Apache-2.0
// What a thread needs to record: its ring, its open ranges, the names it has defined. Private
// memory of the process.
#pragma once

#include <atomic>
#include <cstdint>

#include "inject/core/record.h"
#include "inject/core/segment.h"

namespace syncline {

inline constexpr uint32_t kNameCacheEntries = 256;
inline constexpr uint32_t kInlineNameBytes = 47;
inline constexpr uint32_t kThreadDomains = 64;
inline constexpr uint32_t kNestedDeviceTimes = 4;

// A name that this thread has defined in its stream, keyed by where the program keeps it and
// verified by content, because programs reuse buffers for different names.
struct NameCacheEntry {
  const void* key;
  uint32_t id;
  uint16_t bytes;  // length of copy; kHashedName: copy holds {hash, length}; with kMarkedName
  char copy[kInlineNameBytes + 1];
  uint8_t marks;  // RangeMark: what a range of this name may be; kMarksUnknown: not looked up yet
  uint8_t reserved;
};
// A long name: 64-bit hash and length stand for its content.
inline constexpr uint16_t kHashedName = 0x7fff;
// The key is a handle of ours: never reused, nothing to verify.
inline constexpr uint16_t kHandleName = 0x7ffe;
// Added to `bytes`: it may be a stage or a step, so that what takes plain names alone passes it by.
inline constexpr uint16_t kMarkedName = 0x8000;
inline constexpr uint8_t kMarksUnknown = 0x80;
static_assert(sizeof(NameCacheEntry) == 64);
// A content that this thread has defined in its stream (defined_contents.h).
struct DefinedContent {
  uint64_t hash;
  uint32_t id;  // 0: none
  uint32_t reserved;
};
inline constexpr uint32_t kDefinedContents = 512;
inline uint16_t PlainBytes(const NameCacheEntry& entry) {
  return static_cast<uint16_t>(entry.bytes & ~kMarkedName);
}

// ThreadLog::busy says three things in one word, so that a hook that can do without all asks once:
// these bits, which last, and above them the stack pointer of the hook that is in the log, 0 if
// none is. A signal handler must not enter then. A hook that a handler left by siglongjmp is known
// by its place: what the thread runs now lies above it (LeftByJump).
inline constexpr uint64_t kSlowClock = 1;     // time stamps need a call
inline constexpr uint64_t kOutsideStage = 2;  // nothing of this thread is recorded now
inline constexpr uint64_t kHasGate = 4;       // the process's gate may be closed: gate.h
inline constexpr uint64_t kLastingBits = kSlowClock | kOutsideStage | kHasGate;

// Writes the caller's stack pointer, a multiple of 8, in one instruction.
inline __attribute__((always_inline)) void StoreStackPointer(uint64_t* out) {
#if defined(__x86_64__)
  asm volatile("mov %%rsp, %0" : "=m"(*out));
#else
  *out = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
#endif
}
// The same, with the bits that are in `word` already.
inline __attribute__((always_inline)) void AddStackPointer(uint64_t* word) {
#if defined(__x86_64__)
  asm volatile("or %%rsp, %0" : "+m"(*word) : : "cc");
#else
  *word |= reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
#endif
}

// Lives in MADV_WIPEONFORK memory: in a fork's child everything here reads as zero, so that every
// fast path below fails its bounds check and enters the slow path, which makes a new session. Owned
// by one thread; only that thread and signal handlers on it touch it.
struct ThreadLog {
  uint64_t head;   // bytes written to the ring
  uint64_t limit;  // head may grow to this unasked: the nearer of ring full and half-full mark
  char* data;
  uint64_t mask;  // ring bytes - 1
  RingControl* control;
  SegmentHeader* segment;  // the process's
  OpenRange* stack;
  uint64_t busy;         // kLastingBits, and where the hook is that is in the log
  uint32_t depth;        // open ranges, as control->depth
  uint32_t depth_limit;  // room on the ring's stack while the thread may record, else 0
  uint32_t over_depth;   // pushes beyond kMaxOpenRanges that were not popped yet
  uint32_t next_name;
  uint32_t ring;           // index in SegmentHeader::rings
  uint32_t tid;            // 0: never used
  uint32_t index;          // of this log in the process
  uint32_t part;           // how often the ring was replaced by a larger one
  uint32_t left_out_call;  // correlation of the last call that a closed gate left out
  uint64_t stream;
  uint64_t registry_seen;  // collectors: state of their registry when this thread last looked
  uint64_t sign_seen;      // the consumer's last sign of life, and since when it is the same
  uint64_t sign_seen_ns;
  uint64_t replace_at_ns;  // no larger ring was to be had: asked for again then
  uint64_t domain_count;
  void* stacks;  // of call_stacks.h's taker: outlives the thread, and serves the log's next one
  uint64_t worked_at;    // when the last call ended that gave a device work
  uint64_t stack_at;     // when a stack of a call was last asked for
  uint64_t stacks_rest;  // until then calls that are of no chosen role have none
  uint32_t last_stack;   // the highest id so far
  // Regions of this thread that ask for their device time, the innermost first: device_times.h.
  uint32_t device_times[kNestedDeviceTimes];
  const void* queried;  // what the last call asked about that was not done yet; else null
  uint64_t open_calls[kMaxSources];  // calls of a source that this thread is inside of: call_log.h
  const void* domains[kThreadDomains];  // domain handles defined in this stream; id is index + 1
  NameCacheEntry names[kNameCacheEntries];
  uint64_t content_count;  // of definitions below; the last fields: 0 where they were never touched
  DefinedContent contents[kDefinedContents];
};

// This thread's log. Initial-exec: one load, also when the library was loaded late.
extern __thread ThreadLog* t_log __attribute__((tls_model("initial-exec")));

// What the hook that enters is about to do: only a beginning (or a mark) that cannot be recorded
// counts as a loss.
enum class HookKind { kBegins, kEnds };

// Slow path of entering: starts the session, takes a ring. Null: this thread cannot record
// (counted). Keeps errno.
ThreadLog* AcquireThreadLog(HookKind kind);

// For a pop without a range: whether its push was counted as lost before the thread had a ring.
// Forgets one such push.
bool ForgetLostPush();

// Slow path of reserving: rings the doorbell at half-full, grows the ring, takes over from a dead
// consumer. After it returned true `bytes` are free at head without wrapping. False: the record is
// lost, the caller counts it. Keeps errno.
bool MakeRoom(ThreadLog& log, uint64_t bytes);

// Slow path of pushing: gives a thread whose ring has room for few open ranges one that has room
// for kMaxOpenRanges. False: there is none, or the thread has it already. Keeps errno.
bool MakeDepth(ThreadLog& log);

// For a hook that finds another one of its thread in the log: whether that one was left by a jump
// (siglongjmp out of a handler that had interrupted it). Undoes then what it had not finished, so
// that the thread records again.
bool LeftByJump(ThreadLog& log);

// Adds to the process's loss counters; before a segment exists the loss is kept and added later.
// Any thread, signal-safe.
void CountLoss(Loss kind, uint64_t count = 1);

}  // namespace syncline
