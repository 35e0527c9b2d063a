// SPDX-License-Identifier: Apache-2.0
// Drains one segment into one spool. The same class runs in the launcher, in the process's own
// thread, and after death.
#pragma once

#include <cstdint>

#include "inject/consumer/spool_file.h"
#include "inject/core/segment.h"

namespace syncline {

enum class ConsumerKind : uint32_t { kLauncher = 0, kProcess = 1 };

// Guest-safe (no heap, no errno, no exceptions); one thread at a time. Nothing read from the
// segment is trusted: every offset, size and head is checked against the mapping before it is used,
// and tails are kept here, not read back.
class SegmentDrain {
 public:
  SegmentDrain() = default;
  ~SegmentDrain();
  SegmentDrain(const SegmentDrain&) = delete;
  SegmentDrain& operator=(const SegmentDrain&) = delete;

  // Where ring `index` lies, of which the segment says that it has `data_bytes`; null: nowhere.
  // Asked once for each ring.
  using Locate = RingControl* (*)(void* context, uint32_t index, uint64_t data_bytes);

  // How many rings there are.
  using Count = uint32_t (*)(void* context);

  // For a consumer in the process, which knows its rings and in whose memory the segment may not be
  // mapped whole; call it before Open. Without it, ring follows ring behind the header.
  void LocateBy(Locate locate, Count count, void* context) {
    locate_ = locate;
    count_ = count;
    locate_context_ = context;
  }

  // `segment` of `bytes` stays mapped until Finish returned; false: not a segment of this layout
  // (why() says so). Writes the kProcess block.
  bool Open(SegmentHeader* segment, uint64_t bytes, SpoolFile* spool, int32_t outer_pid,
            ConsumerKind kind);

  // The same for a segment whose consumer is gone, into the spool which that one left
  // (SpoolFile::Continue).
  bool Resume(SegmentHeader* segment, uint64_t bytes, SpoolFile* spool);

  // Copies what all rings hold to the spool. Returns how many bytes were taken; *fullest is the
  // greatest share of a ring that was in use, in percent (for adaptive polling). While the file
  // system is full records stay in their rings; the producer counts what finds no room there.
  uint64_t Drain(uint32_t* fullest);

  // Adds an anchor if something was drained or lost since the last one and `interval_ns` have
  // passed; call it in each poll.
  void Anchors(uint64_t interval_ns);

  // The process is gone (or this consumer ends): drains, then writes open ranges, counters, log and
  // the end block. Again, where the process lives on a little: what came since, and what is open
  // now.
  void Finish(bool process_gone, bool status_known, int32_t wait_status);

  // Something of the segment cannot be read, and nobody knows how much.
  void CountDamage() { AddLoss(kLoss_damaged, 1); }
  // Whether no event waits, nothing is open, and each loss was told.
  bool HasNothingToTell() const;

  const char* why() const { return why_; }
  const ProcessFacts& facts() const { return process_.facts; }
  uint64_t dropped_bytes() const { return dropped_bytes_; }
  bool waits_for_space() const { return retry_ns_ != 0; }

 private:
  struct Ring {
    RingControl* control;
    uint64_t data_bytes;
    uint64_t tail;
    bool refused;  // its row lies; counted once
  };

  bool Adopt(SegmentHeader* segment, uint64_t bytes, SpoolFile* spool);
  bool Admit(uint32_t index);
  bool Append(BlockType type, uint32_t ring, const void* a, uint64_t a_bytes,
              const void* b = nullptr, uint64_t b_bytes = 0);
  uint64_t LossesToTell(uint32_t kind) const;
  void KeepGateTimes();
  template <typename Change>
  void ChangeGateAt(uint64_t* deadline_ns, Change change);
  void WriteGate(const GateRecord& change);
  uint64_t DrainRing(uint32_t index, int chain, uint32_t* fullest);
  void CountWhileFull();
  void AddLoss(Loss kind, uint64_t count);
  void CountDropped(const char* data, uint64_t bytes, Loss kind);
  void WriteOpenRanges();
  void WriteOpenCalls();
  void WriteOpenCall(uint32_t ring, Source source);
  void WriteCounters();
  uint32_t RingCount() const;

  SegmentHeader* segment_ = nullptr;
  uint64_t bytes_ = 0;
  SpoolFile* spool_ = nullptr;
  const char* why_ = "";
  SpoolProcess process_ = {};
  Locate locate_ = nullptr;
  Count count_ = nullptr;
  void* locate_context_ = nullptr;
  uint64_t ring_bytes_ = 0;
  uint64_t dropped_bytes_ = 0;
  bool last_ = false;  // nobody will try again
  bool gone_ = false;  // the process, and all that it left is drained
  bool told_log_ = false;
  bool full_ = false;       // of this round
  uint64_t retry_ns_ = 0;   // MONOTONIC; 0: the file system is not full
  bool was_full_ = false;   // at the round before
  uint64_t ring_full_ = 0;  // the producer's count when it was last looked at
  uint64_t own_losses_[kMaxLossKinds] = {};
  uint64_t here_ns_ = 0;        // the consumer's MONOTONIC less the process's
  bool resumed_ = false;        // another has begun the spool, perhaps in another time
  uint64_t open_gate_ns_ = 0;   // MONOTONIC of the consumer; 0: nothing to do
  uint64_t close_gate_ns_ = 0;  // the same
  uint64_t last_anchor_ns_ = 0;
  uint64_t anchored_state_ = 0;  // grows with what was drained or lost; of the last anchor
  Ring* rings_ = nullptr;  // kMaxRings of them, of which only the rows in use are ever touched
};

}  // namespace syncline
