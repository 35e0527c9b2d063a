// SPDX-License-Identifier: Apache-2.0
// Chooses the anchors to trust and draws the line through them.
#include "model/spool/timeline.h"

#include <algorithm>
#include <cmath>

namespace syncline {
namespace {

constexpr int64_t kNamespaceThresholdNs =
    1000000;                                  // less is the distance between two clock readings
constexpr int64_t kOtherLineNs = 1000000000;  // less may be a step of REALTIME during the run
constexpr uint64_t kMinSpacingNs =
    200000000;  // closer anchors give a bad slope: their errors count for more
constexpr uint64_t kSlopeOne = uint64_t{1} << 32;
constexpr uint64_t kMaxSlope = uint64_t{1} << 44;  // 4096 ns per tick: no clock is that slow
constexpr size_t kMaxKnots = 1 << 16;
constexpr uint64_t kNotice = 1000000;  // ticks, some 0.3 ms: less is no clock that was set back

uint64_t Plus(uint64_t ns, int64_t offset) {
  if (offset < 0 && ns < static_cast<uint64_t>(-offset)) return 0;
  return ns + static_cast<uint64_t>(offset);
}

uint64_t OnLine(uint64_t monotonic_ns, const Anchor& job) {
  return Plus(job.realtime_ns, static_cast<int64_t>(monotonic_ns - job.monotonic_ns));
}

// What to add to the process's MONOTONIC to get the consumer's, through REALTIME. Exact to the time
// between two readings.
int64_t NamespaceOffset(const SpoolProcess& process) {
  const Anchor& mine = process.start;
  const Anchor& theirs = process.consumer_start;
  const auto offset = static_cast<int64_t>((theirs.monotonic_ns - theirs.realtime_ns) -
                                           (mine.monotonic_ns - mine.realtime_ns));
  return offset == INT64_MIN ? INT64_MAX : offset;
}

// A process that drained itself took its anchors in its own time namespace (or on another node),
// the job's line is the launcher's: the job's anchor as that process would have seen it, through
// REALTIME.
Anchor InNamespaceOf(const SpoolProcess& process, Anchor job) {
  const Anchor& theirs = process.consumer_start;
  if (process.consumer == 0 || theirs.ticks == 0) return job;
  const auto apart = static_cast<int64_t>((theirs.monotonic_ns - theirs.realtime_ns) -
                                          (job.monotonic_ns - job.realtime_ns));
  if (apart > kOtherLineNs || apart < -kOtherLineNs)
    job.monotonic_ns += static_cast<uint64_t>(apart);
  return job;
}

}  // namespace

void Timeline::Build(const SpoolProcess& process, std::span<const Anchor> anchors,
                     const Anchor& job_of_launcher, double ticks_per_second) {
  const Anchor job = InNamespaceOf(process, job_of_launcher);
  knots_.clear();
  pieces_.clear();
  cursor_ = 0;
  namespace_offset_ = 0;
  set_back_ = false;
  std::vector<Anchor> all(anchors.begin(), anchors.end());
  if (process.consumer_start.ticks != 0) all.push_back(process.consumer_start);
  if (process.clock == static_cast<uint32_t>(ClockId::kMonotonic)) {
    BuildMonotonic(process, job);
    return;
  }
  const int64_t apart = NamespaceOffset(process);
  if (process.start.ticks != 0 && std::abs(apart) <= kNamespaceThresholdNs) {
    all.push_back(process.start);
  }
  KeepGoodAnchors(all, job);
  BuildPieces(ticks_per_second);
}

// Ticks are MONOTONIC of the process itself, which may live in another time namespace than the
// consumer.
void Timeline::BuildMonotonic(const SpoolProcess& process, const Anchor& job) {
  const Anchor& mine = process.start;
  const Anchor& theirs = process.consumer_start;
  const int64_t apart = NamespaceOffset(process);
  if (std::abs(apart) > kNamespaceThresholdNs) namespace_offset_ = apart;
  const uint64_t begin = mine.ticks != 0 ? mine.ticks : theirs.ticks;
  if (begin == 0) return;
  // Within one namespace the ticks are the line's own nanoseconds.
  const uint64_t error = namespace_offset_ == 0 ? 0 : mine.error_ticks + theirs.error_ticks;
  knots_.push_back({begin, OnLine(Plus(begin, namespace_offset_), job), error});
  pieces_.push_back({begin, 0, knots_[0].ns, kSlopeOne});
  Extend();
}

void Timeline::KeepGoodAnchors(std::span<const Anchor> anchors, const Anchor& job) {
  std::vector<Knot> all;
  for (const Anchor& anchor : anchors) {
    if (anchor.ticks == 0) continue;
    all.push_back({anchor.ticks, OnLine(anchor.monotonic_ns, job), anchor.error_ticks});
  }
  std::sort(all.begin(), all.end(), [](const Knot& a, const Knot& b) { return a.ns < b.ns; });
  for (size_t i = 1; i < all.size(); ++i) {
    const uint64_t doubt = all[i].error_ticks + all[i - 1].error_ticks;
    const uint64_t back = all[i - 1].ticks - all[i].ticks;
    set_back_ |= all[i].ticks < all[i - 1].ticks && back > doubt && back > kNotice;
  }
  std::sort(all.begin(), all.end(), [](const Knot& a, const Knot& b) { return a.ticks < b.ticks; });
  const size_t step = all.size() / kMaxKnots + 1;
  const uint64_t last_ticks = all.empty() ? 0 : all.back().ticks;
  for (size_t i = 0; i < all.size(); ++i) {
    const Knot& knot = all[i];
    if (knots_.empty()) {
      knots_.push_back(knot);
      continue;
    }
    Knot& before = knots_.back();
    if (knot.ticks <= before.ticks || knot.ns <= before.ns) continue;  // a step back is not time
    const bool too_close = knot.ns - before.ns < kMinSpacingNs || i % step != 0;
    if (too_close && knot.ticks != last_ticks) {
      if (knots_.size() == 1 && knot.error_ticks < before.error_ticks) before = knot;
      continue;
    }
    // The last anchor counts always, and takes the place of one too close before it, except of the
    // first.
    if (too_close && knots_.size() > 1) knots_.pop_back();
    knots_.push_back(knot);
  }
}

void Timeline::BuildPieces(double ticks_per_second) {
  __extension__ typedef unsigned __int128 Wide;
  if (ticks_per_second >= 1e6 && ticks_per_second <= 1e11 && !knots_.empty() &&
      span_ns() < kMinSpacingNs) {
    const double slope = 1e9 / ticks_per_second * static_cast<double>(kSlopeOne);
    pieces_.push_back({knots_[0].ticks, 0, knots_[0].ns, static_cast<uint64_t>(slope)});
    Extend();
    return;
  }
  if (knots_.size() < 2) return;
  for (size_t i = 0; i + 1 < knots_.size(); ++i) {
    const Knot& a = knots_[i];
    const Knot& b = knots_[i + 1];
    const Wide slope = (Wide{b.ns - a.ns} << 32) / (b.ticks - a.ticks);
    const uint64_t bounded = slope > kMaxSlope ? kMaxSlope : static_cast<uint64_t>(slope);
    pieces_.push_back({a.ticks, b.ticks - a.ticks, a.ns, bounded});
  }
  Extend();
}

// Before the first anchor: its piece's slope, as far back as both clocks go. After the last: the
// last piece's.
void Timeline::Extend() {
  __extension__ typedef unsigned __int128 Wide;
  Piece& last = pieces_.back();
  const Wide room = (Wide{UINT64_MAX - last.begin_ns} << 32) / std::max<uint64_t>(last.slope, 1);
  last.ticks = std::min(UINT64_MAX - last.begin_ticks,
                        room > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(room));
  const Piece first = pieces_.front();
  if (first.slope == 0) return;
  const Wide back = (Wide{first.begin_ns} << 32) / first.slope;
  const uint64_t reach = back > first.begin_ticks ? first.begin_ticks : static_cast<uint64_t>(back);
  if (reach == 0) return;
  const uint64_t begin_ns = first.begin_ns - Scale(reach, first.slope);
  pieces_.insert(pieces_.begin(), {first.begin_ticks - reach, reach, begin_ns, first.slope});
}

uint64_t Timeline::ConvertElsewhere(uint64_t ticks) {
  auto after = std::upper_bound(
      pieces_.begin(), pieces_.end(), ticks,
      [](uint64_t wanted, const Piece& piece) { return wanted < piece.begin_ticks; });
  if (after == pieces_.begin()) return pieces_.front().begin_ns;
  cursor_ = static_cast<size_t>(after - pieces_.begin()) - 1;
  const Piece& piece = pieces_[cursor_];
  const uint64_t delta = ticks - piece.begin_ticks;
  return delta > piece.ticks ? UINT64_MAX : piece.begin_ns + Scale(delta, piece.slope);
}

double Timeline::ticks_per_second() const {
  if (pieces_.empty() || pieces_.back().slope == 0) return 0;
  return 1e9 * static_cast<double>(kSlopeOne) / static_cast<double>(pieces_.back().slope);
}

uint64_t Timeline::ErrorNs(uint64_t begin_ticks, uint64_t end_ticks) const {
  if (knots_.empty() || pieces_.empty()) return 0;
  const double ns_per_tick =
      static_cast<double>(pieces_.back().slope) / static_cast<double>(kSlopeOne);
  uint64_t error_ticks = 0;
  double residual = 0;
  for (size_t i = 0; i < knots_.size(); ++i) {
    error_ticks = std::max(error_ticks, knots_[i].error_ticks);
    if (i == 0 || i + 1 == knots_.size()) continue;
    const Knot& a = knots_[i - 1];
    const Knot& b = knots_[i + 1];
    const double share =
        static_cast<double>(knots_[i].ticks - a.ticks) / static_cast<double>(b.ticks - a.ticks);
    const double expected = share * static_cast<double>(b.ns - a.ns);
    residual = std::max(residual, std::fabs(static_cast<double>(knots_[i].ns - a.ns) - expected));
  }
  double error = residual + static_cast<double>(error_ticks) * ns_per_tick;
  if (knots_.size() >= 2) {
    const Knot& first = knots_.front();
    const Knot& last = knots_.back();
    const double outside =
        std::max(begin_ticks < first.ticks ? static_cast<double>(first.ticks - begin_ticks) : 0.0,
                 end_ticks > last.ticks ? static_cast<double>(end_ticks - last.ticks) : 0.0);
    const double span = static_cast<double>(last.ticks - first.ticks);
    error += outside / span * 2 * static_cast<double>(error_ticks) * ns_per_tick;
  }
  return error > 1e18 ? static_cast<uint64_t>(1e18) : static_cast<uint64_t>(std::ceil(error));
}

}  // namespace syncline
