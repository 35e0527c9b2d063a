// SPDX-License-Identifier: Apache-2.0
// The slow paths of recording: entering a thread, making room, growing, leaving.
#include "inject/runtime/rings.h"

#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#include <cstring>

#include "inject/core/clock.h"
#include "inject/core/emit.h"
#include "inject/core/process_facts.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"
#include "inject/core/version.h"
#include "inject/runtime/segment_maker.h"
#include "inject/runtime/session.h"

namespace syncline {

__thread ThreadLog* t_log __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

constexpr uint64_t kGrowthFactor = 4;
constexpr uint64_t kDeadAfterNs =
    2000000000;  // a consumer whose heartbeat stood still this long is dead
constexpr uint64_t kStandsAfterNs = 500000000;
constexpr uint64_t kAnchorEveryNs = 4000000000;  // in the producer; the consumer takes its own
constexpr pthread_key_t kInlineKeys = 32;        // glibc: setting a key beyond these allocates

// Pushes of this thread that found no ring; their pops are to come.
__thread uint32_t t_lost_pushes __attribute__((tls_model("initial-exec"))) = 0;

pthread_key_t g_key;
std::atomic<bool> g_have_key;

SegmentHeader* Header(ProcessState* process) {
  return process->session.header.load(std::memory_order_acquire);
}

RingControl* ControlOf(SegmentHeader* header, uint32_t index) {
  return reinterpret_cast<RingControl*>(reinterpret_cast<char*>(header) +
                                        header->rings[index].offset);
}

void Degrade(SegmentHeader* header, uint32_t bit) {
  header->degraded.fetch_or(bit, std::memory_order_relaxed);
}

// The file that holds the segment; "" if none does.
const char* FileOf(const ProcessState* process, const SegmentHeader* header) {
  for (const SegmentFile& file : process->session.files) {
    if (file.header.load(std::memory_order_acquire) == header) return file.path;
  }
  return "";
}

// Takes space for a new ring of `bytes`. Its index, or -1.
int MakeRing(ProcessState* process, SegmentHeader* header, uint64_t bytes) {
  const uint64_t footprint = RingFootprint(bytes);
  uint64_t at = header->bytes_used.load(std::memory_order_relaxed);
  do {
    if (footprint > header->segment_bytes || at > header->segment_bytes - footprint) return -1;
  } while (
      !header->bytes_used.compare_exchange_weak(at, at + footprint, std::memory_order_relaxed));
  const char* path = FileOf(process, header);
  if (*path != '\0' && !ReserveFile(path, at, footprint)) return -1;
  const uint32_t index = header->ring_count.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMaxRings) {
    header->ring_count.store(kMaxRings, std::memory_order_relaxed);
    return -1;
  }
  RingEntry& entry = header->rings[index];
  entry.offset = at;
  entry.data_bytes = bytes;
  // Release: pairs with the consumer's acquire before it reads offset and size.
  entry.state.store(static_cast<uint32_t>(RingState::kOwned), std::memory_order_release);
  return static_cast<int>(index);
}

// An idle ring of at least `bytes`, with room for a thread to begin in it. Its index, or -1.
int ReuseRing(SegmentHeader* header, uint64_t bytes) {
  uint32_t count = header->ring_count.load(std::memory_order_acquire);
  if (count > kMaxRings) count = kMaxRings;
  for (uint32_t i = 0; i < count; ++i) {
    RingEntry& entry = header->rings[i];
    // Acquire: pairs with the release of the thread that made the ring, or left it.
    uint32_t state = entry.state.load(std::memory_order_acquire);
    if (state != static_cast<uint32_t>(RingState::kIdle) || entry.data_bytes < bytes) continue;
    if (!entry.state.compare_exchange_strong(state, static_cast<uint32_t>(RingState::kOwned),
                                             std::memory_order_acquire))
      continue;
    RingControl* control = ControlOf(header, i);
    const uint64_t used = control->head.load(std::memory_order_relaxed) -
                          control->tail.load(std::memory_order_acquire);
    if (used <= entry.data_bytes / 2) {
      entry.previous.store(0, std::memory_order_relaxed);
      return static_cast<int>(i);
    }
    entry.state.store(static_cast<uint32_t>(RingState::kIdle), std::memory_order_release);
  }
  return -1;
}

// Points the thread at ring `index`, whose open ranges it brings along.
void MoveInto(ThreadLog& log, SegmentHeader* header, uint32_t index) {
  RingControl* control = ControlOf(header, index);
  auto* stack = reinterpret_cast<OpenRange*>(reinterpret_cast<char*>(control) + kStackOffset);
  if (log.depth != 0) std::memcpy(stack, log.stack, log.depth * sizeof(OpenRange));
  control->tid.store(log.tid, std::memory_order_relaxed);
  control->stream.store(log.stream, std::memory_order_relaxed);
  control->depth.store(log.depth, std::memory_order_release);
  log.control = control;
  log.segment = header;
  log.stack = stack;
  log.data = reinterpret_cast<char*>(control) + kDataOffset;
  log.mask = header->rings[index].data_bytes - 1;
  log.head = control->head.load(std::memory_order_relaxed);
  log.limit = 0;  // the first record asks for room
  log.ring = index;
}

bool EmitStream(ThreadLog& log, RecordKind kind) {
  char* room = Reserve(log, sizeof(StreamRecord));
  if (room == nullptr) return false;
  auto* record = reinterpret_cast<StreamRecord*>(room);
  record->head = {static_cast<uint8_t>(kind), 0, 1, log.tid};
  record->stream = log.stream;
  record->ticks = Ticks();
  record->part = log.part;
  record->pid_tid_equal = log.tid == static_cast<uint32_t>(SysPid());
  Publish(log, sizeof(StreamRecord));
  return true;
}

void EmitKernelName(ThreadLog& log) {
  char name[17] = "";
  SysCall(SYS_prctl, PR_GET_NAME, AsLong(name));
  EmitText(log, RecordKind::kThreadName, log.tid, 0, 0, kThreadNameOfKernel, name,
           strnlen(name, 16));
}

void RingBell(ProcessState* process) {
  Doorbell* bell = process->session.doorbell.load(std::memory_order_acquire);
  if (bell == nullptr) return;
  bell->futex.fetch_add(1, std::memory_order_relaxed);
  if (bell->sleeping.exchange(0, std::memory_order_seq_cst) != 0) {
    SysCall(SYS_futex, AsLong(&bell->futex), 1 /* FUTEX_WAKE, shared between processes */, 1);
  }
}

// Whether `value` has not changed for longer than a living consumer needs.
bool StoodStill(uint64_t value, uint64_t* seen, uint64_t* seen_ns) {
  const uint64_t now = MonotonicNs();
  if (value != *seen || *seen_ns == 0) {
    *seen = value;
    *seen_ns = now;
    return false;
  }
  return now - *seen_ns >= kDeadAfterNs;
}

// Notices a consumer that ended or died. True: the process has another segment now, or none.
bool ConsumerGone(ProcessState* process, ThreadLog& log, bool full) {
  Session& session = process->session;
  if (!session.handed_over.load(std::memory_order_relaxed)) return false;
  Doorbell* bell = session.doorbell.load(std::memory_order_acquire);
  if (bell != nullptr && bell->closing.load(std::memory_order_acquire) != 0) {
    TakeOver(process);
    return true;
  }
  // Without a doorbell only a full ring tells: its tail stands still.
  if (bell == nullptr && !full) return false;
  const uint64_t sign = bell != nullptr ? bell->heartbeat_ns.load(std::memory_order_relaxed)
                                        : log.control->tail.load(std::memory_order_relaxed);
  if (!StoodStill(sign, &log.sign_seen, &log.sign_seen_ns)) return false;
  TakeOver(process);
  return true;
}

void AnchorIfDue(ProcessState* process, SegmentHeader* header) {
  const uint64_t now = MonotonicNs();
  uint64_t last = process->session.anchor_ns.load(std::memory_order_relaxed);
  if (now - last < kAnchorEveryNs || !process->session.anchor_ns.compare_exchange_strong(last, now))
    return;
  const uint32_t at = header->anchor_count.load(std::memory_order_relaxed);
  if (at >= kMaxAnchors) return;
  header->anchors[at] = TakeAnchor(g_clock);
  header->anchor_count.store(at + 1, std::memory_order_release);
}

bool Grow(ProcessState* process, ThreadLog& log) {
  SegmentHeader* header = log.segment;
  const uint64_t bytes = (log.mask + 1) * kGrowthFactor;
  Doorbell* bell = process->session.doorbell.load(std::memory_order_acquire);
  // A consumer that does not move may be dead: what is written into a larger ring would be lost
  // with it.
  const bool stands = log.sign_seen_ns != 0 && MonotonicNs() - log.sign_seen_ns > kStandsAfterNs;
  const bool over_budget =
      bell != nullptr && bell->over_budget.load(std::memory_order_relaxed) != 0;
  if (bytes > header->ring_limit || over_budget || stands) return false;
  int index = ReuseRing(header, bytes);
  if (index < 0) index = MakeRing(process, header, bytes);
  if (index < 0) {
    Degrade(header, kRingsStoppedGrowing);
    return false;
  }
  const uint32_t old = log.ring;
  header->rings[index].previous.store(old + 1, std::memory_order_release);
  ControlOf(header, old)->depth.store(0, std::memory_order_release);
  MoveInto(log, header, static_cast<uint32_t>(index));
  ++log.part;
  header->rings[old].state.store(static_cast<uint32_t>(RingState::kIdle),
                                 std::memory_order_release);
  return EmitStream(log, RecordKind::kStream);
}

// A row of `logs` for this thread. Index, or -1.
int ClaimLog(ProcessState* process, uint32_t tid) {
  for (uint32_t i = 0; i < process->log_count; ++i) {
    uint32_t free = 0;
    if (process->log_owner[i].load(std::memory_order_relaxed) != 0) continue;
    if (process->log_owner[i].compare_exchange_strong(free, tid, std::memory_order_acquire))
      return static_cast<int>(i);
  }
  return -1;
}

// Threads that ended without our key's destructor (glibc gives up after four rounds; keys beyond
// the inline ones).
void ReapDeadThreads(ProcessState* process) {
  const int32_t pid = SysPid();
  for (uint32_t i = 0; i < process->log_count; ++i) {
    uint32_t owner = process->log_owner[i].load(std::memory_order_acquire);
    if (owner == 0 || SysCall(SYS_tgkill, pid, owner, 0) != -ESRCH) continue;
    if (!process->log_owner[i].compare_exchange_strong(owner, SysTid(), std::memory_order_acquire))
      continue;
    EndThread(process->logs[i]);
  }
}

bool EnterRing(ProcessState* process, ThreadLog& log) {
  // Before the segment: if both are replaced meanwhile, the old number makes the thread enter once
  // more.
  log.generation = process->session.generation.load(std::memory_order_acquire);
  SegmentHeader* header = Header(process);
  int index = ReuseRing(header, kMinRingBytes);
  if (index < 0) index = MakeRing(process, header, kMinRingBytes);
  if (index < 0) {
    ReapDeadThreads(process);
    index = ReuseRing(header, kMinRingBytes);
  }
  if (index < 0) {
    Degrade(header, kThreadsWithoutRing);
    return false;
  }
  log.stream = header->next_stream.fetch_add(1, std::memory_order_relaxed) + 1;
  MoveInto(log, header, static_cast<uint32_t>(index));
  log.depth_limit = kMaxOpenRanges;
  if (EmitStream(log, RecordKind::kStream)) return true;
  log.depth_limit = 0;
  header->rings[index].state.store(static_cast<uint32_t>(RingState::kIdle),
                                   std::memory_order_release);
  return false;
}

ThreadLog* Enter(ProcessState* process) {
  const uint32_t tid = SysTid();
  int index = ClaimLog(process, tid);
  if (index < 0) {
    ReapDeadThreads(process);
    index = ClaimLog(process, tid);
  }
  if (index < 0) return nullptr;
  ThreadLog& log = process->logs[index];
  std::memset(&log, 0, sizeof(log));
  log.tid = tid;
  log.busy = g_clock == ClockId::kTsc ? 0 : kSlowClock;
  if (!EnterRing(process, log)) {
    process->log_owner[index].store(0, std::memory_order_release);
    return nullptr;
  }
  if (g_have_key.load(std::memory_order_acquire) && g_key < kInlineKeys)
    pthread_setspecific(g_key, &log);
  EmitKernelName(log);
  return &log;
}

// What the thread recorded since the consumer of its ring last looked; with that consumer it is
// lost.
uint64_t UndrainedRanges(const ThreadLog& log) {
  uint64_t count = 0;
  uint64_t at = log.control->tail.load(std::memory_order_acquire);
  if (log.head - at > log.mask + 1) return 0;
  while (at < log.head) {
    const auto* record = reinterpret_cast<const RecordHead*>(log.data + (at & log.mask));
    const auto kind = static_cast<RecordKind>(record->kind);
    count +=
        kind == RecordKind::kRange || kind == RecordKind::kMark || kind == RecordKind::kRangeStart;
    if (record->slots == 0) break;
    at += uint64_t{record->slots} * kSlotBytes;
  }
  return count;
}

// The thread's segment was replaced: it begins anew in the present one, its open ranges without
// names.
bool Reenter(ProcessState* process, ThreadLog& log) {
  CountLoss(kLoss_consumer_gone, UndrainedRanges(log));
  const uint32_t depth = log.depth;
  log.head = log.limit = 0;
  log.next_name = 0;
  log.domain_count = 0;
  log.part = 0;
  std::memset(log.names, 0, sizeof(log.names));
  if (!EnterRing(process, log)) return false;
  for (uint32_t i = 0; i < depth; ++i) log.stack[i].lost = 1;
  return true;
}

void ThreadEnds(void* value) {
  ErrnoKeeper keeper;
  auto* log = static_cast<ThreadLog*>(value);
  if (log == nullptr || log->depth_limit == 0 || log->tid != SysTid()) return;
  SignalBlocker blocker;
  EndThread(*log);
  t_log = nullptr;
}

}  // namespace

void PrepareThreadEnd() {
  if (g_have_key.load(std::memory_order_acquire)) return;
  if (pthread_key_create(&g_key, ThreadEnds) == 0)
    g_have_key.store(true, std::memory_order_release);
}

void InitSegment(SegmentHeader* header, uint64_t bytes, uint64_t ring_limit) {
  header->layout_version = kLayoutVersion;
  header->header_bytes = sizeof(SegmentHeader);
  header->segment_bytes = bytes;
  CopyText(header->build, sizeof(header->build), kVersion);
  header->clock = static_cast<uint32_t>(g_clock);
  header->max_rings = kMaxRings;
  header->ring_limit = kMinRingBytes;
  while (header->ring_limit * kGrowthFactor <= ring_limit) header->ring_limit *= kGrowthFactor;
  header->start = TakeAnchor(g_clock);
  FillProcessFacts(&header->facts);
  header->bytes_used.store((sizeof(SegmentHeader) + 4095) / 4096 * 4096, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(header->magic, kSegmentMagic, sizeof(kSegmentMagic));  // last: what has it is whole
}

void EndThread(ThreadLog& log) {
  ProcessState* process = FindProcess();
  if (process == nullptr || log.depth_limit == 0) return;
  SegmentHeader* header = log.segment;
  if (log.generation == process->session.generation.load(std::memory_order_relaxed)) {
    if (log.tid == SysTid()) EmitKernelName(log);  // else it is dead and we are the one who noticed
    const uint64_t now = Ticks();
    log.over_depth = 0;
    while (log.depth != 0) {
      OpenRange& range = log.stack[log.depth - 1];
      range.flags |= kClosedByUs;
      PopSlowly(log, range.domain, now);
    }
    EmitStream(log, RecordKind::kStreamEnd);
    header->rings[log.ring].state.store(static_cast<uint32_t>(RingState::kIdle),
                                        std::memory_order_release);
  }
  log.depth_limit = 0;
  log.limit = 0;
  const size_t index = static_cast<size_t>(&log - process->logs);
  process->log_owner[index].store(0, std::memory_order_release);
}

bool ForgetLostPush() {
  if (t_lost_pushes == 0) return false;
  --t_lost_pushes;
  return true;
}

void CountAbandoned(ProcessState* process) {
  const Doorbell* bell = process->session.doorbell.load(std::memory_order_acquire);
  if (bell == nullptr || !process->session.handed_over.load() ||
      bell->closing.load(std::memory_order_acquire) == 0)
    return;
  uint64_t lost = 0;
  for (uint32_t i = 0; i < process->log_count; ++i) {
    if (process->log_owner[i].load(std::memory_order_acquire) != 0 &&
        process->logs[i].control != nullptr) {
      lost += UndrainedRanges(process->logs[i]);
    }
  }
  if (lost == 0) return;
  TakeOver(process);
  CountLoss(kLoss_consumer_gone, lost);
}

ThreadLog* AcquireThreadLog(HookKind kind) {
  ProcessState* process = FindProcess();
  if (process != nullptr &&
      process->state.load(std::memory_order_relaxed) == SessionState::kRefused)
    return nullptr;
  ErrnoKeeper keeper;
  SignalBlocker blocker;
  t_log = nullptr;  // in a fork's child it points at wiped memory
  process = GetProcess();
  if (process == nullptr || !EnsureSession(process)) return nullptr;
  const uint64_t begin = Ticks();
  ThreadLog* log = Enter(process);
  SegmentHeader* header = Header(process);
  if (header != nullptr) header->self_ticks.fetch_add(Ticks() - begin, std::memory_order_relaxed);
  if (log == nullptr && kind == HookKind::kEnds) ForgetLostPush();
  if (log == nullptr && kind == HookKind::kBegins) {
    ++t_lost_pushes;
    CountLoss(kLoss_no_ring);
  }
  t_log = log;
  return log;
}

bool MakeRoom(ThreadLog& log, uint64_t bytes) {
  ErrnoKeeper keeper;
  ProcessState* process = FindProcess();
  if (process == nullptr || log.depth_limit == 0) return false;
  if (process->state.load(std::memory_order_acquire) != SessionState::kOn) return false;
  if (log.generation != process->session.generation.load(std::memory_order_acquire) &&
      !Reenter(process, log))
    return false;
  for (int attempt = 0; attempt < 6; ++attempt) {
    const uint64_t size = log.mask + 1;
    // Acquire: pairs with the consumer's release; the slots before tail may be overwritten.
    const uint64_t tail = log.control->tail.load(std::memory_order_acquire);
    const uint64_t used = log.head - tail;
    const uint64_t to_end = size - (log.head & log.mask);
    const uint64_t padding = bytes > to_end ? to_end : 0;
    if (used <= size && used + padding + bytes <= size) {
      if (padding != 0) {
        auto* pad = reinterpret_cast<RecordHead*>(log.data + (log.head & log.mask));
        *pad = {static_cast<uint8_t>(RecordKind::kPad), 0,
                static_cast<uint16_t>(padding / kSlotBytes), 0};
        Publish(log, padding);
      }
      const bool half_full = used + padding + bytes > size / 2;
      if (half_full) RingBell(process);
      log.limit = half_full ? tail + size : tail + size / 2;
      if (log.limit < log.head + bytes) log.limit = log.head + bytes;
      AnchorIfDue(process, log.segment);
      if (half_full) ConsumerGone(process, log, false);
      return true;
    }
    RingBell(process);
    const uint64_t generation = log.generation;
    if (ConsumerGone(process, log, true)) {
      if (process->state.load(std::memory_order_acquire) != SessionState::kOn) return false;
      if (generation != process->session.generation.load(std::memory_order_acquire) &&
          Reenter(process, log))
        continue;
      return false;
    }
    if (!Grow(process, log)) return false;
  }
  return false;
}

}  // namespace syncline
