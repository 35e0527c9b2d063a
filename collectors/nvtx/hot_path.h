// SPDX-License-Identifier: Apache-2.0
// Push and pop of plain ranges as leaf code: no call, no saved registers. Whatever is not plain is
// left to the caller.
#pragma once

#include <cstdint>

#include "collectors/nvtx/event.h"
#include "inject/core/emit.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace syncline::nvtx {

// These do what HookScope, NameId, PushRange and PopRange of emit.h do, in the same order of
// stores, where nothing is out of the ordinary. Instructions are what is held (`scripts/bench
// pairs`), and a call from the middle of a hook costs ten for saved registers. Where a slow path of
// emit.h is needed, these return false and have changed nothing: the caller then takes that path.

// AddressSanitizer would object to reading behind the end of a text.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SYNCLINE_NVTX_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define SYNCLINE_NVTX_ASAN 1
#endif
#if defined(__SSE2__) && !defined(SYNCLINE_NVTX_ASAN)
#define SYNCLINE_NVTX_COMPARES_BLOCKS 1
#endif

// The time stamp of this path: Enter has refused clocks that need a call.
inline uint64_t QuickTicks() {
#if defined(__x86_64__)
  return ReadTsc();
#else
  return Ticks();
#endif
}

// Whether `text` is the `bytes` bytes at `copy` and then ends; false for more than
// kInlineNameBytes. May read up to 48 bytes from `text`, never of another page; false also when it
// would have to.
inline bool IsText(const char* text, const char* copy, uint32_t bytes) {
#if defined(SYNCLINE_NVTX_COMPARES_BLOCKS)
  static_assert(kInlineNameBytes + 1 == 48);
  // From 1 to 4047 bytes behind a page's beginning. A null text is refused with those that lie at
  // one.
  if (__builtin_expect(((reinterpret_cast<uintptr_t>(text) - 1) & 4095) >= 4096 - 48, 0))
    return false;
  const auto equal = [text, copy](uint32_t at) {
    return _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at)),
                          _mm_loadu_si128(reinterpret_cast<const __m128i*>(copy + at)));
  };
  const auto mask = [](__m128i bits) { return static_cast<uint32_t>(_mm_movemask_epi8(bits)); };
  // With the terminator there are bytes + 1 to compare: the first 16, the last 16, and what is
  // between.
  if (bytes < 16) return (~mask(equal(0)) << (31 - bytes)) == 0;
  __m128i all = equal(0);
  if (bytes >= 32) {
    if (bytes > kInlineNameBytes) return false;
    all = _mm_and_si128(all, equal(16));
  }
  return mask(_mm_and_si128(all, equal(bytes - 15))) == 0xffff;
#else
  return text != nullptr && bytes <= kInlineNameBytes && std::strcmp(text, copy) == 0;
#endif
}

// Finds the id of a name that this stream has. False: not known, or not a short text.
inline bool FindName(ThreadLog& log, const char* text, uint32_t* id) {
  const NameCacheEntry& entry = NameSlot(log, text);
  if (__builtin_expect(entry.key != text, 0)) return false;
  *id = entry.id;
  return __builtin_expect(IsText(text, entry.copy, entry.bytes), 1);
}

inline bool FindHandle(ThreadLog& log, const void* handle, uint32_t* id) {
  const NameCacheEntry& entry = HandleSlot(log, handle);
  *id = entry.id;
  return __builtin_expect(entry.key == handle && entry.bytes == kHandleName, 1);
}

// Domain, flags and source of an OpenRange in one word, which a RangeRecord has too: those of a
// plain range are its domain and this.
inline constexpr uint32_t kPlain = uint32_t{kSource} << 24;
inline constexpr uint32_t kPlainClosed = kPlain | uint32_t{kBegunClosed} << 16;

inline uint32_t TagOf(const OpenRange& range) {
  static_assert(offsetof(OpenRange, flags) == offsetof(OpenRange, domain) + 2);
  static_assert(offsetof(OpenRange, source) == offsetof(OpenRange, domain) + 3);
  uint32_t tag;
  std::memcpy(&tag, &range.domain, sizeof(tag));
  return tag;
}

// The templates below are there twice: for threads of a process without a gate, which pay nothing
// for gates, and for those of one whose gate is looked at.
template <bool kGated>
inline constexpr uint64_t kIdle = kGated ? kHasGate : 0;  // of ThreadLog::busy

// The log is the calling thread's, and `busy` is kIdle: no hook of this thread is in it, its clock
// needs no call.
template <bool kGated>
inline void Enter(ThreadLog& log) {
  if (kGated) {
    AddStackPointer(&log.busy);
  } else {
    StoreStackPointer(&log.busy);
  }
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

template <bool kGated>
inline void Leave(ThreadLog& log) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  log.busy = kIdle<kGated>;
}

// False, with nothing changed: too deep, or the range around it is of another domain. In a fork's
// child the log reads as zeros, so that there is no depth to push to.
template <bool kGated>
inline bool PushPlain(ThreadLog& log, uint32_t name, uint16_t domain, int* level_out) {
  const uint32_t depth = log.depth;
  if (__builtin_expect(depth >= log.depth_limit, 0)) return false;
  OpenRange* range = log.stack + depth;
  uint32_t level = 0;
  if (depth != 0) {
    if (__builtin_expect(range[-1].domain != domain, 0)) return false;
    level = range[-1].level + 1;
  }
  range->name = name;
  const GateWord gate = kGated ? GateOf(log) : 0;
  const uint32_t tag = (IsOpen(gate) ? kPlain : kPlainClosed) | domain;
  std::memcpy(&range->domain, &tag, sizeof(tag));
  range->level = level;
  log.depth = depth + 1;
  range->begin = IsOpen(gate) ? QuickTicks() : ChangesOf(gate);
  // Release: whoever reads the depth after a crash reads whole entries below it.
  log.control->depth.store(depth + 1, std::memory_order_release);
  *level_out = static_cast<int>(level);
  return true;
}

// Tells whether a plain range is of the popped domain, by its tag.
struct IsDefaultDomain {
  bool operator()(const ThreadLog&, uint32_t tag) const { return tag == kPlain; }
};
struct IsDomain {
  const void* handle;
  bool operator()(const ThreadLog& log, uint32_t tag) const {
    if (handle == nullptr) return tag == kPlain;
    const uint32_t index = tag - kPlain - 1;
    return index < log.domain_count && log.domains[index] == handle;
  }
};

// Pops a range that was pushed while the gate was closed. False, with nothing changed: the last
// range is not a plain one of this domain that was, or the gate has changed since.
template <typename IsPopped>
inline bool PopLeftOut(ThreadLog& log, IsPopped is_popped, int* level) {
  const uint32_t depth = log.depth - 1;
  const OpenRange* range = log.stack + depth;
  if (log.depth == 0 || log.over_depth != 0 ||
      !is_popped(log, TagOf(*range) - (kPlainClosed - kPlain)) ||
      range->begin != ChangesOf(GateOf(log)))
    return false;
  *level = static_cast<int>(range->level);
  CountGated(log, kGatedRanges);
  log.depth = depth;
  log.control->depth.store(depth, std::memory_order_release);
  return true;
}

// False, with nothing changed: the last range is not a plain one of this domain, or there is no
// room.
template <typename IsPopped>
inline bool PopPlain(ThreadLog& log, IsPopped is_popped, int* level) {
  const uint32_t depth = log.depth - 1;
  const uint64_t head = log.head;
  if (__builtin_expect(
          log.depth == 0 || log.over_depth != 0 || head + sizeof(RangeRecord) > log.limit, 0))
    return false;
  const OpenRange* range = log.stack + depth;
  const uint32_t tag = TagOf(*range);
  if (__builtin_expect(!is_popped(log, tag), 0)) return false;
  const uint64_t end = QuickTicks();  // not before: a fork's child, whose log reads as zeros, does
                                      // not know yet whether it may
  static_assert(sizeof(RangeRecord) == kSlotBytes,
                "a record of one slot never meets the ring's end");
  auto* record = reinterpret_cast<RangeRecord*>(log.data + (head & log.mask));
  record->head = {static_cast<uint8_t>(RecordKind::kRange), 0, 1, range->name};
  // Atomic so that they are stored one by one: packing them into a vector first costs more.
  __atomic_store_n(&record->begin, range->begin, __ATOMIC_RELAXED);
  __atomic_store_n(&record->end, end, __ATOMIC_RELAXED);
  // Domain, source, depth and lane 0 in one store; depth is below 2^16.
  static_assert(offsetof(RangeRecord, source) == offsetof(RangeRecord, domain) + 3);
  static_assert(offsetof(RangeRecord, depth) == offsetof(RangeRecord, domain) + 4);
  const uint64_t rest = static_cast<uint64_t>(depth) << 32 | tag;
  std::memcpy(&record->domain, &rest, sizeof(rest));
  *level = static_cast<int>(range->level);
  RingControl* control = log.control;
  log.head = head + sizeof(RangeRecord);
  log.depth = depth;
  // Release: the record before the head, the head before the depth, as in PopRange.
  control->head.store(head + sizeof(RangeRecord), std::memory_order_release);
  control->depth.store(depth, std::memory_order_release);
  return true;
}

}  // namespace syncline::nvtx
