// SPDX-License-Identifier: Apache-2.0
// Draining of a segment whose contents are hostile.
#include "inject/consumer/segment_drain.h"

#include <sys/mman.h>

#include <cstring>

#include "inject/core/clock.h"
#include "inject/core/gate.h"
#include "inject/core/sys.h"

namespace syncline {
namespace {

constexpr uint64_t kBatchBytes =
    1u << 20;  // a block; small enough to lose little to one damaged checksum
constexpr uint64_t kRetryNs = 100000000;  // between two tries to write to a full file system
constexpr int kLongestChain =
    8;  // a stream moves into rings about four times larger: 8 KiB to 16 MiB are at most seven

// Of whole records, those that are losses if nobody takes them.
uint64_t CountEvents(const char* data, uint64_t bytes) {
  uint64_t count = 0;
  uint64_t at = 0;
  while (at + kSlotBytes <= bytes) {
    RecordHead record;
    std::memcpy(&record, data + at, sizeof(record));
    if (record.slots == 0) break;
    const auto type = static_cast<RecordKind>(record.kind);
    count += type == RecordKind::kRange || type == RecordKind::kMark ||
             type == RecordKind::kRangeStart || type == RecordKind::kCall ||
             type == RecordKind::kDeviceOp;
    at += uint64_t{record.slots} * kSlotBytes;
  }
  return count;
}

// How much of [data, data + bytes) goes into one block, which ends where a record ends. A record is
// at most 2 MiB. 0: the first one lies about its size, and nobody knows where another begins.
uint64_t BlockOf(const char* data, uint64_t bytes) {
  if (bytes <= kBatchBytes) return bytes;
  uint64_t whole = 0;
  while (whole < kBatchBytes) {
    RecordHead record;
    std::memcpy(&record, data + whole, sizeof(record));
    const uint64_t size = uint64_t{record.slots} * kSlotBytes;
    if (size == 0 || size > bytes - whole) break;
    whole += size;
  }
  return whole;
}

}  // namespace

SegmentDrain::~SegmentDrain() {
  if (rings_ != nullptr) SysUnmap(rings_, kMaxRings * sizeof(Ring));
}

uint32_t SegmentDrain::RingCount() const {
  const uint32_t count = count_ != nullptr ? count_(locate_context_)
                                           : segment_->ring_count.load(std::memory_order_acquire);
  return count < kMaxRings ? count : kMaxRings;
}

bool SegmentDrain::Adopt(SegmentHeader* segment, uint64_t bytes, SpoolFile* spool) {
  if (bytes < sizeof(SegmentHeader) ||
      std::memcmp(segment->magic, kSegmentMagic, sizeof(kSegmentMagic)) != 0) {
    why_ = "not a segment";
    return false;
  }
  if (segment->layout_version != kLayoutVersion || segment->header_bytes != sizeof(SegmentHeader)) {
    why_ = "a segment of another version of Syncline";
    return false;
  }
  if (rings_ == nullptr) {
    rings_ = static_cast<Ring*>(SysMap(kMaxRings * sizeof(Ring), PROT_READ | PROT_WRITE,
                                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1));
  }
  if (rings_ == nullptr) {
    why_ = "a segment for which there is no memory";
    return false;
  }
  segment_ = segment;
  bytes_ = bytes;
  spool_ = spool;
  process_.clock = segment->clock;
  process_.facts = segment->facts;
  return true;
}

bool SegmentDrain::Open(SegmentHeader* segment, uint64_t bytes, SpoolFile* spool, int32_t outer_pid,
                        ConsumerKind kind) {
  if (!Adopt(segment, bytes, spool)) return false;
  process_.segment_bytes = bytes;
  process_.layout_version = kLayoutVersion;
  std::memcpy(process_.build, segment->build, sizeof(process_.build));
  process_.outer_pid = outer_pid;
  process_.consumer = static_cast<uint32_t>(kind);
  process_.start = segment->start;
  process_.consumer_start = TakeAnchor(static_cast<ClockId>(process_.clock));
  last_anchor_ns_ = process_.consumer_start.monotonic_ns;
  // The process's clock may be of another time namespace: the two starts were at about one time.
  here_ns_ = process_.consumer_start.monotonic_ns - process_.start.monotonic_ns;
  if (segment->open_after_ns != 0) open_gate_ns_ = segment->open_after_ns + here_ns_;
  if (segment->close_after_ns != 0) close_gate_ns_ = segment->close_after_ns + here_ns_;
  why_ = "the spool cannot be written";
  SpoolCounters none = {};
  none.loss_table = process_.facts.loss_table;
  return Append(BlockType::kProcess, 0, &process_, sizeof(process_)) &&
         Append(BlockType::kCounters, 0, &none, sizeof(none));
}

bool SegmentDrain::Resume(SegmentHeader* segment, uint64_t bytes, SpoolFile* spool) {
  if (!Adopt(segment, bytes, spool)) return false;
  spool_->CutOff();
  resumed_ = true;
  last_anchor_ns_ = MonotonicNs();
  open_gate_ns_ = segment->open_after_ns;
  close_gate_ns_ = segment->close_after_ns;
  for (uint32_t i = 0; i < kMaxLossKinds; ++i)
    own_losses_[i] = segment->consumer_losses[i].load(std::memory_order_relaxed);
  if (segment->consumer.has_hole.load(std::memory_order_relaxed) != 0) spool_->Refuse();
  const SpoolMark mark = MarkOf(*segment);
  const uint32_t count = RingCount();
  for (uint32_t i = 0; i < count; ++i) {
    if (!Admit(i)) continue;
    // What stands in the spool was drained, also when the consumer died before it moved the tail.
    const uint64_t tail = rings_[i].control->tail.load(std::memory_order_acquire);
    rings_[i].tail = mark.ring == i && mark.tail > tail ? mark.tail : tail;
    ring_bytes_ += rings_[i].tail;
  }
  return true;
}

// The mark moves before the tail does: what is in the spool is not drained again.
bool SegmentDrain::Append(BlockType type, uint32_t ring, const void* a, uint64_t a_bytes,
                          const void* b, uint64_t b_bytes) {
  if (!spool_->Append(type, ring, a, a_bytes, b, b_bytes)) return false;
  const bool records = type == BlockType::kRecords;
  SetMark(segment_, {spool_->bytes(), records ? rings_[ring].tail + a_bytes : 0, spool_->sequence(),
                     records ? ring : kNoRing});
  return true;
}

bool SegmentDrain::Admit(uint32_t index) {
  Ring& ring = rings_[index];
  if (ring.data_bytes != 0) return true;
  if (ring.refused) return false;
  const RingEntry& entry = segment_->rings[index];
  // Acquire: pairs with the producer's release when the ring leaves kUnused; offset and size never
  // change after that.
  if (entry.state.load(std::memory_order_acquire) == static_cast<uint32_t>(RingState::kUnused))
    return false;
  const uint64_t offset = entry.offset;
  const uint64_t size = entry.data_bytes;
  const bool power_of_two = size != 0 && (size & (size - 1)) == 0;
  if (!power_of_two || size < kMinRingBytes || size > bytes_ || offset % 64 != 0 ||
      offset < sizeof(SegmentHeader) || offset > bytes_ || RingFootprint(size) > bytes_ - offset) {
    ring.refused = true;
    AddLoss(kLoss_damaged, 1);
    return false;
  }
  RingControl* control =
      locate_ != nullptr
          ? locate_(locate_context_, index, size)
          : reinterpret_cast<RingControl*>(reinterpret_cast<char*>(segment_) + offset);
  if (control == nullptr) return false;
  ring = {control, size, 0, false};
  return true;
}

uint64_t SegmentDrain::DrainRing(uint32_t index, int chain, uint32_t* fullest) {
  if (!Admit(index)) return 0;
  Ring& ring = rings_[index];
  RingControl* control = ring.control;
  // Acquire: pairs with the producer's release in Publish; the records below head are whole. Read
  // before the ring that this one continues is drained, so that the spool has a stream's pieces in
  // order.
  const uint64_t head = control->head.load(std::memory_order_acquire);
  if (head == ring.tail) return 0;
  uint64_t taken = 0;
  const uint32_t previous = segment_->rings[index].previous.load(std::memory_order_acquire);
  if (previous != 0 && previous <= kMaxRings && previous - 1 != index && chain < kLongestChain) {
    taken += DrainRing(previous - 1, chain + 1, fullest);
  }
  if (full_) return taken;
  if (head % kSlotBytes != 0 || head < ring.tail || head - ring.tail > ring.data_bytes) {
    AddLoss(kLoss_damaged, 1);
    ring.tail = head - head % kSlotBytes;
    control->tail.store(ring.tail, std::memory_order_release);
    return taken;
  }
  const uint32_t share = static_cast<uint32_t>((head - ring.tail) * 100 / ring.data_bytes);
  if (share > *fullest) *fullest = share;
  const char* data = reinterpret_cast<const char*>(control) + DataOffset(ring.data_bytes);
  while (ring.tail != head) {
    const uint64_t at = ring.tail & (ring.data_bytes - 1);
    uint64_t bytes = head - ring.tail;
    if (bytes > ring.data_bytes - at) bytes = ring.data_bytes - at;
    const uint64_t block = BlockOf(data + at, bytes);
    if (block != 0) bytes = block;
    if (block == 0) {
      AddLoss(kLoss_damaged, 1);
    } else if (!Append(BlockType::kRecords, index, data + at, bytes)) {
      full_ = !last_ && spool_->IsFull();
      if (full_) return taken;
      spool_->Refuse();
      dropped_bytes_ += bytes;
      CountDropped(data + at, bytes, kLoss_disk_full);
    }
    ring.tail += bytes;
    taken += bytes;
    // Release: the slots may be overwritten only after they were copied; pairs with the acquire in
    // MakeRoom.
    control->tail.store(ring.tail, std::memory_order_release);
  }
  return taken;
}

void SegmentDrain::CountDropped(const char* data, uint64_t bytes, Loss kind) {
  segment_->consumer.has_hole.store(1, std::memory_order_relaxed);
  AddLoss(kind, CountEvents(data, bytes));
}

// `count` is added modulo 2^64: a loss may pass from one kind to another.
void SegmentDrain::AddLoss(Loss kind, uint64_t count) {
  own_losses_[kind] += count;
  segment_->consumer_losses[kind].store(own_losses_[kind], std::memory_order_relaxed);
}

// What finds no room in a ring because the file system is full is lost to that.
void SegmentDrain::CountWhileFull() {
  const uint64_t now = segment_->losses[kLoss_ring_full].load(std::memory_order_relaxed);
  if ((retry_ns_ != 0 || was_full_) && now > ring_full_) {
    AddLoss(kLoss_disk_full, now - ring_full_);
    AddLoss(kLoss_ring_full, ring_full_ - now);
  }
  ring_full_ = now;
}

// Times are taken so that what the process records meanwhile lies between them.
template <typename Change>
void SegmentDrain::ChangeGateAt(uint64_t* deadline_ns, Change change) {
  if (*deadline_ns == 0 || MonotonicNs() < *deadline_ns) return;
  *deadline_ns = 0;
  const auto clock = static_cast<ClockId>(process_.clock);
  const uint64_t before = TakeAnchor(clock).ticks;
  const GateChange done = ChangeGate(&segment_->gate, change);
  if (!done.Opened() && !done.Closed()) return;
  if (done.Closed()) segment_->closed_ns.store(MonotonicNs() - here_ns_, std::memory_order_relaxed);
  GateRecord record = {};
  record.head = {static_cast<uint8_t>(RecordKind::kGate), ReasonsOf(done.after), 1, 0};
  record.ticks = done.Opened() ? before : TakeAnchor(clock).ticks;
  record.change = ChangesOf(done.after);
  record.event = done.Opened() ? GateEvent::kOpened : GateEvent::kClosed;
  WriteGate(record);
}

void SegmentDrain::KeepGateTimes() {
  ChangeGateAt(&open_gate_ns_, [](GateWord gate) { return WithReason(gate, kTooEarly, false); });
  ChangeGateAt(&close_gate_ns_, [](GateWord gate) { return WithReason(gate, kTooLate, true); });
}

void SegmentDrain::WriteGate(const GateRecord& change) {
  if (process_.facts.gate == 0) return;
  SpoolGate gate = {change, {}, segment_->steps.load(std::memory_order_relaxed)};
  const uint32_t count = RingCount();
  for (uint32_t i = 0; i < count; ++i) {
    if (rings_[i].data_bytes == 0) continue;
    for (uint32_t kind = 0; kind < kGatedKinds; ++kind)
      gate.gated[kind] += rings_[i].control->gated[kind].load(std::memory_order_relaxed);
  }
  Append(BlockType::kGate, 0, &gate, sizeof(gate));
}

uint64_t SegmentDrain::Drain(uint32_t* fullest) {
  *fullest = 0;
  if (!last_) KeepGateTimes();
  CountWhileFull();
  if (retry_ns_ != 0 && !last_ && MonotonicNs() < retry_ns_) return 0;
  full_ = false;
  uint64_t taken = 0;
  const uint32_t count = RingCount();
  for (uint32_t i = 0; i < count && !full_; ++i) taken += DrainRing(i, 0, fullest);
  was_full_ = retry_ns_ != 0;  // a thread that has just found no room counts a little later
  retry_ns_ = full_ ? MonotonicNs() + kRetryNs : 0;
  ring_bytes_ += taken;
  return taken;
}

void SegmentDrain::Anchors(uint64_t interval_ns) {
  const uint64_t now = MonotonicNs();
  if (now - last_anchor_ns_ < interval_ns) return;
  last_anchor_ns_ = now;
  // Nothing to place in time and nothing to tell: a process that idles for weeks costs no disk.
  uint64_t state = ring_bytes_ + dropped_bytes_;
  for (uint32_t i = 0; i < kMaxLossKinds; ++i)
    state += segment_->losses[i].load(std::memory_order_relaxed) + own_losses_[i];
  if (state == anchored_state_) return;
  anchored_state_ = state;
  const Anchor anchor = TakeAnchor(static_cast<ClockId>(process_.clock));
  Append(BlockType::kAnchor, 0, &anchor, sizeof(anchor));
  WriteCounters();
}

void SegmentDrain::WriteOpenRanges() {
  const uint32_t count = RingCount();
  for (uint32_t i = 0; i < count; ++i) {
    const Ring& ring = rings_[i];
    if (ring.data_bytes == 0) continue;
    RingControl* control = ring.control;
    const uint32_t depth = control->depth.load(std::memory_order_acquire);
    const uint32_t state = segment_->rings[i].state.load(std::memory_order_acquire);
    if (depth == 0 || state != static_cast<uint32_t>(RingState::kOwned)) continue;
    if (depth > OpenRangesOf(ring.data_bytes)) {
      AddLoss(kLoss_damaged, 1);
      continue;
    }
    const SpoolOpen open = {control->stream.load(std::memory_order_relaxed),
                            control->tid.load(std::memory_order_relaxed), depth};
    Append(BlockType::kOpen, i, &open, sizeof(open),
           reinterpret_cast<const char*>(control) + kStackOffset, depth * sizeof(OpenRange));
  }
}

void SegmentDrain::WriteOpenCalls() {
  const uint32_t count = RingCount();
  for (uint32_t i = 0; i < count; ++i) {
    if (rings_[i].data_bytes == 0) continue;
    for (Source source = 0; source < kMaxSources; ++source) WriteOpenCall(i, source);
  }
}

void SegmentDrain::WriteOpenCall(uint32_t ring, Source source) {
  const RingControl* control = rings_[ring].control;
  const OpenCall& call = control->calls[source];
  const uint64_t begin = call.begin.load(std::memory_order_acquire);
  const uint32_t state = segment_->rings[ring].state.load(std::memory_order_acquire);
  if (begin == 0 || state != static_cast<uint32_t>(RingState::kOwned)) return;
  SpoolOpenCall open = {control->stream.load(std::memory_order_relaxed),
                        control->tid.load(std::memory_order_relaxed),
                        call.stack.load(std::memory_order_relaxed),
                        {}};
  open.call.head = {static_cast<uint8_t>(RecordKind::kCall),
                    call.flags.load(std::memory_order_relaxed), 1,
                    call.name.load(std::memory_order_relaxed)};
  open.call.begin = begin;
  open.call.correlation = call.correlation.load(std::memory_order_relaxed);
  open.call.source = source;
  open.call.role = call.role.load(std::memory_order_relaxed);
  Append(BlockType::kOpenCall, ring, &open, sizeof(open));
}

void SegmentDrain::WriteCounters() {
  SpoolCounters counters = {};
  counters.exit_state = segment_->exit_state.load(std::memory_order_acquire);
  if (gone_ && counters.exit_state == 0) counters.exit_state = 2;
  counters.exit_status = segment_->exit_status.load(std::memory_order_relaxed);
  counters.exit_ticks = segment_->exit_ticks.load(std::memory_order_relaxed);
  counters.degraded = segment_->degraded.load(std::memory_order_relaxed);
  counters.loss_table = process_.facts.loss_table;
  counters.self_ticks = segment_->self_ticks.load(std::memory_order_relaxed);
  counters.ring_bytes = ring_bytes_;
  counters.dropped_bytes = dropped_bytes_;
  for (uint32_t i = 0; i < kMaxLossKinds; ++i) counters.losses[i] = LossesToTell(i);
  if (spool_->bytes() > kCountersAt) {
    spool_->Replace(kCountersAt, 1, BlockType::kCounters, &counters, sizeof(counters));
  } else {  // the consumer before died at once
    Append(BlockType::kCounters, 0, &counters, sizeof(counters));
  }
  WriteGate({});
}

uint64_t SegmentDrain::LossesToTell(uint32_t kind) const {
  return segment_->losses[kind].load(std::memory_order_relaxed) + own_losses_[kind] -
         segment_->consumer.told[kind].load(std::memory_order_relaxed);
}

bool SegmentDrain::HasNothingToTell() const {
  for (uint32_t i = 0; i < kMaxLossKinds; ++i) {
    if (LossesToTell(i) != 0) return false;
  }
  const uint32_t count = RingCount();
  for (uint32_t i = 0; i < count; ++i) {
    const Ring& ring = rings_[i];
    if (ring.data_bytes == 0) return false;
    if (ring.control->depth.load(std::memory_order_acquire) != 0) return false;
    const uint64_t used = ring.control->head.load(std::memory_order_acquire) - ring.tail;
    const uint64_t at = ring.tail & (ring.data_bytes - 1);
    const char* data = reinterpret_cast<const char*>(ring.control) + DataOffset(ring.data_bytes);
    const uint64_t to_end = ring.data_bytes - at;
    const uint64_t first = used < to_end ? used : to_end;
    if (used > ring.data_bytes || CountEvents(data + at, first) != 0 ||
        CountEvents(data, used - first) != 0)
      return false;
  }
  return true;
}

void SegmentDrain::Finish(bool process_gone, bool status_known, int32_t wait_status) {
  uint32_t fullest = 0;
  last_ = true;
  gone_ = process_gone;
  for (uint32_t i = 0; i < RingCount(); ++i) {
    if (Admit(i)) PublishHeldOf(rings_[i].control);
  }
  Drain(&fullest);
  const auto clock = static_cast<ClockId>(process_.clock);
  const Anchor anchor = TakeAnchor(clock);
  const Anchor start = segment_->start;
  const bool of_one_time = !resumed_ || !process_gone || AreOfOneTime(clock, start, anchor);
  if (of_one_time) Append(BlockType::kAnchor, 0, &anchor, sizeof(anchor));
  WriteOpenRanges();
  WriteOpenCalls();
  WriteCounters();
  uint32_t log_bytes = segment_->log_bytes.load(std::memory_order_acquire);
  if (log_bytes > kLogBytes) log_bytes = kLogBytes;
  if (log_bytes != 0 && !told_log_) Append(BlockType::kLog, 0, segment_->log, log_bytes);
  told_log_ = true;
  if (!process_gone) return;
  uint64_t end_ticks = anchor.ticks;
  if (!of_one_time && clock == ClockId::kMonotonic)
    end_ticks = start.monotonic_ns + (anchor.realtime_ns - start.realtime_ns);
  const SpoolEnd end = {end_ticks, status_known ? 1u : 0u, wait_status};
  Append(BlockType::kEnd, 0, &end, sizeof(end));
}

}  // namespace syncline
