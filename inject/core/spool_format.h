// SPDX-License-Identifier: Apache-2.0
// Format of a spool file: what the consumer appends while a process runs, and what the readers
// read. docs/spool-format.md.
#pragma once

#include <cstdint>

#include "inject/core/segment.h"

namespace syncline {

// One file per segment: a sequence of blocks, each 8-byte aligned, each with its own checksum,
// appended whole. A file may end anywhere (the machine died): the reader takes the blocks that are
// whole and says how many bytes it left. Little-endian. Blocks of a ring are in the order in which
// the ring was written.
inline constexpr uint32_t kBlockMagic = 0x4b425953;  // "SYBK"
inline constexpr uint32_t kSpoolVersion = 2;
inline constexpr uint32_t kMaxBlockBytes = 64u << 20;  // payload; larger is damage
inline constexpr char kSpoolSuffix[] = ".spool";
// Beside a spool: a link to the file segment it came from.
inline constexpr char kSegmentLinkSuffix[] = ".segment";

enum class BlockType : uint16_t {
  kProcess = 1,   // SpoolProcess; the first block of the file
  kRecords = 2,   // whole records of one ring, `ring` tells which; may end inside no record
  kAnchor = 3,    // Anchor[]: taken by the consumer, monotonic_ns in its time namespace
  kOpen = 4,      // SpoolOpen, then OpenRange[depth]: ranges open at the end; the last one counts
  kCounters = 5,  // SpoolCounters: losses and exit facts; the last one counts
  kLog = 6,       // text of the process's log, whole lines
  kEnd = 7,       // SpoolEnd: the process is gone and everything was drained; the file is complete
  kOpenCall = 8,  // SpoolOpenCall: a call that had not returned when the process was gone
  kGate = 9,      // SpoolGate: the consumer changed the gate, or counts of what it kept out
  kLast = kGate
};

struct BlockHead {
  uint32_t magic;     // kBlockMagic
  uint16_t type;      // BlockType
  uint16_t version;   // kSpoolVersion
  uint32_t bytes;     // of payload; the next block begins after padding to 8
  uint32_t checksum;  // CRC-32C of the head with this field 0, then of the payload
  uint32_t ring;      // kRecords, kOpen, kOpenCall: index of the ring; else 0
  uint32_t sequence;  // of blocks in this file, from 0: a gap is a lost block
};
static_assert(sizeof(BlockHead) == 24);

struct SpoolProcess {
  uint64_t segment_bytes;
  uint32_t layout_version;
  uint32_t clock;  // ClockId
  char build[32];
  int32_t outer_pid;      // the process's pid as the consumer sees it; facts.pid as it sees itself
  uint32_t consumer;      // 0: in the launcher; 1: in the process itself; 2: recovered after death
  Anchor start;           // taken by the process: monotonic and boottime in its time namespace
  Anchor consumer_start;  // taken by the consumer when it got the segment
  ProcessFacts facts;
};

struct SpoolOpen {
  uint64_t stream;
  uint32_t tid;
  uint32_t depth;
};

struct SpoolOpenCall {
  uint64_t stream;
  uint32_t tid;
  uint32_t stack;   // as in CallStack
  CallRecord call;  // end and result are 0
};

struct SpoolCounters {
  // 0: no exit hook was seen; 1: exit_status and exit_ticks are set; 2: none was seen, and the
  // process is gone and all was drained
  uint32_t exit_state;
  int32_t exit_status;  // as given to exit()
  uint64_t exit_ticks;
  uint32_t degraded;    // Degraded bits
  uint32_t loss_table;  // of `losses`: ProcessFacts::loss_table
  uint64_t self_ticks;
  uint64_t ring_bytes;     // drained so far
  uint64_t dropped_bytes;  // drained but not spooled: disk full or over budget
  uint64_t losses[kMaxLossKinds];
};

struct SpoolGate {
  GateRecord change;            // head.kind 0: none, only counts
  uint64_t gated[kGatedKinds];  // so far, in the process
  uint64_t steps;               // that began
};

struct SpoolEnd {
  uint64_t ticks;         // of the process's clock; when the consumer saw that the process was gone
  uint32_t status_known;  // 0: unknown, 1: wait status below is the truth
  int32_t wait_status;    // as of waitpid
};

static_assert(sizeof(SpoolOpen) == 16 && sizeof(SpoolEnd) == 16);
static_assert(sizeof(SpoolOpenCall) == 48 && sizeof(SpoolGate) == 64);

}  // namespace syncline
