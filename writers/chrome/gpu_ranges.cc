// SPDX-License-Identifier: Apache-2.0
// First what each range gave to each stream, nest by nest; then a row on the GPU for
// each.
#include "writers/chrome/gpu_ranges.h"

#include <algorithm>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace syncline {
namespace {

constexpr size_t kMostShown = 1 << 24;
constexpr size_t kMostStreamsOfRange = 1024;
constexpr size_t kMostStreams = 1 << 16;
constexpr uint32_t kStreamMask = (1u << 31) - 1;  // of LaunchedOp
constexpr uint32_t kMostRows = 16;

std::vector<Launch> LaunchesOf(const ProgramRun& run) {
  const auto is_launch = [&](const GpuCall& call) {
    return !call.inner && !call.open && run.survey.gpu.ops.Has(call.correlation);
  };
  const std::vector<GpuCall>& calls = run.gpu->records().calls;
  std::vector<Launch> launches;
  launches.reserve(static_cast<size_t>(std::count_if(calls.begin(), calls.end(), is_launch)));
  for (const GpuCall& call : calls) {
    if (!is_launch(call)) continue;
    const uint32_t* thread = run.range_log->ThreadOf(call.tid);
    if (thread != nullptr) launches.push_back({call.begin_ns, *thread, call.correlation});
  }
  return launches;
}

void AddOps(const ProgramRun& run, const DeviceLanes& lanes, const TimeLimits& limits,
            RangeWork* work) {
  std::map<GpuStream, uint32_t> numbers;
  const std::vector<GpuOp>& ops = run.gpu->records().ops;
  work->ops.reserve(ops.size());
  for (size_t i = 0; i < ops.size(); ++i) {
    const GpuStream stream{ops[i].device, ops[i].context, ops[i].stream};
    auto number = numbers.find(stream);
    if (number == numbers.end()) {
      if (work->streams.size() >= kMostStreams) continue;
      number = numbers.emplace(stream, static_cast<uint32_t>(work->streams.size())).first;
      work->streams.push_back(stream);
    }
    TraceSpan span;
    if (!SpanOf(lanes.places[i], run.device_timeline, limits, ops[i].begin_ns, ops[i].end_ns,
                &span))
      continue;
    work->ops.push_back(
        {span.begin, span.end, ops[i].correlation, number->second & kStreamMask, span.lane == 0});
  }
}

struct Extent {
  uint32_t stream;
  uint64_t begin;
  uint64_t end;
};

// Of one range, by stream.
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
  Sweep(std::span<const Launch> launches, const std::vector<LaunchedOp>& ops, GpuRanges* out)
      : launches_(launches), ops_(ops), out_(out) {}

  void Run(std::span<const LoggedRange> ranges) {
    for (const LoggedRange& range : ranges) {
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
    while (next_ < launches_.size() && launches_[next_].begin < ticks) {
      const Launch& launch = launches_[next_];
      while (!open_.empty() && open_.back().end < launch.begin) Close();
      if (open_.empty()) {
        const auto rest = launches_.subspan(next_);
        next_ += static_cast<size_t>(
            std::lower_bound(rest.begin(), rest.end(), ticks,
                             [](const Launch& l, uint64_t value) { return l.begin < value; }) -
            rest.begin());
        return;
      }
      Give(launch);
      ++next_;
    }
  }

  // By now `correlation` is the index of the launch's first operation.
  void Give(const Launch& launch) {
    const uint32_t correlation = ops_[launch.correlation].correlation;
    for (size_t i = launch.correlation; i < ops_.size() && ops_[i].correlation == correlation; ++i)
      out_->left_out += !open_.back().extents.Add({ops_[i].stream, ops_[i].begin, ops_[i].end});
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
  const std::vector<LaunchedOp>& ops_;
  GpuRanges* out_;
  size_t next_ = 0;
  std::vector<Open> open_;
};

// Gives the launches the index of their first operation for their correlation; those without are
// forgotten, as are those whose correlation came before.
void Join(RangeWork* work) {
  std::sort(work->ops.begin(), work->ops.end(),
            [](const LaunchedOp& a, const LaunchedOp& b) { return a.correlation < b.correlation; });
  std::sort(work->launches.begin(), work->launches.end(), [](const Launch& a, const Launch& b) {
    return std::pair(a.correlation, a.begin) < std::pair(b.correlation, b.begin);
  });
  size_t op = 0, kept = 0;
  uint32_t last = 0;
  for (const Launch launch : work->launches) {
    while (op < work->ops.size() && work->ops[op].correlation < launch.correlation) ++op;
    if (op == work->ops.size()) break;
    if (launch.correlation == last || work->ops[op].correlation != launch.correlation) continue;
    last = launch.correlation;
    work->launches[kept++] = {launch.begin, launch.thread, static_cast<uint32_t>(op)};
  }
  work->launches.resize(kept);
}

void SweepNests(RangeWork* work, GpuRanges* out) {
  Join(work);
  std::sort(work->launches.begin(), work->launches.end(), [](const Launch& a, const Launch& b) {
    return std::tuple(a.thread, a.begin) < std::tuple(b.thread, b.begin);
  });
  // Of ranges that look alike the one that was popped later is around the other.
  std::reverse(work->ranges.begin(), work->ranges.end());
  std::stable_sort(work->ranges.begin(), work->ranges.end(),
                   [](const LoggedRange& a, const LoggedRange& b) {
                     return std::tuple(a.nest, a.begin, b.end) < std::tuple(b.nest, b.begin, a.end);
                   });
  const std::span<const Launch> launches = work->launches;
  for (size_t first = 0, last = 0; first < work->ranges.size(); first = last) {
    const uint32_t nest = work->ranges[first].nest;
    while (last < work->ranges.size() && work->ranges[last].nest == nest) ++last;
    const auto [from, to] = std::equal_range(
        launches.begin(), launches.end(), Launch{0, work->ranges[first].thread(), 0},
        [](const Launch& a, const Launch& b) { return a.thread < b.thread; });
    Sweep(std::span(from, to), work->ops, out)
        .Run(std::span(work->ranges).subspan(first, last - first));
  }
}

// The rows of one stream.
class StreamRows {
 public:
  // `ops`: those of its first lane, in order.
  explicit StreamRows(std::span<const LaunchedOp> ops) : ops_(ops) {}

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
  bool CrossesOps(const GpuRange& range) const {
    const auto from = [this](uint64_t ns) {
      return std::lower_bound(
          ops_.begin(), ops_.end(), ns,
          [](const LaunchedOp& op, uint64_t value) { return op.begin < value; });
    };
    const auto first = from(range.begin), next = from(range.end);
    if (first != ops_.begin() && std::prev(first)->end > range.begin) return true;
    return next != ops_.begin() && std::prev(next)->end > range.end;
  }

  // `open`: the ends of the ranges around the place where the row stands.
  static bool PlaceIn(std::vector<uint64_t>* open, const GpuRange& range) {
    while (!open->empty() && open->back() <= range.begin) open->pop_back();
    if (!open->empty() && open->back() < range.end) return false;
    open->push_back(range.end);
    return true;
  }

  std::span<const LaunchedOp> ops_;
  std::vector<std::vector<uint64_t>> rows_;
};

void GiveRows(std::vector<LaunchedOp> ops, GpuRanges* out) {
  std::erase_if(ops, [](const LaunchedOp& op) { return op.first_lane == 0; });
  std::sort(ops.begin(), ops.end(), [](const LaunchedOp& a, const LaunchedOp& b) {
    return std::pair(uint32_t{a.stream}, a.begin) < std::pair(uint32_t{b.stream}, b.begin);
  });
  std::reverse(out->ranges.begin(), out->ranges.end());
  std::stable_sort(
      out->ranges.begin(), out->ranges.end(), [](const GpuRange& a, const GpuRange& b) {
        return std::tuple(a.stream, a.begin, b.end) < std::tuple(b.stream, b.begin, a.end);
      });
  const std::span<const LaunchedOp> all = ops;
  size_t kept = 0;
  for (size_t i = 0; i < out->ranges.size();) {
    const uint32_t stream = out->ranges[i].stream;
    const auto [from, to] = std::equal_range(
        all.begin(), all.end(), LaunchedOp{0, 0, 0, stream & kStreamMask, 0},
        [](const LaunchedOp& a, const LaunchedOp& b) { return a.stream < b.stream; });
    StreamRows rows(std::span(from, to));
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

RangeWork RangeWorkOf(const ProgramRun& run, const DeviceLanes& lanes, const TimeLimits& limits) {
  const RangeLog& log = *run.range_log;
  RangeWork work{LaunchesOf(run), {}, {}, log.ranges, log.labels, log.left_out};
  AddOps(run, lanes, limits, &work);
  return work;
}

GpuRanges ProjectRanges(RangeWork work) {
  GpuRanges out;
  out.left_out = work.left_out;
  SweepNests(&work, &out);
  out.streams = std::move(work.streams);
  out.labels = std::move(work.labels);
  out.rows.resize(out.streams.size());
  GiveRows(std::move(work.ops), &out);
  return out;
}

}  // namespace syncline
