// SPDX-License-Identifier: Apache-2.0
// The rings of a segment.
#include "inject/runtime/rings.h"

#include <cstddef>
#include <cstring>
#include <initializer_list>

#include "inject/core/clock.h"
#include "inject/core/emit.h"
#include "inject/core/futex.h"
#include "inject/core/process_facts.h"
#include "inject/core/sys.h"
#include "inject/core/text.h"
#include "inject/core/version.h"
#include "inject/runtime/segment_maker.h"
#include "inject/runtime/thread_logs.h"

namespace syncline {
namespace {

constexpr uint64_t kPieceBytes = 512 << 10;    // of a segment that is mapped piece by piece
constexpr int kMakingWaits = 5;                // of kOneWaitNs, without a ring being made
constexpr int kMostWaits = 40;                 // while thousands make theirs
constexpr uint64_t kReserveBytes = 128 << 10;  // of a file at once: some first rings
constexpr uint32_t kRowsPerPage = kPage / sizeof(RingEntry);

// One thread at a time makes a ring: a few microseconds, for which thousands may wait. False:
// another one hangs in it, for instance in a file system.
class Making {
 public:
  explicit Making(SegmentNotes* notes) : notes_(notes) {
    uint32_t free = kFree;
    have_ = notes_->making.compare_exchange_strong(free, kTaken, std::memory_order_acquire);
    if (!have_ && !notes_->making_hangs.load(std::memory_order_relaxed)) Wait();
  }
  ~Making() {
    if (!have_) return;
    notes_->making_hangs.store(false, std::memory_order_relaxed);
    if (notes_->making.exchange(kFree, std::memory_order_release) == kWaitedFor)
      Wake(&notes_->making, 1);
  }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;
  explicit operator bool() const { return have_; }

 private:
  enum : uint32_t { kFree, kTaken, kWaitedFor };

  // Who waits among thousands may not get the lock for a while, though nobody hangs.
  void Wait() {
    uint32_t made = notes_->count.load(std::memory_order_relaxed);
    int looked = 0;
    CountedWaits waits(kMostWaits);
    do {
      have_ = notes_->making.exchange(kWaitedFor, std::memory_order_acquire) == kFree;
      if (have_) return;
      if (waits.in_vain() < looked + kMakingWaits) continue;
      looked = waits.in_vain();
      const uint32_t seen = notes_->count.load(std::memory_order_relaxed);
      if (seen == made) return notes_->making_hangs.store(true, std::memory_order_relaxed);
      made = seen;
    } while (waits.Wait(&notes_->making, kWaitedFor));
  }

  SegmentNotes* notes_;
  bool have_;
};

// 0 for the smallest ring, 1 for the next power of two.
uint32_t RingSize(uint64_t data_bytes) {
  return static_cast<uint32_t>(__builtin_ctzll(data_bytes) - __builtin_ctzll(kMinRingBytes));
}

// Maps the segment's next piece, so that `footprint` bytes behind what is used lie in one. False:
// no address space.
bool MapPiece(SegmentNotes* notes, uint64_t footprint) {
  const uint64_t used = notes->bytes_used.load(std::memory_order_relaxed);
  const uint64_t begin = used < notes->piece_end ? used : notes->piece_end - kPage;
  uint64_t end = used + (footprint > kPieceBytes ? footprint : kPieceBytes);
  if (end > notes->segment_bytes) end = notes->segment_bytes;
  void* piece = SysMapOn(notes->piece + (begin - notes->piece_begin), end - begin);
  if (piece == nullptr) return false;
  notes->piece = static_cast<char*>(piece);
  notes->piece_begin = begin;
  notes->piece_end = end;
  return true;
}

// Reserves a ring and its row in the file that holds the segment, if one does.
bool ReserveRing(SegmentNotes* notes, uint32_t index, uint64_t end) {
  if (notes->path[0] == '\0') return true;
  const uint64_t row = offsetof(SegmentHeader, rings) + index * sizeof(RingEntry);
  if (index % kRowsPerPage == 0 && !ReserveFile(notes->path, row, kPage)) return false;
  if (end <= notes->reserved_end) return true;
  uint64_t ahead = notes->reserved_end + kReserveBytes;
  if (ahead > notes->segment_bytes) ahead = notes->segment_bytes;
  for (const uint64_t until : {ahead, end}) {
    if (until < end || !ReserveFile(notes->path, notes->reserved_end, until - notes->reserved_end))
      continue;
    notes->reserved_end = until;
    return true;
  }
  return false;
}

bool HasRoom(const SegmentNotes& notes, uint64_t footprint) {
  return notes.count.load(std::memory_order_relaxed) < kMaxRings &&
         footprint <= notes.segment_bytes &&
         notes.bytes_used.load(std::memory_order_relaxed) <= notes.segment_bytes - footprint;
}

// Takes space for a new ring of `bytes`. Its index, or -1.
int MakeRing(SegmentNotes* notes, uint64_t bytes) {
  const uint64_t footprint = RingFootprint(bytes);
  if (!HasRoom(*notes, footprint)) return -1;
  const Making making(notes);
  if (!making || !HasRoom(*notes, footprint)) return -1;
  SegmentHeader* header = notes->header;
  const uint64_t at = notes->bytes_used.load(std::memory_order_relaxed);
  const uint32_t index = notes->count.load(std::memory_order_relaxed);
  if (at + footprint > notes->piece_end && !MapPiece(notes, footprint)) {
    header->degraded.fetch_or(kNoAddressSpace, std::memory_order_relaxed);
    return -1;
  }
  if (!ReserveRing(notes, index, at + footprint)) return -1;
  notes->bytes_used.store(at + footprint, std::memory_order_relaxed);
  header->bytes_used.store(at + footprint, std::memory_order_relaxed);  // for those who look
  auto* control = reinterpret_cast<RingControl*>(notes->piece + (at - notes->piece_begin));
  notes->places[index] = {control, bytes};
  RingEntry& entry = header->rings[index];
  entry.offset = at;
  entry.data_bytes = bytes;
  notes->count.store(index + 1, std::memory_order_release);
  // Release: pairs with the consumer's acquire before it reads offset and size.
  entry.state.store(static_cast<uint32_t>(RingState::kOwned), std::memory_order_release);
  header->ring_count.store(index + 1, std::memory_order_release);
  return static_cast<int>(index);
}

// Whether somebody left a ring of at least `bytes`.
bool AnyIdle(const SegmentNotes& notes, uint64_t bytes) {
  for (uint32_t size = RingSize(bytes); size < kRingSizes; ++size) {
    if (notes.idle[size].load(std::memory_order_relaxed) != 0) return true;
  }
  return false;
}

}  // namespace

SegmentNotes* InitSegment(const SegmentMemory& memory, uint64_t ring_limit) {
  auto* notes = static_cast<SegmentNotes*>(MapWiped(sizeof(SegmentNotes)));
  if (notes == nullptr) return nullptr;
  auto* header = static_cast<SegmentHeader*>(memory.memory);
  notes->header = header;
  notes->segment_bytes = memory.bytes;
  notes->ring_limit = kMinRingBytes;
  while (notes->ring_limit <= ring_limit / 2) notes->ring_limit *= 2;
  CopyText(notes->path, sizeof(notes->path), memory.path);
  notes->piece = static_cast<char*>(memory.memory);
  notes->piece_end = memory.mapped;
  notes->reserved_end = sizeof(SegmentHeader);
  notes->bytes_used.store(sizeof(SegmentHeader), std::memory_order_relaxed);

  header->layout_version = kLayoutVersion;
  header->header_bytes = sizeof(SegmentHeader);
  header->segment_bytes = memory.bytes;
  CopyText(header->build, sizeof(header->build), kVersion);
  header->clock = static_cast<uint32_t>(g_clock);
  header->ring_limit = notes->ring_limit;
  header->start = TakeAnchor(g_clock);
  FillProcessFacts(&notes->facts);
  header->facts = notes->facts;
  header->degraded.store(memory.degraded, std::memory_order_relaxed);
  header->bytes_used.store(sizeof(SegmentHeader), std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);
  std::memcpy(header->magic, kSegmentMagic, sizeof(kSegmentMagic));  // last: what has it is whole
  return notes;
}

uint64_t RingLimit(ProcessState* process) {
  const SegmentNotes* notes = NotesOf(process);
  return notes == nullptr ? 0 : notes->ring_limit;
}

int ReuseRing(ProcessState* process, uint64_t bytes) {
  SegmentNotes* notes = NotesOf(process);
  if (notes == nullptr || !AnyIdle(*notes, bytes)) return -1;
  const uint32_t count = notes->count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) {
    RingEntry& entry = notes->header->rings[i];
    // Acquire: pairs with the release of the thread that made the ring, or left it.
    uint32_t state = entry.state.load(std::memory_order_acquire);
    const SegmentNotes::Place& place = notes->places[i];
    if (state != static_cast<uint32_t>(RingState::kIdle) || place.data_bytes < bytes) continue;
    if (!entry.state.compare_exchange_strong(state, static_cast<uint32_t>(RingState::kOwned),
                                             std::memory_order_acquire))
      continue;
    const uint64_t used = place.control->head.load(std::memory_order_relaxed) -
                          place.control->tail.load(std::memory_order_acquire);
    // `previous` tells the consumer what to drain before it; until it has, nobody may take it away.
    const bool told = used == 0 || entry.previous.load(std::memory_order_relaxed) == 0;
    if (used <= place.data_bytes / 2 && told) {
      entry.previous.store(0, std::memory_order_relaxed);
      notes->idle[RingSize(place.data_bytes)].fetch_sub(1, std::memory_order_relaxed);
      return static_cast<int>(i);
    }
    entry.state.store(static_cast<uint32_t>(RingState::kIdle), std::memory_order_release);
  }
  return -1;
}

SegmentNotes* NotesOf(ProcessState* process) {
  return process->session.notes.load(std::memory_order_acquire);
}

RingControl* LocateRing(void* context, uint32_t index, uint64_t data_bytes) {
  const auto* notes = static_cast<SegmentNotes*>(context);
  if (index >= notes->count.load(std::memory_order_acquire)) return nullptr;
  const SegmentNotes::Place& place = notes->places[index];
  return place.data_bytes == data_bytes ? place.control : nullptr;
}

uint32_t CountRings(void* context) {
  return static_cast<const SegmentNotes*>(context)->count.load(std::memory_order_acquire);
}

int TakeRing(ProcessState* process, uint64_t bytes) {
  const int index = ReuseRing(process, bytes);
  if (index >= 0) return index;
  SegmentNotes* notes = NotesOf(process);
  return notes == nullptr ? -1 : MakeRing(notes, bytes);
}

void PublishAllHeld(ProcessState* process) {
  const SegmentNotes* notes = NotesOf(process);
  const uint32_t count = notes == nullptr ? 0 : notes->count.load(std::memory_order_acquire);
  for (uint32_t i = 0; i < count; ++i) PublishHeldOf(notes->places[i].control);
}

void LeaveRing(ProcessState* process, uint32_t index) {
  SegmentNotes* notes = NotesOf(process);
  notes->idle[RingSize(notes->places[index].data_bytes)].fetch_add(1);
  process->left.fetch_add(1, std::memory_order_release);
  notes->header->rings[index].state.store(static_cast<uint32_t>(RingState::kIdle),
                                          std::memory_order_release);
}

void MoveInto(ProcessState* process, ThreadLog& log, uint32_t index) {
  const SegmentNotes* notes = NotesOf(process);
  const SegmentNotes::Place& place = notes->places[index];
  RingControl* control = place.control;
  auto* stack = reinterpret_cast<OpenRange*>(reinterpret_cast<char*>(control) + kStackOffset);
  if (log.depth != 0) std::memcpy(stack, log.stack, log.depth * sizeof(OpenRange));
  control->tid.store(log.tid, std::memory_order_relaxed);
  control->stream.store(log.stream, std::memory_order_relaxed);
  for (OpenCall& call : control->calls) call.begin.store(0, std::memory_order_relaxed);
  control->depth.store(log.depth, std::memory_order_release);
  log.control = control;
  log.segment = notes->header;
  log.stack = stack;
  log.data = reinterpret_cast<char*>(control) + DataOffset(place.data_bytes);
  log.depth_limit = OpenRangesOf(place.data_bytes);
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
  record->is_main_thread = log.tid == static_cast<uint32_t>(SysPid());
  Publish(log, sizeof(StreamRecord));
  return true;
}

}  // namespace syncline
