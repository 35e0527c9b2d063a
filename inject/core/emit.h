// SPDX-License-Identifier: Apache-2.0
// What collectors call to record. Fast paths inline: no lock, no allocation, no system call, no
// errno.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "inject/core/clock.h"
#include "inject/core/gate.h"
#include "inject/core/record.h"
#include "inject/core/thread_log.h"

namespace syncline {

// Stands at the top of every hook. If it converts to false the hook returns at once: the thread
// cannot record, or this is a signal handler that interrupted a hook of its own thread (counted).
// Not for hooks that call foreign code.
class HookScope {
 public:
  explicit HookScope(HookKind kind = HookKind::kBegins) {
    ThreadLog* log = t_log;
    if (__builtin_expect(log == nullptr || log->depth_limit == 0, 0)) {
      log = AcquireThreadLog(kind);
      if (log == nullptr) return;
    }
    if (__builtin_expect(log->busy > kLastingBits, 0) && !LeftByJump(*log)) {
      if (kind == HookKind::kBegins) CountLoss(kLoss_nested_signal);
      return;
    }
    AddStackPointer(&log->busy);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    log_ = log;
  }
  ~HookScope() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if (log_ != nullptr) log_->busy &= kLastingBits;
  }
  HookScope(const HookScope&) = delete;
  HookScope& operator=(const HookScope&) = delete;
  explicit operator bool() const { return log_ != nullptr; }
  ThreadLog& log() const { return *log_; }

 private:
  ThreadLog* log_ = nullptr;
};

// Room for a record of `bytes` (a multiple of kSlotBytes), or null: the caller counts the loss.
// Fill it, then Publish.
inline char* Reserve(ThreadLog& log, uint64_t bytes) {
  if (__builtin_expect(log.head + bytes > log.limit || (log.head & log.mask) + bytes > log.mask + 1,
                       0)) {
    if (!MakeRoom(log, bytes)) return nullptr;
  }
  return log.data + (log.head & log.mask);
}

// Makes the record visible to the consumer. Release: pairs with the consumer's acquire load of
// head.
inline void Publish(ThreadLog& log, uint64_t bytes) {
  log.head += bytes;
  log.control->head.store(log.head, std::memory_order_release);
}

// As Publish of a record of kHeldBytes behind which nothing else is held, but the consumer sees the
// record with the thread's next one, or when the process ends: until then the thread may change it.
inline void Hold(ThreadLog& log) {
  log.control->held.store(log.head | kHeldMark, std::memory_order_release);
  log.head += kHeldBytes;
}

// The record that the thread holds; null: none.
inline char* Held(const ThreadLog& log) {
  const uint64_t at = (log.head - kHeldBytes) & log.mask;  // in the ring, whatever others write
  if (log.head - log.control->head.load(std::memory_order_relaxed) != kHeldBytes) return nullptr;
  return at + kHeldBytes > log.mask + 1 ? nullptr : log.data + at;
}

// Makes it visible, if there is one.
inline void PublishHeld(ThreadLog& log) { Publish(log, 0); }

// Writes a record of one or more whole slots as it stands. False: lost; the caller counts.
template <typename Record>
inline bool Emit(ThreadLog& log, const Record& record) {
  static_assert(sizeof(Record) % kSlotBytes == 0);
  char* room = Reserve(log, sizeof(Record));
  if (__builtin_expect(room == nullptr, 0)) return false;
  std::memcpy(room, &record, sizeof(Record));
  Publish(log, sizeof(Record));
  return true;
}

// Writes a record that carries bytes (kinds with TextRecord). False: lost; the caller counts.
bool EmitText(ThreadLog& log, RecordKind kind, uint32_t id, uint64_t key, uint16_t domain,
              uint16_t type, const void* text, size_t bytes);

// The id of a name in this thread's stream, defining it on first sight; 0: null, or it could not be
// recorded (counted). `number`: the vendor's, of the call that bears the name.
uint32_t DefineName(ThreadLog& log, NameCacheEntry& entry, const void* key, const char* text,
                    size_t bytes, bool is_handle, uint16_t number = 0);
uint32_t LongNameId(ThreadLog& log, NameCacheEntry& entry, const char* text);

inline NameCacheEntry& NameSlot(ThreadLog& log, const void* key) {
  return log.names[(reinterpret_cast<uintptr_t>(key) * 0x9E3779B97F4A7C15ull) >> 56];
}

// `text` may be any bytes up to a NUL and may be overwritten by the program afterwards.
inline uint32_t NameId(ThreadLog& log, const char* text) {
  if (__builtin_expect(text == nullptr, 0)) return 0;
  NameCacheEntry& entry = NameSlot(log, text);
  if (__builtin_expect(entry.key == text && entry.bytes <= kInlineNameBytes &&
                           std::strcmp(text, entry.copy) == 0,
                       1)) {
    return entry.id;
  }
  return LongNameId(log, entry, text);
}

// For a name that never changes, kept by us under `handle`: no comparison.
inline uint32_t HandleNameId(ThreadLog& log, const void* handle, const char* text, size_t bytes,
                             uint16_t number = 0) {
  NameCacheEntry& entry = NameSlot(log, handle);
  if (__builtin_expect(entry.key == handle && entry.bytes == kHandleName, 1)) return entry.id;
  return DefineName(log, entry, handle, text, bytes, true, number);
}

// Counts a range that could not be pushed because the stack is full. Returns -1.
int PushTooDeep(ThreadLog& log);

// How many ranges of the domain are open on this thread.
uint32_t LevelInDomain(const ThreadLog& log, uint16_t domain);

// Opens a range on this thread's stack; the time stamp is taken last. `name` 0 with `name_lost`:
// its pop is dropped and counted. Returns the open range, for its attributes; null: too deep
// (counted).
inline OpenRange* PushRange(ThreadLog& log, Source source, uint32_t name, uint16_t domain,
                            bool name_lost = false) {
  const uint32_t depth = log.depth;
  if (__builtin_expect(depth >= log.depth_limit, 0) && !MakeDepth(log)) {
    PushTooDeep(log);
    return nullptr;
  }
  OpenRange* range = log.stack + depth;
  range->name = name;
  range->domain = domain;
  const GateWord gate = GateOf(log);
  const bool closed = IsClosedFor(log, gate);
  range->flags = static_cast<uint8_t>((name_lost ? kNameLost : 0) | (closed ? kBegunClosed : 0));
  range->source = source;
  if (depth == 0) {
    range->level = 0;
  } else {
    range->level = range[-1].domain == domain ? range[-1].level + 1 : LevelInDomain(log, domain);
  }
  log.depth = depth + 1;
  range->begin = __builtin_expect(closed, 0) ? ChangesOf(gate) : Ticks();
  // Release: whoever reads the depth after a crash reads whole entries below it.
  log.control->depth.store(depth + 1, std::memory_order_release);
  return range;
}

// Pops that are not simple: nothing open, another domain's range on top, attributes, a lost name.
int PopSlowly(ThreadLog& log, uint16_t domain, uint64_t end);

// Closes this thread's last range of `domain` at `end`. Returns its level within the domain, or -1
// (counted).
inline int PopRange(ThreadLog& log, uint16_t domain, uint64_t end) {
  const uint32_t depth = log.depth - 1;
  OpenRange* range = log.stack + depth;
  if (__builtin_expect(
          log.depth == 0 || log.over_depth != 0 || range->domain != domain || range->flags != 0,
          0)) {
    return PopSlowly(log, domain, end);
  }
  const OpenRange popped = {range->begin, range->name,  domain, 0,  range->source,
                            {},           range->level, 0,      {}, 0};
  char* room = Reserve(log, sizeof(RangeRecord));  // may move the stack into a larger ring
  log.depth = depth;                               // before the record is published: LeftByJump
  if (__builtin_expect(room != nullptr, 1)) {
    auto* record = reinterpret_cast<RangeRecord*>(room);
    record->head = {static_cast<uint8_t>(RecordKind::kRange), 0, 1, popped.name};
    record->begin = popped.begin;
    record->end = end;
    record->domain = domain;
    record->reserved = 0;
    record->source = popped.source;
    record->depth = static_cast<uint16_t>(depth);
    record->lane = 0;
    Publish(log, sizeof(RangeRecord));  // before the depth: a crash between shows the range twice,
                                        // which readers undo
  } else {
    CountLoss(kLoss_ring_full);
  }
  log.control->depth.store(depth, std::memory_order_release);
  return static_cast<int>(popped.level);
}

}  // namespace syncline
