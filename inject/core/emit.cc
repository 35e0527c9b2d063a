// SPDX-License-Identifier: Apache-2.0
// The slow halves of recording: definitions, ranges with attributes, ranges that do not nest.
#include "inject/core/emit.h"

#include <csignal>

#include "inject/core/gate.h"
#include "inject/core/range_gate.h"
#include "inject/core/sys.h"

namespace syncline {
namespace {

constexpr uint64_t kMaxRecordBytes = 65535ull * kSlotBytes;
// The kernel puts more than this on the stack for a handler, on every processor: what is nearer
// below a hook than that is no handler which interrupted it.
constexpr uint64_t kLeastSignalFrame = 512;

// 64 bits of content hash (multiply-fold, 8 bytes a step). With the length it stands for a long
// name's content.
uint64_t HashBytes(const char* text, size_t bytes) {
  constexpr uint64_t kMix = 0x9E3779B97F4A7C15ull;
  uint64_t hash = bytes * kMix;
  for (; bytes >= 8; text += 8, bytes -= 8) {
    uint64_t word;
    std::memcpy(&word, text, 8);
    const unsigned __int128 product =
        static_cast<unsigned __int128>(hash ^ word) * 0xD6E8FEB86659FD93ull;
    hash = static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
  uint64_t word = 0;
  std::memcpy(&word, text, bytes);
  const unsigned __int128 product =
      static_cast<unsigned __int128>(hash ^ word ^ kMix) * 0xA0761D6478BD642Full;
  return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
}

struct HashedCopy {
  uint64_t hash;
  uint64_t length;
};

void FillRange(char* room, const OpenRange& range, uint64_t end, uint32_t depth,
               uint8_t extra_flags) {
  const bool attributes = (range.flags & kHasAttributes) != 0;
  auto* record = reinterpret_cast<RangeRecord*>(room);
  record->head = {static_cast<uint8_t>(RecordKind::kRange),
                  static_cast<uint8_t>((range.flags & ~kIsMarked) | extra_flags),
                  static_cast<uint16_t>(attributes ? 2 : 1), range.name};
  record->begin = range.begin;
  record->end = end;
  record->domain = range.domain;
  record->reserved = 0;
  record->source = range.source;
  record->depth = static_cast<uint16_t>(depth);
  record->lane = 0;
  if (attributes)
    std::memcpy(room + sizeof(RangeRecord), &range.attributes, sizeof(RangeAttributes));
}

// Pushed while the gate was closed, which did not change since.
bool MetNoOpenGate(const ThreadLog& log, const OpenRange& range) {
  return (range.flags & kBegunClosed) != 0 && range.begin == ChangesOf(GateOf(log));
}

}  // namespace

bool EmitText(ThreadLog& log, RecordKind kind, uint32_t id, uint64_t key, uint16_t domain,
              uint16_t type, const void* text, size_t bytes) {
  const uint64_t total = (sizeof(TextRecord) + bytes + kSlotBytes - 1) / kSlotBytes * kSlotBytes;
  if (total > kMaxRecordBytes) return false;
  char* room = Reserve(log, total);
  if (room == nullptr) return false;
  auto* record = reinterpret_cast<TextRecord*>(room);
  record->head = {static_cast<uint8_t>(kind), 0, static_cast<uint16_t>(total / kSlotBytes), id};
  record->key = key;
  record->ticks = Ticks();
  record->bytes = static_cast<uint32_t>(bytes);
  record->domain = domain;
  record->type = type;
  if (bytes != 0) std::memcpy(room + sizeof(TextRecord), text, bytes);
  Publish(log, total);
  return true;
}

uint32_t DefineName(ThreadLog& log, NameCacheEntry& entry, const void* key, const char* text,
                    size_t bytes, bool is_handle, uint16_t number) {
  const uint32_t id = log.next_name + 1;
  entry.key = nullptr;
  entry.marks = kMarksUnknown;
  if (!EmitText(log, RecordKind::kName, id, 0, 0, number, text, bytes)) {
    CountLoss(kLoss_definition);
    return 0;
  }
  log.next_name = id;
  entry.id = id;
  if (is_handle) {
    entry.bytes = kHandleName;
  } else if (bytes <= kInlineNameBytes) {
    entry.bytes = static_cast<uint16_t>(bytes);
    std::memcpy(entry.copy, text, bytes);
    entry.copy[bytes] = '\0';
  } else {
    entry.bytes = kHashedName;
    const HashedCopy copy = {HashBytes(text, bytes), bytes};
    std::memcpy(entry.copy, &copy, sizeof(copy));
  }
  entry.key = key;
  return id;
}

uint32_t LongNameId(ThreadLog& log, NameCacheEntry& entry, const char* text) {
  const size_t bytes = std::strlen(text);
  if (entry.key == text && PlainBytes(entry) == kHashedName) {
    HashedCopy copy;
    std::memcpy(&copy, entry.copy, sizeof(copy));
    if (copy.length == bytes && copy.hash == HashBytes(text, bytes)) return entry.id;
  }
  return DefineName(log, entry, text, text, bytes, false);
}

uint32_t LevelInDomain(const ThreadLog& log, uint16_t domain) {
  uint32_t level = 0;
  for (uint32_t i = 0; i < log.depth; ++i) level += log.stack[i].domain == domain;
  return level;
}

bool LeftByJump(ThreadLog& log) {
  const uint64_t hook = log.busy & ~kLastingBits;
  uint64_t here;
  StoreStackPointer(&here);
  stack_t other = {};
  SysCall(SYS_sigaltstack, 0, AsLong(&other));
  if ((other.ss_flags & SS_ONSTACK) != 0) return false;  // a handler, wherever its stack lies
  const uint64_t other_begin = reinterpret_cast<uintptr_t>(other.ss_sp);
  const bool hook_on_other = hook >= other_begin && hook - other_begin < other.ss_size;
  if (!hook_on_other && here + kLeastSignalFrame < hook) return false;
  // A record whose end was not told was not written, nor was the pop done that wrote it; nor was a
  // push that had not told the depth. What is held is whole.
  const uint64_t head = log.control->head.load(std::memory_order_relaxed);
  const uint32_t depth = log.control->depth.load(std::memory_order_relaxed);
  const bool holds = log.head - head == kHeldBytes && HoldsRecord(*log.control, head);
  const bool unwritten = !holds && log.head - head - 1 < kMaxRecordBytes && head % kSlotBytes == 0;
  if (unwritten) log.head = head;
  if (!holds) log.control->held.store(0, std::memory_order_relaxed);
  if (log.depth == depth + 1 || (unwritten && log.depth + 1 == depth)) log.depth = depth;
  log.control->depth.store(log.depth, std::memory_order_release);
  log.busy &= kLastingBits;
  return true;
}

int PushTooDeep(ThreadLog& log) {
  ++log.over_depth;
  CountLoss(log.depth_limit < kMaxOpenRanges ? kLoss_ring_full : kLoss_too_deep);
  return -1;
}

int PopSlowly(ThreadLog& log, uint16_t domain, uint64_t end) {
  if (log.over_depth != 0) {  // its push was counted as lost
    --log.over_depth;
    return static_cast<int>(log.depth + log.over_depth);
  }
  uint32_t at = log.depth;
  while (at > 0 && log.stack[at - 1].domain != domain) --at;
  if (at == 0) {
    if (!ForgetLostPush()) CountLoss(kLoss_unbalanced_pop);
    return -1;
  }
  const OpenRange range = log.stack[at - 1];
  const uint8_t crossing = at != log.depth ? kCrossing : 0;
  const uint64_t bytes =
      sizeof(RangeRecord) + ((range.flags & kHasAttributes) != 0 ? sizeof(RangeAttributes) : 0);
  const bool lost = (range.flags & kNameLost) != 0;
  if ((range.flags & kBegunClosed) != 0) CountGated(log, kGatedRanges);
  if (!MetNoOpenGate(log, range)) {
    char* room = lost ? nullptr : Reserve(log, bytes);  // may move the stack into a larger ring
    if (room != nullptr) {
      FillRange(room, range, end, at - 1, crossing);
      Publish(log, bytes);
    } else {
      CountLoss(kLoss_ring_full);
    }
  }
  for (uint32_t i = at; i < log.depth; ++i) log.stack[i - 1] = log.stack[i];
  log.control->depth.store(--log.depth, std::memory_order_release);
  if ((range.flags & kIsMarked) != 0) LeaveMarked(log, range.marks);
  return static_cast<int>(range.level);
}

}  // namespace syncline
