// SPDX-License-Identifier: Apache-2.0
// Making room: waking the consumer, growing the ring, noticing that the consumer is gone.
#include "inject/runtime/ring_slow_path.h"

#include <cstring>

#include "inject/core/clock.h"
#include "inject/core/emit.h"
#include "inject/core/sys.h"
#include "inject/runtime/collector_calls.h"
#include "inject/runtime/hand_over.h"
#include "inject/runtime/rings.h"
#include "inject/runtime/session.h"
#include "inject/runtime/thread_entry.h"
#include "inject/runtime/undrained.h"

namespace syncline {
namespace {

constexpr uint64_t kDeadAfterNs =
    2000000000;  // a consumer whose heartbeat stood still this long may be dead
constexpr uint64_t kStandsAfterNs = 500000000;
constexpr uint64_t kReplaceAgainNs = 1000000;
constexpr uint64_t kNoGeneration = 0;  // of a thread that found no ring in the present segment
constexpr int kMostAttempts = 8;       // to find room; a ring may be replaced more than once

void RingDoorbell(ProcessState* process) {
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
  if (LauncherListens()) {  // asked again when it has stood still for as long once more
    log.sign_seen_ns = MonotonicNs();
    return false;
  }
  TakeOver(process);
  return true;
}

void MoveOpenCall(OpenCall& from, OpenCall& to) {
  const uint64_t begin = from.begin.exchange(0, std::memory_order_relaxed);
  to.name.store(from.name.load(std::memory_order_relaxed), std::memory_order_relaxed);
  to.correlation.store(from.correlation.load(std::memory_order_relaxed), std::memory_order_relaxed);
  to.role.store(from.role.load(std::memory_order_relaxed), std::memory_order_relaxed);
  to.flags.store(from.flags.load(std::memory_order_relaxed), std::memory_order_relaxed);
  to.stack.store(from.stack.load(std::memory_order_relaxed), std::memory_order_relaxed);
  to.begin.store(begin, std::memory_order_release);  // pairs with the consumer's acquire
}

// Replaces the thread's ring by one of `bytes`. Signals are blocked: a handler that jumps away
// would leave the log between two rings.
bool Replace(ProcessState* process, ThreadLog& log, uint64_t bytes) {
  if (log.replace_at_ns != 0 && MonotonicNs() < log.replace_at_ns) return false;
  const SignalBlocker blocker;
  SegmentHeader* header = log.segment;
  const int index = TakeRing(process, header, bytes);
  if (index < 0) {
    header->degraded.fetch_or(kRingsStoppedGrowing, std::memory_order_relaxed);
    log.replace_at_ns = MonotonicNs() + kReplaceAgainNs;
    return false;
  }
  const uint32_t old = log.ring;
  RingControl* control = log.control;
  header->rings[index].previous.store(old + 1, std::memory_order_release);
  control->depth.store(0, std::memory_order_release);
  MoveInto(process, log, header, static_cast<uint32_t>(index));
  for (Source i = 0; i < kMaxSources; ++i) MoveOpenCall(control->calls[i], log.control->calls[i]);
  ++log.part;
  LeaveRing(process, header, old);
  return EmitStream(log, RecordKind::kStream);
}

bool OverBudget(const ProcessState* process) {
  const Doorbell* bell = process->session.doorbell.load(std::memory_order_acquire);
  return bell != nullptr && bell->over_budget.load(std::memory_order_relaxed) != 0;
}

// A larger ring for the thread, if it may have one.
bool Grow(ProcessState* process, ThreadLog& log) {
  const uint64_t limit = RingLimit(process, log.segment);
  const uint64_t bytes = log.mask + 1;
  // A consumer that does not move may be dead: what is written into a larger ring would be lost
  // with it.
  const bool stands = log.sign_seen_ns != 0 && MonotonicNs() - log.sign_seen_ns > kStandsAfterNs;
  if (bytes >= limit || stands || OverBudget(process)) return false;
  return Replace(process, log, bytes > limit / kRingGrowth ? limit : bytes * kRingGrowth);
}

// The thread's segment was replaced: it begins anew in the present one, its open ranges without
// names. False: no ring is to be had there; asked for again at the pace of larger rings.
bool Reenter(ProcessState* process, ThreadLog& log) {
  if (log.generation == kNoGeneration && MonotonicNs() < log.replace_at_ns) return false;
  const SignalBlocker blocker;
  CountLoss(kLoss_consumer_gone, UndrainedEvents(log));
  const uint32_t depth = log.depth;
  log.head = log.limit = 0;
  log.next_name = 0;
  log.domain_count = 0;
  log.part = 0;
  std::memset(log.names, 0, sizeof(log.names));
  if (!EnterRing(process, log)) {
    // It is still in the old segment, where nobody would drain what it records.
    log.generation = kNoGeneration;
    log.replace_at_ns = MonotonicNs() + kReplaceAgainNs;
    return false;
  }
  for (uint32_t i = 0; i < depth; ++i) log.stack[i].flags |= kNameLost;
  return true;
}

}  // namespace

void CountAbandoned(ProcessState* process) {
  const Session& session = process->session;
  const Doorbell* bell = session.doorbell.load(std::memory_order_acquire);
  const bool closing = bell != nullptr && session.handed_over.load() &&
                       bell->closing.load(std::memory_order_acquire) != 0;
  const uint64_t generation = session.generation.load(std::memory_order_acquire);
  uint64_t lost = 0;
  const uint32_t count = LogCount(process);
  for (uint32_t i = 0; i < count; ++i) {
    const ThreadLog* log = LogAt(process, i);
    if (log != nullptr && log->control != nullptr &&
        process->log_owner[i].load(std::memory_order_acquire) != 0 &&
        (closing || log->generation != generation))
      lost += UndrainedEvents(*log);
  }
  const uint64_t left = closing ? UndrainedInLeftRings(process, session.header.load()) : 0;
  if (lost + left == 0) return;
  if (closing) TakeOver(process);  // which counts what is in rings that were left
  CountLoss(kLoss_consumer_gone, lost);
}

bool MakeRoom(ThreadLog& log, uint64_t bytes) {
  ErrnoKeeper keeper;
  ProcessState* process = FindProcess();
  if (process == nullptr || log.depth_limit == 0) return false;
  if (process->state.load(std::memory_order_acquire) != SessionState::kOn) return false;
  if (log.generation != process->session.generation.load(std::memory_order_acquire) &&
      !Reenter(process, log))
    return false;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
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
      if (half_full) RingDoorbell(process);
      log.limit = half_full ? tail + size : tail + size / 2;
      if (log.limit < log.head + bytes) log.limit = log.head + bytes;
      if (half_full) ConsumerGone(process, log, false);
      StartCollectorsOfLibraries(process);
      return true;
    }
    RingDoorbell(process);
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

bool MakeDepth(ThreadLog& log) {
  ErrnoKeeper keeper;
  ProcessState* process = FindProcess();
  if (process == nullptr || log.depth_limit == 0 || log.depth_limit == kMaxOpenRanges) return false;
  if (process->state.load(std::memory_order_acquire) != SessionState::kOn) return false;
  // A segment that was left gets no new rings.
  if (log.generation != process->session.generation.load(std::memory_order_acquire) &&
      !MakeRoom(log, kSlotBytes))
    return false;
  return log.depth_limit == kMaxOpenRanges || Replace(process, log, kDeepRingBytes);
}

}  // namespace syncline
