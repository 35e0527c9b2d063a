// SPDX-License-Identifier: Apache-2.0
// The rings of a segment.
#include "inject/runtime/rings.h"

#include <cstring>

#include "inject/core/clock.h"
#include "inject/core/emit.h"
#include "inject/core/process_facts.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"
#include "inject/core/version.h"
#include "inject/runtime/segment_maker.h"

namespace syncline {
namespace {

// The file that holds the segment; "" if none does.
const char* FileOf(const ProcessState* process, const SegmentHeader* header) {
  for (const SegmentFile& file : process->session.files) {
    if (file.header.load(std::memory_order_acquire) == header) return file.path;
  }
  return "";
}

RingNotes* NotesOf(ProcessState* process, const SegmentHeader* header) {
  for (RingNotes& notes : process->session.notes) {
    if (notes.header.load(std::memory_order_acquire) == header) return &notes;
  }
  return nullptr;  // not while the segment is in use
}

RingControl* ControlAt(SegmentHeader* header, const RingNotes::Place& place) {
  return reinterpret_cast<RingControl*>(reinterpret_cast<char*>(header) + place.offset);
}

// Takes space for a new ring of `bytes`. Its index, or -1.
int MakeRing(ProcessState* process, SegmentHeader* header, uint64_t bytes) {
  RingNotes* notes = NotesOf(process, header);
  if (notes == nullptr) return -1;
  const uint64_t footprint = RingFootprint(bytes);
  uint64_t at = notes->bytes_used.load(std::memory_order_relaxed);
  do {
    if (footprint > notes->segment_bytes || at > notes->segment_bytes - footprint) return -1;
  } while (!notes->bytes_used.compare_exchange_weak(at, at + footprint, std::memory_order_relaxed));
  header->bytes_used.store(at + footprint, std::memory_order_relaxed);  // for those who look
  const char* path = FileOf(process, header);
  if (*path != '\0' && !ReserveFile(path, at, footprint)) return -1;
  const uint32_t index = notes->count.fetch_add(1, std::memory_order_relaxed);
  if (index >= kMaxRings) {
    notes->count.store(kMaxRings, std::memory_order_relaxed);
    return -1;
  }
  notes->places[index] = {at, bytes};
  RingEntry& entry = header->rings[index];
  entry.offset = at;
  entry.data_bytes = bytes;
  // Release: pairs with the consumer's acquire before it reads offset and size.
  entry.state.store(static_cast<uint32_t>(RingState::kOwned), std::memory_order_release);
  uint32_t seen = header->ring_count.load(std::memory_order_relaxed);
  while (seen <= index && !header->ring_count.compare_exchange_weak(seen, index + 1)) {
  }
  return static_cast<int>(index);
}

}  // namespace

void InitSegment(SegmentHeader* header, uint64_t bytes, uint64_t ring_limit, RingNotes* notes) {
  header->layout_version = kLayoutVersion;
  header->header_bytes = sizeof(SegmentHeader);
  header->segment_bytes = bytes;
  CopyText(header->build, sizeof(header->build), kVersion);
  header->clock = static_cast<uint32_t>(g_clock);
  header->max_rings = kMaxRings;
  header->ring_limit = kMinRingBytes;
  while (header->ring_limit * kRingGrowth <= ring_limit) header->ring_limit *= kRingGrowth;
  header->start = TakeAnchor(g_clock);
  FillProcessFacts(&header->facts);
  header->bytes_used.store((sizeof(SegmentHeader) + 4095) / 4096 * 4096, std::memory_order_relaxed);
  notes->segment_bytes = bytes;
  notes->ring_limit = header->ring_limit;
  notes->bytes_used.store((sizeof(SegmentHeader) + 4095) / 4096 * 4096, std::memory_order_relaxed);
  notes->count.store(0, std::memory_order_relaxed);
  notes->header.store(header, std::memory_order_release);
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(header->magic, kSegmentMagic, sizeof(kSegmentMagic));  // last: what has it is whole
}

uint64_t RingLimit(ProcessState* process, const SegmentHeader* header) {
  const RingNotes* notes = NotesOf(process, header);
  return notes == nullptr ? 0 : notes->ring_limit;
}

int ReuseRing(ProcessState* process, SegmentHeader* header, uint64_t bytes) {
  const RingNotes* notes = NotesOf(process, header);
  if (notes == nullptr) return -1;
  uint32_t count = notes->count.load(std::memory_order_acquire);
  if (count > kMaxRings) count = kMaxRings;
  for (uint32_t i = 0; i < count; ++i) {
    RingEntry& entry = header->rings[i];
    // Acquire: pairs with the release of the thread that made the ring, or left it.
    uint32_t state = entry.state.load(std::memory_order_acquire);
    const RingNotes::Place& place = notes->places[i];
    if (state != static_cast<uint32_t>(RingState::kIdle) || place.data_bytes < bytes) continue;
    if (!entry.state.compare_exchange_strong(state, static_cast<uint32_t>(RingState::kOwned),
                                             std::memory_order_acquire))
      continue;
    RingControl* control = ControlAt(header, place);
    const uint64_t used = control->head.load(std::memory_order_relaxed) -
                          control->tail.load(std::memory_order_acquire);
    // `previous` tells the consumer what to drain before it; until it has, nobody may take it away.
    const bool told = used == 0 || entry.previous.load(std::memory_order_relaxed) == 0;
    if (used <= place.data_bytes / 2 && told) {
      entry.previous.store(0, std::memory_order_relaxed);
      return static_cast<int>(i);
    }
    entry.state.store(static_cast<uint32_t>(RingState::kIdle), std::memory_order_release);
  }
  return -1;
}

int TakeRing(ProcessState* process, SegmentHeader* header, uint64_t bytes) {
  const int index = ReuseRing(process, header, bytes);
  return index >= 0 ? index : MakeRing(process, header, bytes);
}

void LeaveRing(SegmentHeader* header, uint32_t index) {
  header->rings[index].state.store(static_cast<uint32_t>(RingState::kIdle),
                                   std::memory_order_release);
}

void MoveInto(ProcessState* process, ThreadLog& log, SegmentHeader* header, uint32_t index) {
  const RingNotes::Place& place = NotesOf(process, header)->places[index];
  RingControl* control = ControlAt(header, place);
  auto* stack = reinterpret_cast<OpenRange*>(reinterpret_cast<char*>(control) + kStackOffset);
  if (log.depth != 0) std::memcpy(stack, log.stack, log.depth * sizeof(OpenRange));
  control->tid.store(log.tid, std::memory_order_relaxed);
  control->stream.store(log.stream, std::memory_order_relaxed);
  control->call.begin.store(0, std::memory_order_relaxed);
  control->depth.store(log.depth, std::memory_order_release);
  log.control = control;
  log.segment = header;
  log.stack = stack;
  log.data = reinterpret_cast<char*>(control) + kDataOffset;
  log.mask = place.data_bytes - 1;
  // Whole slots, whatever stands there: a record shall not reach beyond the ring.
  log.head = control->head.load(std::memory_order_relaxed) & ~uint64_t{kSlotBytes - 1};
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

}  // namespace syncline
