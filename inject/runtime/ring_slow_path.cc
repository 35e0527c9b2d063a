// SPDX-License-Identifier: Apache-2.0
// Making room: waking the consumer, growing the ring, noticing that the consumer is gone.
#include "inject/core/clock.h"
#include "inject/core/emit.h"
#include "inject/core/sys.h"
#include "inject/runtime/collector_calls.h"
#include "inject/runtime/rings.h"
#include "inject/runtime/session.h"
#include "inject/runtime/thread_entry.h"

namespace syncline {
namespace {

constexpr uint64_t kMayBeDeadAfterNs = 75000000;  // a consumer sleeps at most 50 ms
constexpr uint64_t kReplaceAgainNs = 1000000;
constexpr int kMostAttempts = 8;  // to find room; a ring may be replaced more than once

void RingDoorbell(ProcessState* process) {
  Doorbell* bell = process->session.doorbell.load(std::memory_order_acquire);
  if (bell == nullptr) return;
  bell->futex.fetch_add(1, std::memory_order_relaxed);
  if (bell->sleeping.exchange(0, std::memory_order_seq_cst) != 0) {
    SysCall(SYS_futex, AsLong(&bell->futex), 1 /* FUTEX_WAKE, shared between processes */, 1);
  }
}

// Notices a consumer that ended or died; then the process goes on in its place. A living one gives
// a sign far more often than this asks whether it still holds its spool.
void LookForConsumer(ProcessState* process, ThreadLog& log) {
  const Session& session = process->session;
  if (!session.handed_over.load(std::memory_order_relaxed)) return;
  const Doorbell* bell = session.doorbell.load(std::memory_order_acquire);
  const uint64_t now = MonotonicNs();
  // Without a doorbell only the tail of a ring tells, which may stand still for other reasons.
  const uint64_t sign = bell != nullptr ? bell->heartbeat_ns.load(std::memory_order_relaxed)
                                        : log.control->tail.load(std::memory_order_relaxed);
  const bool closing = bell != nullptr && bell->closing.load(std::memory_order_acquire) != 0;
  if (sign != log.sign_seen || log.sign_seen_ns == 0) {
    log.sign_seen = sign;
    // Another time namespace's clock may be ahead.
    log.sign_seen_ns = bell != nullptr && sign <= now ? sign : now;
  }
  if (!closing && now - log.sign_seen_ns < kMayBeDeadAfterNs) return;
  log.sign_seen_ns = now;
  if (TakeOver(process, false)) RecoverAtExit(process);
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
  const int index = TakeRing(process, bytes);
  if (index < 0) {
    header->degraded.fetch_or(kRingsStoppedGrowing, std::memory_order_relaxed);
    log.replace_at_ns = MonotonicNs() + kReplaceAgainNs;
    return false;
  }
  PublishHeld(log);
  const uint32_t old = log.ring;
  RingControl* control = log.control;
  header->rings[index].previous.store(old + 1, std::memory_order_release);
  control->depth.store(0, std::memory_order_release);
  MoveInto(process, log, static_cast<uint32_t>(index));
  for (Source i = 0; i < kMaxSources; ++i) MoveOpenCall(control->calls[i], log.control->calls[i]);
  ++log.part;
  LeaveRing(process, old);
  return EmitStream(log, RecordKind::kStream);
}

bool OverBudget(const ProcessState* process) {
  const Doorbell* bell = process->session.doorbell.load(std::memory_order_acquire);
  return bell != nullptr && bell->over_budget.load(std::memory_order_relaxed) != 0;
}

// A larger ring for the thread, if it may have one.
bool Grow(ProcessState* process, ThreadLog& log) {
  const uint64_t limit = RingLimit(process);
  const uint64_t bytes = log.mask + 1;
  if (bytes >= limit || OverBudget(process)) return false;
  return Replace(process, log, bytes > limit / kRingGrowth ? limit : bytes * kRingGrowth);
}

}  // namespace

bool MakeRoom(ThreadLog& log, uint64_t bytes) {
  ErrnoKeeper keeper;
  ProcessState* process = FindProcess();
  if (process == nullptr || log.depth_limit == 0) return false;
  if (process->state.load(std::memory_order_acquire) != SessionState::kOn) return false;
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
      if (half_full) LookForConsumer(process, log);
      StartCollectorsOfLibraries(process);
      return true;
    }
    RingDoorbell(process);
    LookForConsumer(process, log);
    if (!Grow(process, log)) return false;
  }
  return false;
}

bool MakeDepth(ThreadLog& log) {
  ErrnoKeeper keeper;
  ProcessState* process = FindProcess();
  if (process == nullptr || log.depth_limit == 0 || log.depth_limit == kMaxOpenRanges) return false;
  if (process->state.load(std::memory_order_acquire) != SessionState::kOn) return false;
  return Replace(process, log, kDeepRingBytes);
}

}  // namespace syncline
