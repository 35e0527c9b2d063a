// SPDX-License-Identifier: Apache-2.0
// Indices into what was recorded: copies would take more memory than all else.
#include "writers/chrome/layout/launched_ops.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace syncline {
namespace {

constexpr uint32_t kSteps = 64;  // that Find walks before it leaps

}  // namespace

LaunchedOps::LaunchedOps(const RangeLaunches& work) : work_(work), ops_(work.records.ops) {
  const auto before = [](const GpuOp& a, const GpuOp& b) { return a.correlation < b.correlation; };
  if (std::is_sorted(ops_.begin(), ops_.end(), before)) return;
  order_.resize(ops_.size());
  std::iota(order_.begin(), order_.end(), 0u);
  std::stable_sort(order_.begin(), order_.end(),
                   [&](uint32_t a, uint32_t b) { return before(ops_[a], ops_[b]); });
}

uint32_t LaunchedOps::Find(uint32_t correlation) {
  if (next_ == size() || Correlation(next_) > correlation) next_ = 0;
  while (next_ < size() && Correlation(next_) < correlation) {
    const bool far = next_ + kSteps < size() && Correlation(next_ + kSteps) < correlation;
    next_ = far ? LowerBound(next_ + kSteps, correlation) : next_ + 1;
  }
  return next_ < size() && Correlation(next_) == correlation ? next_ : size();
}

uint32_t LaunchedOps::LowerBound(uint32_t from, uint32_t correlation) const {
  uint32_t to = size();
  while (from < to) {
    const uint32_t middle = from + (to - from) / 2;
    if (Correlation(middle) < correlation) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

bool LaunchedOps::Shown(uint32_t index, Extent* extent) const {
  const uint32_t at = At(index);
  TraceSpan span;
  if (!SpanOf(work_.lanes.places[at], ClockOf(at), work_.limits, ops_[at].begin_ns, ops_[at].end_ns,
              &span)) {
    return false;
  }
  *extent = {StreamOf(ops_[at]), span.begin, span.end};
  return extent->stream != kNoStream;
}

std::vector<std::vector<uint32_t>> LaunchedOps::OnFirstLanes() const {
  std::vector<size_t> counts(work_.lanes.order.size());
  const auto each = [&](const auto& visit) {
    for (uint32_t i = 0; i < size(); ++i) {
      const uint32_t stream = work_.lanes.places[i].lane == 0 ? StreamOf(ops_[i]) : kNoStream;
      if (stream != kNoStream) visit(stream, i);
    }
  };
  each([&](uint32_t stream, uint32_t) { ++counts[stream]; });
  std::vector<std::vector<uint32_t>> result(counts.size());
  for (size_t i = 0; i < counts.size(); ++i) result[i].reserve(counts[i]);
  each([&](uint32_t stream, uint32_t op) { result[stream].push_back(op); });
  const auto before = [&](uint32_t a, uint32_t b) {
    return std::pair(ops_[a].begin_ns, ops_[a].end_ns) <
           std::pair(ops_[b].begin_ns, ops_[b].end_ns);
  };
  for (std::vector<uint32_t>& stream : result) {
    if (!std::is_sorted(stream.begin(), stream.end(), before))
      std::sort(stream.begin(), stream.end(), before);
  }
  return result;
}

Extent LaunchedOps::SpanOnLane(uint32_t op) const {
  Extent extent{};
  TraceSpan span{};
  if (SpanOf(work_.lanes.places[op], ClockOf(op), work_.limits, ops_[op].begin_ns, ops_[op].end_ns,
             &span)) {
    extent = {0, span.begin, span.end};
  } else if (ClockOf(op).valid()) {
    extent.begin = extent.end = ClockOf(op).Convert(ops_[op].begin_ns);
  }
  return extent;
}

uint32_t LaunchedOps::StreamOf(const GpuOp& op) const {
  const GpuStream stream{op.device, op.context, op.stream};
  if (stream == last_stream_ && last_number_ != kNoStream) return last_number_;
  const auto found = work_.lanes.numbers.find(stream);
  last_stream_ = stream;
  last_number_ = found == work_.lanes.numbers.end() ? kNoStream : found->second;
  return last_number_;
}

}  // namespace syncline
