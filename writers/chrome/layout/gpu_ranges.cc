// SPDX-License-Identifier: Apache-2.0
// First what each range gave to each stream, nest by nest; then a row on the GPU for each.
#include "writers/chrome/layout/gpu_ranges.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <tuple>
#include <utility>

#include "writers/chrome/layout/launched_ops.h"

namespace syncline {
namespace {

constexpr size_t kMostShown = 1 << 24;
constexpr size_t kMostStreamsOfRange = 1024;
constexpr uint32_t kMostRows = 16;

// A call that made a GPU do something.
struct Launch {
  uint32_t call;  // in GpuRecords::calls
  uint32_t op;    // the first operation of its correlation, in the order of LaunchedOps
};

// The extents of one range, by stream.
class Extents {
 public:
  // False: it has too many streams.
  bool Add(const Extent& more) {
    const auto at = std::lower_bound(
        extents_.begin(), extents_.end(), more.stream,
        [](const Extent& extent, uint32_t value) { return extent.stream < value; });
    if (at != extents_.end() && at->stream == more.stream) {
      at->begin = std::min(at->begin, more.begin);
      at->end = std::max(at->end, more.end);
      return true;
    }
    if (extents_.size() >= kMostStreamsOfRange) return false;
    extents_.insert(at, more);
    return true;
  }
  const std::vector<Extent>& all() const { return extents_; }

 private:
  std::vector<Extent> extents_;
};

// Walks through the ranges of one nest and the launches of its thread, both in order.
class Sweep {
 public:
  Sweep(std::span<const Launch> launches, const std::vector<SourceCall>& calls,
        const LaunchedOps& ops, GpuRanges* out)
      : launches_(launches), calls_(calls), ops_(ops), out_(out) {}

  void Run(const std::vector<LoggedRange>& ranges, std::span<const uint32_t> order) {
    for (const uint32_t index : order) {
      const LoggedRange& range = ranges[index];
      GiveLaunchesBefore(range.begin);
      while (!open_.empty() && open_.back().end <= range.begin && open_.back().end < range.end)
        Close();
      open_.push_back({range.end, range.label, {}});
    }
    GiveLaunchesBefore(UINT64_MAX);
    while (!open_.empty()) Close();
  }

 private:
  struct Open {
    uint64_t end;
    uint32_t label;
    Extents extents;
  };

  void GiveLaunchesBefore(uint64_t ticks) {
    while (next_ < launches_.size() && BeginOf(launches_[next_]) < ticks) {
      const Launch& launch = launches_[next_];
      while (!open_.empty() && open_.back().end < BeginOf(launch)) Close();
      if (open_.empty()) {
        const auto rest = launches_.subspan(next_);
        next_ += static_cast<size_t>(
            std::lower_bound(rest.begin(), rest.end(), ticks,
                             [&](const Launch& l, uint64_t value) { return BeginOf(l) < value; }) -
            rest.begin());
        return;
      }
      Give(launch);
      ++next_;
    }
  }

  uint64_t BeginOf(const Launch& launch) const { return calls_[launch.call].begin_ns; }

  void Give(const Launch& launch) {
    const uint32_t correlation = ops_.Correlation(launch.op);
    for (uint32_t i = launch.op; i < ops_.size() && ops_.Correlation(i) == correlation; ++i) {
      Extent extent;
      if (ops_.Shown(i, &extent)) out_->left_out += !open_.back().extents.Add(extent);
    }
  }

  void Close() {
    const Open range = std::move(open_.back());
    open_.pop_back();
    if (out_->ranges.size() + range.extents.all().size() > kMostShown) {
      out_->left_out += range.extents.all().size();
      return;
    }
    for (const Extent& extent : range.extents.all()) {
      if (!open_.empty()) out_->left_out += !open_.back().extents.Add(extent);
      out_->ranges.push_back({extent.begin, extent.end, extent.stream, range.label, 0});
    }
  }

  std::span<const Launch> launches_;
  const std::vector<SourceCall>& calls_;
  const LaunchedOps& ops_;
  GpuRanges* out_;
  size_t next_ = 0;
  std::vector<Open> open_;
};

// The outermost calls that have operations, one for each correlation, by thread and begin.
std::vector<Launch> LaunchesOf(const RangeLaunches& work, LaunchedOps* ops) {
  const std::vector<SourceCall>& calls = work.records.calls;
  std::vector<Launch> launches;
  const auto outermost = [](const SourceCall& call) {
    return !call.inner && !call.open && call.correlation != 0;
  };
  launches.reserve(static_cast<size_t>(std::count_if(calls.begin(), calls.end(), outermost)));
  for (uint32_t i = 0; i < calls.size(); ++i) {
    if (!outermost(calls[i]) || work.log.ThreadOf(calls[i].tid) == nullptr) continue;
    const uint32_t op = ops->Find(calls[i].correlation);
    if (op != ops->size()) launches.push_back({i, op});
  }
  const auto by_op = [&](const Launch& a, const Launch& b) {
    return std::pair(a.op, calls[a.call].begin_ns) < std::pair(b.op, calls[b.call].begin_ns);
  };
  if (!std::is_sorted(launches.begin(), launches.end(), by_op))
    std::sort(launches.begin(), launches.end(), by_op);
  const auto again = [](const Launch& a, const Launch& b) { return a.op == b.op; };
  launches.erase(std::unique(launches.begin(), launches.end(), again), launches.end());
  const auto by_time = [&](const Launch& a, const Launch& b) {
    const SourceCall &left = calls[a.call], &right = calls[b.call];
    return std::pair(left.tid, left.begin_ns) < std::pair(right.tid, right.begin_ns);
  };
  if (!std::is_sorted(launches.begin(), launches.end(), by_time))
    std::sort(launches.begin(), launches.end(), by_time);
  return launches;
}

// The ranges nest by nest, the outer one first. Of ranges that look alike the one that was popped
// later is around the other.
std::vector<uint32_t> OrderOf(const std::vector<LoggedRange>& ranges) {
  std::vector<uint32_t> order(ranges.size());
  std::iota(order.rbegin(), order.rend(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](uint32_t i, uint32_t j) {
    const LoggedRange &a = ranges[i], &b = ranges[j];
    return std::tuple(a.nest, a.begin, b.end) < std::tuple(b.nest, b.begin, a.end);
  });
  return order;
}

void SweepNests(const RangeLaunches& work, LaunchedOps* ops, GpuRanges* out) {
  const std::vector<Launch> launches = LaunchesOf(work, ops);
  const std::vector<SourceCall>& calls = work.records.calls;
  const std::vector<LoggedRange>& ranges = work.log.ranges;
  const std::vector<uint32_t> order = OrderOf(ranges);
  const auto nest_of = [&](size_t i) { return ranges[order[i]].nest; };
  for (size_t first = 0, last = 0; first < order.size(); first = last) {
    while (last < order.size() && nest_of(last) == nest_of(first)) ++last;
    const uint32_t tid = work.log.TidOf(ranges[order[first]].thread());
    const auto from = std::partition_point(
        launches.begin(), launches.end(), [&](const Launch& l) { return calls[l.call].tid < tid; });
    const auto to = std::partition_point(
        from, launches.end(), [&](const Launch& launch) { return calls[launch.call].tid == tid; });
    Sweep(std::span(from, to), calls, *ops, out)
        .Run(ranges, std::span(order).subspan(first, last - first));
  }
}

// The rows of one stream.
class StreamRows {
 public:
  // `on_lane`: those of its first lane, in order.
  StreamRows(const LaunchedOps& ops, std::span<const uint32_t> on_lane)
      : ops_(ops), on_lane_(on_lane) {}

  // Ranges come in order, the outer one first. False: there is no row left.
  bool Place(GpuRange* range) {
    for (uint32_t row = 0; row <= kMostRows; ++row) {
      if (row == rows_.size()) rows_.emplace_back();
      if ((row == 0 && CrossesOps(*range)) || !PlaceIn(&rows_[row], *range)) continue;
      range->row = row;
      return true;
    }
    return false;
  }
  uint32_t rows() const { return rows_.empty() ? 0 : static_cast<uint32_t>(rows_.size()) - 1; }

 private:
  // Ranges come in the order of their begins, and most hold few operations: to look from the last
  // place on costs less than to look through millions of operations twice.
  bool CrossesOps(const GpuRange& range) {
    first_ = From(first_, range.begin);
    const size_t next = From(first_, range.end);
    if (first_ != 0 && ops_.SpanOnLane(on_lane_[first_ - 1]).end > range.begin) return true;
    return next != 0 && ops_.SpanOnLane(on_lane_[next - 1]).end > range.end;
  }

  // The first operation that does not begin before `ns`; all before `start` do.
  size_t From(size_t start, uint64_t ns) const {
    const auto before = [&](uint32_t op) { return ops_.SpanOnLane(op).begin < ns; };
    size_t step = 1, from = start, to = start;
    while (to < on_lane_.size() && before(on_lane_[to])) {
      from = to + 1;
      to = std::min(to + step, on_lane_.size());
      step *= 2;
    }
    const auto some = on_lane_.subspan(from, to - from);
    return from + static_cast<size_t>(std::partition_point(some.begin(), some.end(), before) -
                                      some.begin());
  }

  // `open`: the ends of the ranges around the place where the row stands.
  static bool PlaceIn(std::vector<uint64_t>* open, const GpuRange& range) {
    while (!open->empty() && open->back() <= range.begin) open->pop_back();
    if (!open->empty() && open->back() < range.end) return false;
    open->push_back(range.end);
    return true;
  }

  const LaunchedOps& ops_;
  std::span<const uint32_t> on_lane_;
  size_t first_ = 0;  // of From, for the begin of the range before
  std::vector<std::vector<uint64_t>> rows_;
};

void GiveRows(const LaunchedOps& ops, GpuRanges* out) {
  const std::vector<std::vector<uint32_t>> on_lanes = ops.OnFirstLanes();
  std::reverse(out->ranges.begin(), out->ranges.end());
  std::stable_sort(
      out->ranges.begin(), out->ranges.end(), [](const GpuRange& a, const GpuRange& b) {
        return std::tuple(a.stream, a.begin, b.end) < std::tuple(b.stream, b.begin, a.end);
      });
  size_t kept = 0;
  for (size_t i = 0; i < out->ranges.size();) {
    const uint32_t stream = out->ranges[i].stream;
    StreamRows rows(ops, on_lanes[stream]);
    for (; i < out->ranges.size() && out->ranges[i].stream == stream; ++i) {
      GpuRange range = out->ranges[i];
      if (rows.Place(&range)) {
        out->ranges[kept++] = range;
      } else {
        ++out->left_out;
      }
    }
    out->rows[stream] = rows.rows();
  }
  out->ranges.resize(kept);
}

}  // namespace

GpuRanges ProjectRanges(const RangeLaunches& work) {
  GpuRanges out;
  out.left_out = work.log.left_out;
  out.streams = work.lanes.order;
  out.rows.resize(out.streams.size());
  LaunchedOps ops(work);
  SweepNests(work, &ops, &out);
  out.labels = work.log.labels;
  GiveRows(ops, &out);
  return out;
}

}  // namespace syncline
