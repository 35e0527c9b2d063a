// SPDX-License-Identifier: Apache-2.0
// Counting of records that stay in their rings.
#include "inject/runtime/undrained.h"

#include "inject/runtime/rings.h"

namespace syncline {
namespace {

constexpr uint64_t kSlotMask = ~uint64_t{kSlotBytes - 1};

// Counts the records behind the consumer's tail that are losses if nobody takes them.
uint64_t CountEvents(const RingControl& control, const char* data, uint64_t mask, uint64_t head) {
  uint64_t count = 0;
  uint64_t at = control.tail.load(std::memory_order_acquire) & kSlotMask;
  if (head - at > mask + 1) return 0;
  while (at < head) {
    const auto* record = reinterpret_cast<const RecordHead*>(data + (at & mask));
    const auto kind = static_cast<RecordKind>(record->kind);
    count += kind == RecordKind::kRange || kind == RecordKind::kMark ||
             kind == RecordKind::kRangeStart || kind == RecordKind::kCall ||
             kind == RecordKind::kDeviceOp;
    if (record->slots == 0) break;
    at += uint64_t{record->slots} * kSlotBytes;
  }
  return count;
}

}  // namespace

uint64_t UndrainedEvents(const ThreadLog& log) {
  return CountEvents(*log.control, log.data, log.mask, log.head);
}

uint64_t UndrainedInLeftRings(ProcessState* process, const SegmentHeader* header) {
  const SegmentNotes* notes = header == nullptr ? nullptr : NotesOf(process, header);
  if (notes == nullptr) return 0;
  uint64_t count = 0;
  const uint32_t rings = notes->count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < rings; ++i) {
    // Acquire: pairs with the release of the thread that left the ring.
    const uint32_t state = header->rings[i].state.load(std::memory_order_acquire);
    if (state != static_cast<uint32_t>(RingState::kIdle)) continue;
    const SegmentNotes::Place& place = notes->places[i];
    const char* data = reinterpret_cast<const char*>(place.control) + DataOffset(place.data_bytes);
    const uint64_t head = place.control->head.load(std::memory_order_relaxed) & kSlotMask;
    count += CountEvents(*place.control, data, place.data_bytes - 1, head);
  }
  return count;
}

}  // namespace syncline
