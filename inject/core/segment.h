// SPDX-License-Identifier: Apache-2.0
// Layout of the segment: the one mapping that a traced process shares with its consumer.
#pragma once

#include <atomic>
#include <cstdint>

#include "inject/core/record.h"

namespace syncline {

// The process creates it, fills it and never trusts what it reads back; the consumer may read all
// of it and writes only RingControl::tail and SegmentHeader::consumer*. Everything in it is
// hostile input to whoever reads it: offsets and sizes are copied once, checked against the size of
// the mapping, and then used.
inline constexpr char kSegmentMagic[8] = {'S', 'Y', 'N', 'C', 'S', 'E', 'G', '1'};
// The layout of segment and hand-over; both sides must have the same.
inline constexpr uint32_t kLayoutVersion = 10;
inline constexpr uint32_t kMaxRings = 16384;
inline constexpr uint32_t kMaxOpenRanges = 512;  // per thread
// A thread begins with the smallest ring and room for few open ranges, so that ten thousand threads
// fit; a thread that needs more of either gets a larger ring.
inline constexpr uint64_t kMinRingBytes = 8 << 10;
inline constexpr uint64_t kDeepRingBytes = 64 << 10;  // from here on a ring has the whole stack
inline constexpr uint32_t kFewOpenRanges = 16;
inline constexpr uint32_t kRingSizes = 24;  // powers of two from kMinRingBytes
inline constexpr uint32_t kLogBytes = 8192;
inline constexpr uint32_t kCommandLineBytes = 4096;
inline constexpr uint32_t kSpoolPathBytes = 4096;  // PATH_MAX

enum class ClockId : uint32_t { kTsc = 1, kMonotonic = 2 };

enum Loss : uint32_t {
#define SYNCLINE_LOSS(name, of, meaning, remedy) kLoss_##name,
#include "all_losses.def"
#undef SYNCLINE_LOSS
  kLossKinds
};
inline constexpr uint32_t kMaxLossKinds = 48;  // room in the layout
static_assert(kLossKinds <= kMaxLossKinds);

// One moment on all clocks, in the order read; `ticks` was read before and after the others,
// `error` is half the distance.
struct Anchor {
  uint64_t ticks;  // of the segment's clock
  uint64_t error_ticks;
  uint64_t monotonic_ns;
  uint64_t monotonic_raw_ns;
  uint64_t realtime_ns;
  uint64_t boottime_ns;
};
static_assert(sizeof(Anchor) == 48);

enum class LauncherKind : uint32_t {
  kNone = 0,
  kTorchrun,
  kOpenMpi,
  kPmix,
  kPmi,
  kPals,
  kMvapich,
  kIntelMpi,
  kFlux,
  kJsm,
  kAlps,
  kSlurm,
  kByHand
};

struct RankFacts {
  int32_t rank;        // -1: unknown
  int32_t world_size;  // -1: unknown
  int32_t local_rank;  // -1: unknown
  int32_t local_size;  // -1: unknown
  int32_t node;        // -1: unknown
  uint32_t launcher;   // LauncherKind
  int32_t attempt;     // 0: the first; the launcher started the ranks anew so often; -1: unknown
  int32_t spawned;     // 0: the launcher started the rank; N: the Nth MPI_Comm_spawn; -1: unknown
  uint32_t job;        // hash of what its launcher calls the job; 0: unknown
  uint32_t starter;    // hash of what the process that started the ranks here is known by; 0: none
};

// Facts about the process, all taken once, when the segment (or the start note, handover.h) is
// made.
struct ProcessFacts {
  int32_t pid;  // as the process sees itself
  int32_t ppid;
  uint32_t uid;
  uint32_t loss_table;     // LossTable() of the library that counts; 0: one that does not say
  uint64_t pid_namespace;  // inode of /proc/self/ns/pid, 0: unknown
  uint64_t start_time;     // field 22 of /proc/self/stat: clock ticks after boot; with pid it names
                           // the process
  RankFacts rank;
  char host[64];         // node name: from the launcher's variables, else gethostname; terminated
  char executable[256];  // /proc/self/exe, cut; terminated
  char comm[16];         // terminated
  uint32_t command_line_bytes;  // arguments joined by NUL; 0 with --no-command-line
  char command_line[kCommandLineBytes];
  uint32_t gate;  // 0: all is recorded; else kIsGated and the GateReasons at the segment's begin
};

// Why the gate is closed (gate.h).
enum GateReason : uint8_t {
  kNoStage = 1,      // --stages
  kExcluded = 2,     // --exclude-stages
  kNoStep = 4,       // --steps, --schedule
  kNotProfiled = 8,  // --gate cuda-profiler
  kTooEarly = 16,    // --delay
  kTooLate = 32,     // --duration
  kPaused = 64,      // --gate program: the program asked for it
};
inline constexpr uint64_t kGateReasons = 0xff;
inline constexpr uint32_t kIsGated = 0x100;
// Each thread waits for a stage of its own (--stage-scope thread with --stages).
inline constexpr uint32_t kStagesOfThreads = 0x200;

// What was not recorded because the gate was closed when it began.
enum Gated : uint32_t { kGatedRanges, kGatedCalls, kGatedDeviceOps, kGatedKinds };

enum class RingState : uint32_t {
  kUnused = 0,  // never made
  kIdle = 1,    // made, no thread owns it; may still hold records that were not drained
  kOwned = 2,   // a thread writes to it
};

// A row of the table of rings. `state` is changed by compare-exchange; the others are written
// before state leaves kUnused.
struct RingEntry {
  std::atomic<uint32_t> state;     // RingState
  std::atomic<uint32_t> previous;  // 1 + index of the ring whose stream is continued here: to be
                                   // drained first; 0: none
  uint64_t offset;                 // of the RingControl, from the start of the segment
  uint64_t data_bytes;             // size of the ring, a power of two
  uint64_t reserved;
};
static_assert(sizeof(RingEntry) == 32);

// The outermost call of a source that a thread is inside of, so that one that never returns is
// seen after a kill. The owner writes `begin` last (release) and clears it first.
struct OpenCall {
  std::atomic<uint64_t> begin;  // ticks; 0: in no call
  std::atomic<uint32_t> name;   // these as in CallRecord
  std::atomic<uint32_t> correlation;
  std::atomic<uint8_t> role;
  std::atomic<uint8_t> flags;
  std::atomic<uint32_t> stack;  // as in CallStack
};
static_assert(sizeof(OpenCall) == 24);

// Followed by OpenRange stack[OpenRangesOf(data_bytes)], then data_bytes of slots.
struct RingControl {
  alignas(64) std::atomic<uint64_t> head;  // bytes ever written; producer, release; pairs with the
                                           // consumer's acquire
  std::atomic<uint32_t> depth;             // entries of the stack in use; producer, release
  std::atomic<uint32_t> tid;               // owner
  std::atomic<uint64_t> stream;            // of the open ranges on the stack, and of `calls`
  OpenCall calls[kMaxSources];             // by source
  std::atomic<uint64_t> gated[kGatedKinds];  // because the gate was closed; producer
  std::atomic<uint64_t> held;                // kHeldMark and the head behind which the owner has a
                                             // whole record of kHeldBytes that it may change; of no
                                             // meaning where head is another one; producer, release
  alignas(64) std::atomic<uint64_t> tail;  // bytes ever drained; consumer, release; pairs with the
                                           // producer's acquire
};
static_assert(sizeof(RingControl) == 512);
inline constexpr uint64_t kHeldMark = 1;
inline constexpr uint64_t kHeldBytes = 2 * kSlotBytes;

inline bool HoldsRecord(const RingControl& control, uint64_t head) {
  return control.held.load(std::memory_order_acquire) == (head | kHeldMark);
}

// For an owner that is gone, or whose process is about to be: the consumer gets what it held. An
// owner that goes on meanwhile sees that it holds nothing any more.
inline void PublishHeldOf(RingControl* control) {
  uint64_t head = control->head.load(std::memory_order_acquire);
  if (HoldsRecord(*control, head))
    control->head.compare_exchange_strong(head, head + kHeldBytes, std::memory_order_acq_rel);
}

inline constexpr uint64_t kStackOffset = sizeof(RingControl);
inline constexpr uint32_t OpenRangesOf(uint64_t data_bytes) {
  return data_bytes < kDeepRingBytes ? kFewOpenRanges : kMaxOpenRanges;
}
inline constexpr uint64_t DataOffset(uint64_t data_bytes) {
  return kStackOffset + OpenRangesOf(data_bytes) * sizeof(OpenRange);
}
// How much of the segment a ring takes: whole pages.
inline constexpr uint64_t RingFootprint(uint64_t data_bytes) {
  return (DataOffset(data_bytes) + data_bytes + 4095) & ~uint64_t{4095};
}

// How far the consumer has come: its spool ends at `bytes` with the block before `sequence`. The
// block that was written last took ring `ring` up to `tail`; kNoRing: it was of no ring.
inline constexpr uint32_t kNoRing = UINT32_MAX;
struct SpoolMark {
  uint64_t bytes;
  uint64_t tail;
  uint32_t sequence;
  uint32_t ring;
};

// For the consumer that goes on after this one: a mark and a path are written to the row that is
// not in use, then it is made the one in use. So a consumer that is killed leaves them whole.
struct ConsumerNotes {
  SpoolMark marks[2];
  std::atomic<uint32_t> mark;       // row in use
  std::atomic<uint32_t> spool;      // 1 + row in use; 0: nobody has the segment yet
  char spools[2][kSpoolPathBytes];  // as the consumer sees it; terminated
  // Of `losses` and `consumer_losses`, what another spool of this segment tells.
  std::atomic<uint64_t> told[kMaxLossKinds];
  std::atomic<uint32_t> has_hole;  // 1: records were dropped; what follows lacks its names
};

struct SegmentHeader {
  char magic[8];
  uint32_t layout_version;
  uint32_t header_bytes;  // sizeof(SegmentHeader)
  uint64_t segment_bytes;
  char build[32];  // version and build id, terminated
  uint32_t clock;  // ClockId
  uint32_t reserved;
  uint64_t ring_limit;  // largest ring a thread may grow to, bytes
  Anchor start;         // taken when the segment was made
  ProcessFacts facts;

  std::atomic<uint64_t> gate;       // GateWord (gate.h)
  std::atomic<uint64_t> steps;      // of --step-range that began, recorded or not
  std::atomic<uint64_t> closed_ns;  // MONOTONIC of the process: when the gate was last closed
  uint64_t open_after_ns;   // MONOTONIC of the process: the consumer takes kTooEarly away; 0: never
  uint64_t close_after_ns;  // ... and adds kTooLate

  alignas(64) std::atomic<uint64_t> bytes_used;  // header and rings so far; producer
  std::atomic<uint64_t> next_stream;
  std::atomic<uint32_t> ring_count;  // rows of `rings` in use (high-water mark)
  // 0: running; 1: exit hook reached, exit_status and exit_ticks are set.
  std::atomic<uint32_t> exit_state;
  std::atomic<int32_t> exit_status;
  std::atomic<uint32_t> degraded;  // Degraded bits
  std::atomic<uint64_t> exit_ticks;
  std::atomic<uint64_t> self_ticks;  // time spent in our slow paths
  std::atomic<uint64_t> losses[kMaxLossKinds];
  // Consumer; kept here for the consumer that continues after its death.
  std::atomic<uint64_t> consumer_losses[kMaxLossKinds];
  ConsumerNotes consumer;

  // Text in `log`, whole lines; more than kLogBytes: the rest was cut.
  std::atomic<uint32_t> log_bytes;
  char log[kLogBytes];

  alignas(4096) RingEntry rings[kMaxRings];  // in a file, its pages are reserved as rows are used
};
static_assert(sizeof(SegmentHeader) % 4096 == 0);

// Named steps of degrading, visible in trace and manifest.
enum Degraded : uint32_t {
  kRingsStoppedGrowing = 1,  // the segment's budget is used up
  kThreadsWithoutRing = 2,
  kNoDoorbell = 4,  // the launcher did not answer in 5 ms: it polls
  // The segment survives nothing: no memfd, no usable /dev/shm or temporary directory.
  kAnonymousMemory = 8,
  kFileMemory = 16,      // segment is a file: survives SIGKILL, not a full file system
  kSmallSegment = 32,    // a resource limit made it smaller than the budget
  kNoAddressSpace = 64,  // a ring could not be mapped: ulimit -v
  // No degrading: the program has the library of an event loop, whose tasks share a thread.
  kHasEventLoop = 128,
};

// The doorbell: one page of the consumer, mapped by each process that handed a segment over.
struct Doorbell {
  std::atomic<uint32_t> futex;     // producers add 1 and wake when `sleeping`
  std::atomic<uint32_t> sleeping;  // 1 while the consumer sleeps on `futex`
  // MONOTONIC of the last poll; producers only compare two values for change.
  std::atomic<uint64_t> heartbeat_ns;
  std::atomic<uint32_t> closing;      // 1: the launcher has ended: drain your segment yourself
  std::atomic<uint32_t> over_budget;  // 1: the node's memory budget is used up: grow no ring
};

}  // namespace syncline
