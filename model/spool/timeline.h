// SPDX-License-Identifier: Apache-2.0
// Turns the ticks of one process into nanoseconds on the job's line: REALTIME of the job's first
// anchor, continued by MONOTONIC.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "inject/core/spool_format.h"

namespace syncline {

// Piecewise linear through the consumer's anchors, never decreasing, so that nesting survives.
// Built once per spool, then only read; Convert keeps a cursor, so one thread.
class Timeline {
 public:
  // `anchors`: the consumer's, in any order, doubtful ones included; `job` any anchor of the job's
  // line taken in the consumer's time namespace. `ticks_per_second`: of this machine's TSC if known
  // better than anchors less than 200 ms apart can tell, else 0. Without usable anchors the line
  // cannot be built: valid() is false.
  void Build(const SpoolProcess& process, std::span<const Anchor> anchors, const Anchor& job,
             double ticks_per_second = 0);

  bool valid() const { return !pieces_.empty(); }

  // Nanoseconds since 1970 (saturating) on the job's line.
  uint64_t Convert(uint64_t ticks) {
    const Piece& piece = pieces_[cursor_];
    const uint64_t delta = ticks - piece.begin_ticks;
    if (__builtin_expect(delta < piece.ticks, 1)) return piece.begin_ns + Scale(delta, piece.slope);
    return ConvertElsewhere(ticks);
  }

  // How far a time may be off: largest distance of an inner anchor from the line through its
  // neighbours, plus the anchors' own error, plus what extrapolation adds within
  // `begin_ticks`..`end_ticks`. Nanoseconds.
  uint64_t ErrorNs(uint64_t begin_ticks, uint64_t end_ticks) const;

  size_t anchors_used() const { return knots_.size(); }
  // Time between the first and the last anchor: how well ticks_per_second() is known.
  uint64_t span_ns() const { return knots_.empty() ? 0 : knots_.back().ns - knots_.front().ns; }
  // Correction for a process in another time namespace; 0: none. Nanoseconds added to its
  // MONOTONIC.
  int64_t namespace_offset_ns() const { return namespace_offset_; }
  double ticks_per_second() const;
  // Whether the ticks went back while time went on (a suspend that resets the TSC): what was
  // recorded after that cannot be told from what was recorded before.
  bool set_back() const { return set_back_; }

 private:
  struct Knot {
    uint64_t ticks;
    uint64_t ns;  // on the job's line
    uint64_t error_ticks;
  };
  struct Piece {
    uint64_t begin_ticks;
    uint64_t ticks;  // length
    uint64_t begin_ns;
    uint64_t slope;  // nanoseconds per tick, times 2^32
  };

  static uint64_t Scale(uint64_t delta, uint64_t slope) {
    __extension__ typedef unsigned __int128 Wide;
    return static_cast<uint64_t>((Wide{delta} * slope) >> 32);
  }
  uint64_t ConvertElsewhere(uint64_t ticks);
  void BuildMonotonic(const SpoolProcess& process, const Anchor& job);
  void KeepGoodAnchors(std::span<const Anchor> anchors, const Anchor& job);
  void BuildPieces(double ticks_per_second);
  void Extend();

  std::vector<Knot> knots_;
  std::vector<Piece> pieces_;  // ascending, without gaps; the first and the last extrapolate
  size_t cursor_ = 0;
  int64_t namespace_offset_ = 0;
  bool set_back_ = false;
};

}  // namespace syncline
